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
