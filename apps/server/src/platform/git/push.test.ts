import { expect, test } from 'vitest';
import { pushFailure } from './push.ts';
import { parseRepository } from './repository.ts';

const web = { repository: parseRepository('https://git.example/a/b.git', { allowHttp: [] }) };
const ssh = { repository: parseRepository('git@git.example:a/b.git', { allowHttp: [] }) };

test.each([
  [
    ssh,
    'ERROR: The key you are authenticating with has been marked as read only.\nfatal: Could not read',
    'auth',
  ],
  [ssh, 'ERROR: Permission to a/b.git denied to deploy key\nfatal: Could not read from remote', 'auth'],
  [ssh, 'git@git.example: Permission denied (publickey).', 'auth'],
  [
    web,
    'remote: Write access to repository not granted.\nfatal: unable to access: returned error: 403',
    'auth',
  ],
  [
    web,
    'remote: This repository was archived so it is read-only.\nfatal: The requested URL returned error: 403',
    'auth',
  ],
  [web, 'error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413', 'too-large'],
  [web, 'error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502', 'unreachable'],
  [web, 'fatal: something new', 'unreachable'],
])('a push to %o that fails by %j is reported as %s', (contact, stderr, code) => {
  expect(pushFailure(contact, stderr).code).toBe(code);
});

test('a refusal says what to check and what the server said', () => {
  const { message } = pushFailure(ssh, 'ERROR: Permission to a/b.git denied to deploy key');
  expect(message).toContain('may write to this repository');
  expect(message).toContain('Permission to a/b.git denied to deploy key');
  expect(pushFailure(web, 'fatal: something new').message).toContain('could not be pushed to: something new');
});
