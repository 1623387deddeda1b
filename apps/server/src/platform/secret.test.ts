import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deriveKey, seal, unseal } from './secret.ts';

const key = deriveKey('a root secret', 'test');

test('what is sealed opens again, in its context and under its key only', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, context) => {
      const sealed = seal(key, text, context);
      expect(unseal(key, sealed, context)).toBe(text);
      expect(() => unseal(key, sealed, `${context}x`)).toThrow();
      expect(() => unseal(deriveKey('another', 'test'), sealed, context)).toThrow();
    }),
  );
});

test('a sealed text with any byte changed does not open', () => {
  const sealed = seal(key, 'token', 'project');
  for (let at = 0; at < sealed.length; at++) {
    const bad = Buffer.from(sealed);
    bad[at]! ^= 1;
    expect(() => unseal(key, bad, 'project')).toThrow();
  }
});

test('keys of two purposes have nothing in common, and each is always the same', () => {
  expect(deriveKey('s', 'a').equals(deriveKey('s', 'b'))).toBe(false);
  expect(deriveKey('s', 'a').equals(deriveKey('s', 'a'))).toBe(true);
  expect(deriveKey('s', 'a')).toHaveLength(32);
});
