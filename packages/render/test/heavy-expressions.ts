import fc from 'fast-check';
import { builtIns } from '../src/mdx/evaluate/built-ins.ts';

/** Expressions of all kinds that the interpreter knows, with sizes up to its limits, as source text. */

const textNames = Object.keys(builtIns.text);
const listNames = Object.keys(builtIns.list);
const numberNames = Object.keys(builtIns.number);
const globalNames = Object.keys(builtIns.globals);
const memberNames = Object.entries(builtIns.members).flatMap(([owner, functions]) =>
  Object.keys(functions ?? {}).map((key) => `${owner}.${key}`),
);

const size = fc.constantFrom(0, 1, 2, 17, 300, 5000, 9999, 100_000, 999_999);
const name = fc.constantFrom('a', 'b', 'x', 'i');
const tag = fc.constantFrom(
  'b',
  'div',
  'table',
  'Card',
  'Steps',
  'Step',
  'Accordion',
  'Tabs',
  'Tab',
  'Note',
  'CodeBlock',
);
const literal = fc.constantFrom(
  '"a"',
  '"`x` *y* [z](/z)"',
  '"éΐ"',
  '"%C3%A9"',
  '","',
  '""',
  '1e308',
  '0.1',
  '7',
  '-1',
  'true',
  'null',
  'undefined',
);

export const heavyExpression: fc.Arbitrary<string> = fc.letrec<{ any: string; call: string; loop: string }>(
  (tie) => ({
    any: fc.oneof({ maxDepth: 6, depthSize: 'small' }, literal, name, tie('call'), tie('loop')),
    call: fc.oneof(
      { maxDepth: 6, depthSize: 'small' },
      literal,
      fc.tuple(literal, size).map(([text, count]) => `${text}.repeat(${count})`),
      size.map((count) => `Array(${Math.min(count, 9999)}).fill(a)`),
      fc.tuple(size, tie('any')).map(([count, item]) => `Array.from({length: ${count}}, (x, i) => ${item})`),
      fc
        .tuple(
          tie('any'),
          fc.constantFrom(...textNames, ...listNames, ...numberNames),
          tie('any'),
          tie('any'),
        )
        .map(([owner, key, one, two]) => `(${owner}).${key}(${one}, ${two})`),
      fc
        .tuple(tie('any'), fc.constantFrom(...listNames), tie('any'))
        .map(([owner, key, body]) => `(${owner}).${key}((x, i) => ${body})`),
      fc
        .tuple(fc.constantFrom(...globalNames, ...memberNames), tie('any'), tie('any'))
        .map(([called, one, two]) => `${called}(${one}, ${two})`),
      fc
        .tuple(tie('any'), fc.constantFrom('+', '-', '*', '===', '<', '==', '&&', '??'), tie('any'))
        .map(([left, operator, right]) => `((${left}) ${operator} (${right}))`),
      fc.tuple(tie('any'), tie('any')).map((parts) => `\`${parts.map((part) => `\${${part}}`).join('-')}\``),
      fc.tuple(tie('any'), tie('any')).map(([one, two]) => `[...[${one}].flat(), ${two}]`),
      fc.tuple(tie('any'), tie('any')).map(([one, two]) => `({ ...{ k: ${one} }, [${two}]: ${one} })`),
      fc.tuple(tie('any'), tie('any')).map(([owner, key]) => `(${owner})?.[${key}]`),
      fc
        .tuple(tag, tie('any'), tie('any'))
        .map(([element, prop, child]) => `<${element} title={${prop}}>{${child}}</${element}>`),
    ),
    loop: fc.oneof(
      { maxDepth: 6, depthSize: 'small' },
      fc
        .tuple(size, tie('any'), tie('any'))
        .map(
          ([count, start, step]) =>
            `((b) => { let a = ${start}; for (let i = 0; i < ${count}; i++) { a = ${step}; } return a; })(1)`,
        ),
      fc
        .tuple(tag, size)
        .map(
          ([element, count]) =>
            `(() => { let a = <${element} title="t">x</${element}>; for (let i = 0; i < ${count}; i++) a = <${element} title={a}>{a}{a}</${element}>; return a; })()`,
        ),
      fc
        .tuple(tie('any'), tie('any'))
        .map(
          ([leaf, joined]) =>
            `(() => { const f = (i) => (i < 1 ? ${leaf} : [f(i - 1), f(i - 1), ${joined}]); return f(25); })()`,
        ),
      fc
        .tuple(tie('any'), tie('any'))
        .map(
          ([items, body]) => `(() => { let b = ""; for (const x of ${items}) { b = ${body}; } return b; })()`,
        ),
      fc
        .tuple(tie('any'), tie('any'))
        .map(
          ([one, two]) =>
            `(() => { let x = ${one}; while (true) { switch (x) { case ${two}: return x; default: x = x + x; } } })()`,
        ),
    ),
  }),
).any;

/** A page that shows an expression as content and as a prop. */
export function pageOf(expression: string): string {
  return `export const a = "a";\nexport const b = [1, 2];\nexport const x = "x";\nexport const i = 3;\n\n{${expression}}\n\n<Card title={${expression}}>end</Card>\n`;
}
