import { expect, test } from 'vitest';
import { systemErrorText } from './system-error.ts';

const error = (code: string, syscall: string) =>
  Object.assign(new Error(code), { code, syscall, path: '/docs' });

test.each([
  ['ENOSPC', 'watch', /fs\.inotify\.max_user_watches/],
  ['EMFILE', 'watch', /fs\.inotify\.max_user_instances/],
  ['ENOSPC', 'write', /^No space left on the disk for \/docs\./],
  ['EMFILE', 'open', /^Too many open files\./],
  ['ENOENT', 'mkdir', /^No folder can be created there: \/docs\. Choose another folder\.$/],
  ['EEXIST', 'mkdir', /^This is a file, not a folder: \/docs\. Choose another folder\.$/],
  ['ENFILE', 'open', /^Too many open files\./],
])('%s of %s names the place or what is used up, and the way out', (code, syscall, text) => {
  expect(systemErrorText(error(code, syscall))).toMatch(text);
});

test('an error that is not of the system has no such text', () => {
  expect(systemErrorText(new Error('EMFILE'))).toBeNull();
});
