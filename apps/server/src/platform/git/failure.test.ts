import { expect, test } from 'vitest';
import { failureOf } from './failure.ts';
import { parseRepository } from './repository.ts';

const repository = parseRepository('https://example.com/acme/docs.git', { allowHttp: [] });

test.each([
  ["fatal: unable to create '/data/jobs/se_1-1/.git-x/repository/shallow.lock': No space left on device"],
  ['fatal: cannot mkdir /data/jobs/se_1-1/.git-x: Permission denied'],
  ['error: unable to write file /data/jobs/x (Disk quota exceeded)\nfatal: index-pack failed'],
])('reveals no path of the server: %s', (stderr) => {
  const { message } = failureOf(repository, stderr);
  expect(message).not.toContain('/data');
  expect(message).toContain('https://example.com/acme/docs.git');
});

/** What Git 2.39 prints for transfers that end early. */
test.each([
  [
    'too slow',
    'error: RPC failed; curl 28 Operation too slow. Less than 100 bytes/sec transferred the last 60 seconds\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
  ],
  [
    'cut off',
    'error: RPC failed; curl 18 transfer closed with outstanding read data remaining\nerror: 46 bytes of body are still expected\nfetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
  ],
  [
    'ended before the pack',
    'error: 40959 bytes of body are still expected\nfetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
  ],
  [
    'without the start of the pack',
    'error: RPC failed; curl 28 Operation too slow. Less than 1 bytes/sec transferred the last 12 seconds\nfatal: protocol error: bad pack header',
  ],
  ['reset by SSH', 'client_loop: send disconnect: Broken pipe\nfatal: early EOF\nfatal: index-pack failed'],
])('a transfer that is %s is a network error and can be retried', (_, stderr) => {
  expect(failureOf(repository, stderr)).toMatchObject({ code: 'unreachable', retryable: true });
});

test('objects that Git rejects are an error of the repository, which a retry cannot fix', () => {
  const stderr = `error: object ${'a'.repeat(40)}: hasDotgit: contains '.git'\nfatal: fsck error in packed object\nfatal: fetch-pack: invalid index-pack output`;
  expect(failureOf(repository, stderr)).toMatchObject({ code: 'invalid', retryable: false });
});
