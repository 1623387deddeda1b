import { describe, expect, test } from 'vitest';
import { textsOf } from '../../../test/dom.ts';
import { renderBody } from '../../../test/mdx-page.ts';
import type { Value } from '../../tree.ts';
import { type BuiltIn, invoke } from '../evaluate/built-in.ts';
import { builtIns } from '../evaluate/built-ins.ts';
import { binary } from '../evaluate/operators.ts';
import { type Run, type RunHost, startRun } from '../evaluate/run.ts';
import { emptyObject, makeFunction, Refusal } from '../evaluate/values.ts';
import { maxSteps } from './work.ts';

/** Built-in functions ask nothing of it. */
const host: RunHost = {
  evaluate: () => undefined,
  parseMdx: () => [],
  callComponent: () => [],
  expandSnippet: () => [],
  aside: () => {},
  report: () => {},
};

/** Steps that a call takes. */
function stepsOf(call: (meter: Run) => unknown): number {
  const meter = startRun(host, Number.MAX_SAFE_INTEGER, 0);
  try {
    call(meter);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return Number.MAX_SAFE_INTEGER - meter.steps;
}

const identity = makeFunction(([value]) => value);
const record = (size: number): Value => {
  const result = emptyObject();
  for (let at = 0; at < size; at++) result[`k${at}`] = at;
  return result;
};
const list = (size: number): Value[] => Array.from({ length: size }, (_, at) => `item ${at}`);
const text = (size: number): string => 'ab'.repeat(size / 2);

/** Arguments of which at least one makes the work of a function grow. */
const inputs: ((size: number) => Value[])[] = [
  (size) => [text(size), 'b'],
  (size) => ['b', text(size)],
  (size) => [list(size), identity],
  (size) => [list(size).map((key) => [key, 1])],
  (size) => [record(size)],
  () => [identity],
  (size) => [size],
  () => ['b', 'c'],
  () => [],
  (size) => Array(size).fill(1),
];

/** Whose work does not depend on a size. */
const constant = new Set(['Array.isArray', 'Number.isInteger', 'Boolean']);

const all: [name: string, builtIn: BuiltIn<never>, owner: (size: number) => Value][] = [
  ...Object.entries(builtIns.text).map(([key, one]): (typeof all)[number] => [
    `text.${key}`,
    one as BuiltIn<never>,
    text,
  ]),
  ...Object.entries(builtIns.list).map(([key, one]): (typeof all)[number] => [
    `list.${key}`,
    one as BuiltIn<never>,
    list,
  ]),
  ...Object.entries(builtIns.number).map(([key, one]): (typeof all)[number] => [
    `number.${key}`,
    one as BuiltIn<never>,
    () => 0.1,
  ]),
  ...Object.entries(builtIns.globals).map(([key, one]): (typeof all)[number] => [
    key,
    one as BuiltIn<never>,
    () => undefined,
  ]),
  ...Object.entries(builtIns.members).flatMap(([name, functions]) =>
    Object.entries(functions ?? {}).map(([key, one]): (typeof all)[number] => [
      `${name}.${key}`,
      one as BuiltIn<never>,
      () => undefined,
    ]),
  ),
];

describe('every built-in function is charged by the size of what it reads and creates', () => {
  test.each(all)('%s', (name, builtIn, owner) => {
    const growth = inputs.map((args) => {
      const [small, large] = [900, 9000].map((size) =>
        stepsOf((meter) =>
          invoke(builtIn, { owner: owner(size) as never, args: args(size), meter, offset: 0 }),
        ),
      );
      return (large ?? 0) / Math.max(1, small ?? 0);
    });
    expect({ name, grows: Math.max(...growth) >= 4 }).toEqual({ name, grows: !constant.has(name) });
  });

  test('and operators too', () => {
    const long = text(100_000);
    const copy = [...long].join('');
    for (const operator of ['+', '===', '!==', '==', '<', '>=', '-'])
      expect([operator, stepsOf((meter) => binary(operator, long, copy, meter, 0)) >= 100]).toEqual([
        operator,
        true,
      ]);
  });
});

describe('work is refused before it is done', () => {
  test.each([
    [
      'a search that compares all of a long text at each character',
      '"a".repeat(999999).lastIndexOf("a".repeat(499999) + "b")',
    ],
    ['the same from the start', '"a".repeat(999999).includes("a".repeat(499999) + "b")'],
    ['a split by a long text', '"a".repeat(999999).split("a".repeat(499999) + "b").length'],
    ['a replacement of a long text', '"a".repeat(999999).replaceAll("a".repeat(99999) + "b", "")'],
    [
      'texts of a list compared with a long one',
      'Array(9999).fill("a".repeat(999999)).includes("a".repeat(999998) + "b")',
    ],
    [
      'conversions in a loop',
      '(() => { const a = "é".repeat(999999); let b = 0; for (;;) b = a.toUpperCase().length; })()',
    ],
    ['copies in a loop', '(() => { let a = "a".repeat(900000); for (;;) a = (a + "b").slice(1); })()'],
    [
      'comparisons in a loop',
      '(() => { const a = "a".repeat(900000) + "b"; const b = "a".repeat(900000) + "b"; let c; for (;;) c = a === b; })()',
    ],
    [
      'characters of a text in a loop',
      '(() => { const a = "a".repeat(999999); for (;;) for (const b of a) break; })()',
    ],
    [
      'names that each round of a loop copies',
      `(() => { for (let ${Array.from({ length: 5000 }, (_, at) => `a${at} = 0`).join()}; ; ); })()`,
    ],
    [
      'lists in lists',
      '(() => { let a = ["x"]; for (let i = 0; i < 40; i++) a = [a, a]; return a.join(); })()',
    ],
    [
      'elements in elements',
      '(() => { let a = <b>x</b>; for (let i = 0; i < 40; i++) a = <i>{a}{a}</i>; return a; })()',
    ],
    [
      'elements in props of elements',
      '(() => { let a = "x"; for (let i = 0; i < 40; i++) a = <Card title={[a, a]} />; return a; })()',
    ],
    [
      'one large element many times',
      '(() => { const a = <p>{Array(9999).fill(<b>x</b>)}</p>; return Array(9999).fill(a); })()',
    ],
  ])('%s', (_, expression) => {
    const page = renderBody(`{${expression}}\n\n{1 + 1}\n\nafter`);
    expect(page.warnings).toEqual([
      expect.objectContaining({
        code: 'expression-too-large',
        file: 'docs/page.mdx',
        line: 1,
        message: expect.stringMatching(/is left out: .*(?:steps|more than 1000000)/),
      }),
    ]);
    expect(textsOf(page.html, { role: 'paragraph' })).toContain('after');
    expect(page.html.length).toBeLessThan(1000);
  });

  test('the limit is reported once, with its number', () => {
    const page = renderBody('{(() => { for (;;); })()}\n\n{1 + 1}\n\n<b title={1 + 2}>a</b>\n');
    expect(page.warnings.map(({ message }) => message)).toEqual([
      `\`{(() => { for (;;); })()}\` is left out: the expressions of the page docs/page.mdx take more than ${maxSteps} steps, so those of the page after it are left out too. Use shorter lists and texts, or write the content as Markdown.`,
    ]);
  });
});

test('ordinary lists, texts and components stay far below the limit', () => {
  const page = renderBody(
    'export const Row = ({ name, tags }) => <tr><td>{name.toUpperCase()}</td><td>{tags.map((t) => <code>{t}</code>)}</td></tr>;\n\n' +
      '{Array.from({ length: 1000 }, (_, i) => <Row name={"item " + i} tags={["a", "b", String(i)].sort()} />)}\n\n' +
      '{(() => { const out = []; for (let i = 0; i < 5000; i++) out.push("x" + i); return out.join(", "); })()}\n',
  );
  expect(page.warnings).toEqual([]);
  expect(page.html).toContain('ITEM 999');
  expect(page.html).toContain('x4999');
});
