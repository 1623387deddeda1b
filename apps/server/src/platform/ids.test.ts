import { expect, test } from 'vitest';
import { newId } from './ids.ts';

test('an id is its prefix and 32 hexadecimal digits, and no two are the same', () => {
  const ids = Array.from({ length: 1000 }, () => newId('se'));
  for (const id of ids) expect(id).toMatch(/^se_[0-9a-f]{32}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
