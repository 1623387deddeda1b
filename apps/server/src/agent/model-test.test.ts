import { expect, test } from 'vitest';
import { createTestSlots } from './model-test.ts';

const refused = (text: string) => ({ code: 'rate_limited', message: expect.stringContaining(text) });

test('one test of an organization runs at a time, and others do not wait for it', async () => {
  const inSlot = createTestSlots();
  let end = (): void => undefined;
  const first = inSlot('a', () => new Promise<void>((resolve) => (end = resolve)));
  await expect(inSlot('a', async () => 1)).rejects.toMatchObject(refused('already running'));
  expect(await inSlot('b', async () => 2)).toBe(2);
  end();
  await first;
  expect(await inSlot('a', async () => 3), 'a slot is free after its test').toBe(3);
});

test('a test that fails frees its slot', async () => {
  const inSlot = createTestSlots();
  await expect(inSlot('a', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect(await inSlot('a', async () => 1)).toBe(1);
});

test('an organization has few tests a minute, since the operator may pay for them', async () => {
  const inSlot = createTestSlots();
  for (let count = 0; count < 5; count++) await inSlot('a', async () => count);
  await expect(inSlot('a', async () => 6)).rejects.toMatchObject(refused('per minute'));
});
