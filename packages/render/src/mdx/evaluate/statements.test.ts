import { describe, expect, test } from 'vitest';
import { renderBody } from '../../../test/mdx-page.ts';

function run(body: string, call = 'f()'): { text: string; codes: string[] } {
  const page = renderBody(`export const f = (n = 3, ...rest) => {\n${body}\n};\n\nIt is {${call}}.\n`);
  return {
    text: page.html.replace(/<[^>]*>/g, '').trim(),
    codes: page.warnings.map((warning) => warning.code),
  };
}

describe('components of a page are interpreted with', () => {
  test.each([
    [
      'switch',
      'switch (n) { case 1: return "one"; case 3: { const x = "three"; return x; } default: return "?"; }',
      'three',
    ],
    [
      'switch that falls through',
      'let t = ""; switch (n) { case 3: t += "a"; case 4: t += "b"; break; case 5: t += "c"; } return t;',
      'ab',
    ],
    ['default of a switch', 'switch (n) { case "3": return 1; default: return "other"; }', 'other'],
    ['for', 'let t = ""; for (let i = 0; i < n; i++) { if (i === 1) continue; t += i; } return t;', '02'],
    [
      'for of with break',
      'let t = ""; for (const [k, v] of [["a", 1], ["b", 2], ["c", 3]]) { if (v > 2) break; t += k; } return t;',
      'ab',
    ],
    ['for in', 'let t = ""; for (const key in { a: 1, b: 2 }) t += key; return t;', 'ab'],
    ['while', 'let i = n; let t = ""; while (i > 0) { t += i--; } return t;', '321'],
    [
      'functions made in a loop',
      'const list = []; for (let i = 0; i < 3; i++) list.push(() => i); return list.map((g) => g()).join();',
      '0,1,2',
    ],
    ['return out of a loop', 'for (;;) { for (const x of [1, 2]) { if (x === 2) return "out"; } }', 'out'],
    ['String.raw', 'return String.raw`a\\nb`;', 'a\\nb'],
    [
      'optional chaining and defaults',
      'const { a: { b = 5 } = {}, ...others } = { c: 1 }; return [b, others.c, rest?.[0]?.x ?? "-"].join("");',
      '51-',
    ],
  ])('%s', (_, body, expected) => {
    expect(run(body)).toEqual({ text: `It is ${expected}.`, codes: [] });
  });

  test.each(['while (true) {}', 'for (;;) {}', 'let i = 0; while (i < 1e12) i++;'])(
    'loops that never end stop at a budget: %s',
    (body) => {
      expect(run(body).codes).toEqual(['expression-too-large']);
    },
  );

  test('labels, other tags and regular expressions are left out by name', () => {
    for (const body of ['a: for (;;) break a;', 'return tag`x`;', 'return "a".replace(/a/, "b");'])
      expect(run(body).codes).toHaveLength(1);
  });
});
