import { expect, test } from 'vitest';
import { createRandom } from '../../../test/support/random.ts';
import { parseInPieces } from './json-pieces.ts';
import { formatManifest, type ManifestHead, parseManifest, parseManifestInTurns } from './manifest.ts';

const limits = { values: 10_000, depth: 100, textUnits: 10_000 };

/** What the pieces are together; undefined: not JSON. */
function joined(text: string, piece: number): unknown {
  try {
    const steps = parseInPieces(text, limits, { piece });
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    const { root, itemsOf, others } = step.value;
    const whole = (value: unknown): unknown => {
      const items = itemsOf(value);
      return items === null ? value : [...items].flat(1);
    };
    const isPlain = typeof root !== 'object' || root === null;
    const result = isPlain
      ? root
      : Array.isArray(root)
        ? root.map(whole)
        : Object.fromEntries(Object.entries(root).map(([name, value]) => [name, whole(value)]));
    for (const _ of others());
    return result;
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

test('pieces are together what the whole text is, and not JSON if it is not: 40,000 damaged texts', () => {
  const random = createRandom(7);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const atoms = ['1', '-2.5', 'null', 'true', '"a,b]"', '"\\"[{"', '"\\\\"', '"é\\u005d"', '""'];
  const write = (depth: number): string => {
    const kind = depth === 0 ? 0 : random();
    if (kind < 0.4) return pick(atoms);
    const items = Array.from({ length: Math.floor(random() * 6) }, () => write(depth - 1));
    const space = pick(['', ' ', '\n']);
    if (kind < 0.75) return `[${items.join(`,${space}`)}]`;
    return `{${items.map((item) => `${pick(['"a"', '"b"', '"c"'])}:${space}${item}`).join(',')}}`;
  };
  const signs = [...'[]{},:"\\ 1'];
  let valid = 0;
  for (let round = 0; round < 40_000; round++) {
    let text = `{"files":${write(3)},"more":${write(3)},"files":${write(2)}}`;
    for (let change = Math.floor(random() * 3); change > 0; change--) {
      const at = Math.floor(random() * text.length);
      text = text.slice(0, at) + pick(['', pick(signs)]) + text.slice(at + pick([0, 1]));
    }
    const expected = parsed(text);
    if (expected !== undefined) valid += 1;
    expect(joined(text, pick([1, 4, 12])), text).toEqual(expected);
  }
  // otherwise nothing but errors would be compared
  expect(valid).toBeGreaterThan(8_000);
  expect(valid).toBeLessThan(32_000);
});

test('two commas without an item between them are not JSON where a list is divided', () => {
  for (const text of [
    '{"a":[1111,,2222]}',
    '{"a":[1111,2222,]}',
    '{"a":[,1111,2222]}',
    '{"a":[1111, ,2222]}',
  ])
    expect(joined(text, 2), text).toBeUndefined();
  expect(joined('{"a":[      ]}', 2)).toEqual({ a: [] });
});

const head: ManifestHead = {
  site: { domain: 'docs.example.com', name: 'Docs', url: 'https://docs.example.com' },
  version: '1',
  commit: null,
  renderer: { name: 'offprint', version: '0.1.0' },
  redirects: Array.from({ length: 5_000 }, (_, number) => ({
    source: `/old/${number}`,
    destination: `/new/${number}`,
    permanent: true,
  })),
  features: {},
};
const files = Array.from({ length: 20_000 }, (_, number) => ({
  path: `guides/page-${number}/index.html`,
  sha256: 'a'.repeat(64),
  size: number,
  contentType: 'text/html; charset=utf-8',
}));

test('a long manifest is read between other work, with the same result', async () => {
  const text = formatManifest(head, files);
  let turns = 0;
  let isRunning = true;
  const count = (): void => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  const manifest = await parseManifestInTurns(text);
  isRunning = false;
  expect(manifest).toEqual({ ...head, formatVersion: 1, files });
  expect(parseManifest(text)).toEqual(manifest);
  // at least one turn for each 250,000 characters
  expect(turns).toBeGreaterThan(text.length / 250_000);
});

test('what is wrong far inside of a long list is found, with its place', async () => {
  const wrong = files.map((file, number) => (number === 17_000 ? { ...file, sha256: 'A' } : file));
  await expect(parseManifestInTurns(formatManifest(head, wrong))).rejects.toMatchObject({
    code: 'manifest_invalid',
    message: expect.stringContaining('files[17000].sha256'),
  });
  const twice = [...files, files[3]!];
  await expect(parseManifestInTurns(formatManifest(head, twice))).rejects.toMatchObject({
    code: 'path_collision',
  });
});

test('a long list is accepted only where a list belongs', () => {
  const long = JSON.stringify(Array.from({ length: 100_000 }, () => 'x'));
  const text = formatManifest(head, []);
  for (const [field, at] of [
    ['"version":"1"', 'version'],
    ['"features":{}', 'features'],
    ['"commit":null', 'commit'],
  ] as const) {
    const changed = text.replace(field, `"${at}":${long}`);
    expect(() => parseManifest(changed), at).toThrow(at);
  }
  expect(() => parseManifest(text.replace('"files":[]', `"files":{"a":${long}}`))).toThrow('is not a list');
});

test('what is beside the lists is limited, because it is parsed at once', () => {
  const rest = `{"formatVersion":1,${'"a":"aaaaaaaa",'.repeat(600_000)}"b":1}`;
  expect(() => parseManifest(rest)).toThrow('beside its lists');
});
