import { expect, test } from 'vitest';
import { readAnswer } from './summary.ts';

test('a line that is none of the contract becomes none', () => {
  const fault = { file: 'index.mdx', line: 0, code: 'broken-link', message: 'No page.' };
  expect(readAnswer({ status: 'refused', fault })).toEqual({
    status: 'refused',
    fault: { ...fault, line: null },
  });
});
