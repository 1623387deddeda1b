import { expect, test } from 'vitest';
import { byRole, byText, find, findOne, has, readRoots, readText, type Shown, textsOf } from './dom.ts';
import { islandSite } from './islands-site.ts';
import { renderBody } from './mdx-page.ts';
import { renderFiles, textOf } from './output.ts';

const HOOKS = `export const Counter = ({ start, children }) => {
  const [n, setN] = useState(start ?? 0);
  return <button onClick={() => setN(n + 1)}>{n}{children}</button>;
};\n\n`;

/** The script of the page's own islands. */
async function scriptOf(page: ReturnType<typeof renderBody>): Promise<string> {
  const asset = page.assets.find(({ path }) => /\/islands\/page-/.test(path));
  return asset === undefined ? '' : String(await asset.content());
}

const islandsOf = (html: string): readonly Shown[] => find(html, { tag: 'offprint-island' });
const HASH = /^[0-9a-f]{10}$/;
/** Attributes, children and text of each element, which is all that a view without components has. */
const viewOf = (element: Shown): unknown[] =>
  element.children.map(({ tag, attributes, text }) => ({ tag, attributes, text }));

const codes = (page: ReturnType<typeof renderBody>): string[] => page.warnings.map(({ code }) => code);

test('a component with state is an island around its first view', () => {
  const page = renderBody(`${HOOKS}<Counter start={3} />`);
  const [island, ...others] = readRoots(page.html);
  expect(others).toEqual([]);
  expect(island).toMatchObject({
    tag: 'offprint-island',
    attributes: { 'data-component': expect.stringMatching(HASH), 'data-props': '{"start":3}' },
  });
  expect(viewOf(island!)).toEqual([{ tag: 'button', attributes: {}, text: '3' }]);
  expect(page.assets.map(({ kind }) => kind)).toEqual(['script', 'script']);
  expect(page.warnings).toEqual([]);
});

test('what the interpreter can show stays plain HTML, and its page loads no script', () => {
  const page = renderBody(
    'export const Row = ({ a, children }) => <b title={a}>{children}</b>;\n\n<Row a="x">y</Row>',
  );
  expect(readRoots(page.html)).toMatchObject([
    { tag: 'b', attributes: { title: 'x' }, text: 'y', children: [] },
  ]);
  expect(page.assets).toEqual([]);
});

test.each([
  [
    'an event handler',
    'export const A = () => <button onClick={() => alert(1)}>x</button>;',
    ['button', 'x'],
  ],
  ['an effect', 'export const A = () => { useEffect(() => {}, []); return <i>x</i> };', ['i', 'x']],
  ['a reference', 'export const A = () => <i ref={(e) => e}>x</i>;', ['i', 'x']],
  [
    'HTML of its own',
    'export const A = () => <i dangerouslySetInnerHTML={{ __html: "<b>x</b>" }} />;',
    ['i', ''],
  ],
  [
    'React.useState',
    'export const A = () => { const [x] = React.useState(1); return <i>{x}</i> };',
    ['i', '1'],
  ],
  [
    'React by import',
    'import { useState as s } from "react"\nexport const A = () => { const [x] = s(() => 2); return <i>{x}</i> };',
    ['i', '2'],
  ],
  [
    'a reducer',
    'export const A = () => { const [x] = useReducer((s) => s, 4); return <i>{x}</i> };',
    ['i', '4'],
  ],
  ['a memo', 'export const A = () => { const x = useMemo(() => 5, []); return <i>{x}</i> };', ['i', '5']],
  ['a browser global', 'export const A = () => <i>{window.innerWidth}</i>;', null],
  ['a class', 'export class A extends React.Component { render() { return <i>x</i> } }', null],
  ['a global at the top', 'export const w = window.innerWidth;\nexport const A = () => <i>{w}</i>;', null],
])('%s makes an island', (_, code, view) => {
  const page = renderBody(`${code}\n\n<A />`);
  const [island, ...others] = readRoots(page.html);
  expect(others).toEqual([]);
  expect(island).toMatchObject({
    tag: 'offprint-island',
    attributes: { 'data-component': expect.stringMatching(HASH) },
    text: view?.[1] ?? '',
  });
  expect(viewOf(island!)).toEqual(view === null ? [] : [{ tag: view[0], attributes: {}, text: view[1] }]);
  expect(page.warnings).toEqual([]);
});

test('content is in the first view, or waits in a template where the view does not show it', () => {
  const box = `export const Box = ({ children, open }) => { const [on] = useState(open); return <div>{on && children}</div> };\n\n`;
  const content = { role: 'paragraph', has: { role: 'strong', text: 'a' } };
  const attributes = { 'data-slot': 'children' };
  const open = renderBody(`${box}<Box open>\n\n**a**\n\n</Box>`).html;
  expect(
    has(open, { ...content, within: { tag: 'offprint-slot', attributes, within: { tag: 'div' } } }),
  ).toBe(true);
  expect(has(open, { tag: 'template' })).toBe(false);
  const closed = renderBody(`${box}<Box>\n\n**a**\n\n</Box>`).html;
  expect(findOne(closed, { tag: 'div' }).children).toEqual([]);
  expect(has(closed, { ...content, within: { tag: 'template', attributes } })).toBe(true);
});

test('an island in the content of another one is an island; inside its view it is a part of it', () => {
  const outer = `${HOOKS}export const Outer = ({ children }) => { const [x] = useState(1); return <div>{x}<Counter />{children}</div> };\n\n`;
  const page = renderBody(`${outer}<Outer>\n<Counter start={7} />\n</Outer>`);
  const [around, inner, ...others] = islandsOf(page.html);
  expect(others).toEqual([]);
  expect(textsOf(around!, { role: 'button' })).toEqual(['0', '7']);
  expect(textsOf(inner!, { role: 'button' })).toEqual(['7']);
  expect(inner?.closest({ tag: 'offprint-slot' })).not.toBeNull();
  expect(findOne(around!, { tag: 'div' }).text).toMatch(/^1 ?0/);
});

test('text stays text, nodes become slots, and names that begin like one are escaped', () => {
  const page = renderBody(
    `export const A = (p) => { useState(); return null };\n\n<A a="</script>" b={[1, null, { $slot: "x", __proto__: 1 }]} c={<b>x</b>}>text</A>`,
  );
  const props = findOne(page.html, { tag: 'offprint-island' }).attributes['data-props'];
  expect(JSON.parse(props ?? '')).toMatchObject({
    a: '</script>',
    b: [1, null, { $$slot: 'x' }],
    c: { $slot: 'c' },
    children: 'text',
  });
  expect(has(page.html, { tag: 'script' })).toBe(false);
});

test('functions of the page are handed over by their source', async () => {
  const page = renderBody(
    `export const up = (s) => s.toUpperCase();\nexport const A = ({ f, onPick }) => { useState(); return <b onClick={onPick}>{f('x')}</b> };\n\n<A f={up} onPick={(e) => console.log(e)} />`,
  );
  const island = findOne(page.html, { tag: 'offprint-island' });
  expect(JSON.parse(island.attributes['data-props'] ?? '')).toMatchObject({
    f: { $code: expect.stringMatching(HASH) },
  });
  expect(viewOf(island)).toEqual([{ tag: 'b', attributes: {}, text: 'X' }]);
  expect(await scriptOf(page)).toContain('console.log');
});

test('event handlers of an element of the page are added to that element', async () => {
  const page = renderBody('<button onClick={() => console.log("hit")}>a</button>');
  const island = findOne(page.html, { tag: 'offprint-island' });
  expect(island.attributes).toMatchObject({
    'data-component': expect.stringMatching(HASH),
    'data-attach': '',
  });
  expect(viewOf(island)).toEqual([{ tag: 'button', attributes: {}, text: 'a' }]);
  expect(await scriptOf(page)).toContain('console.log');
});

test('an expression outside a component is never run in a browser to find out what it shows', () => {
  const page = renderBody('{window.location.href}\n\n{alert(1)}\n\n<div title={document.cookie}>x</div>');
  expect(readRoots(page.html)).toMatchObject([{ tag: 'div', attributes: {}, text: 'x' }]);
  expect(readText(page.html)).toBe('x');
  expect(page.assets).toEqual([]);
  expect(codes(page)).toEqual(
    ['client-component', 'client-component', 'client-component'].slice(0, codes(page).length),
  );
  expect(codes(page).length).toBeGreaterThan(1);
});

test('TypeScript is read, in the first view as in the script', async () => {
  const files = {
    'snippets/a.tsx': `import { twice } from './b';\ninterface P { n: number }\nexport const A = ({ n }: P) => { const [x] = useState<number>(twice(n)); return <i>{x as number}</i>; };`,
    'snippets/b.ts': 'export const twice = (n: number): number => n * 2;',
  };
  const page = renderBody('import { A } from "/snippets/a.tsx"\n\n<A n={4} />', { files });
  expect(textsOf(page.html, { tag: 'i' })).toEqual(['8']);
  expect(page.warnings).toEqual([]);
  expect(await scriptOf(page)).not.toMatch(/interface|: number/);
});

test('a script that does not parse is a warning with its line, and its content stays', () => {
  const files = { 'snippets/a.jsx': 'export const A = () => {\n  return <div>\n};\n' };
  const page = renderBody('import { A } from "/snippets/a.jsx"\n\n<A>kept</A>\n\nafter', { files });
  expect(readText(page.html)).toContain('kept');
  expect(byText(page.html, 'after')).toMatchObject([{ role: 'paragraph' }]);
  expect(page.warnings).toMatchObject([{ file: 'snippets/a.jsx', line: 3, code: 'invalid-module' }]);
});

test.each(['(', '[', '{', 'a=>', 'a?b:', '!', 'x as ', 'Array<', '<a>', 'keyof ', 'a='])(
  'a script that nests %s without end is refused before a native parser sees it',
  (part) => {
    const files = { 'snippets/a.tsx': `type T = 1;\nconst a = ${part.repeat(50_000)}` };
    const page = renderBody('import { A } from "/snippets/a.tsx"\n\n<A>kept</A>', { files });
    expect(page.html).toContain('kept');
    expect(codes(page)).toContain('invalid-module');
  },
);

test.each(['.b', '()', '[0]', '``', '?.c'])(
  'a chain of %s without end never reaches the bundler',
  async (part) => {
    const files = {
      'snippets/a.jsx': `const a = globalThis;\nexport const A = () => { useState(); return a${part.repeat(20_000)} };`,
    };
    const page = renderBody('import { A } from "/snippets/a.jsx"\n\n<A>kept</A>', { files });
    expect(await scriptOf(page)).not.toContain('mount');
    expect(page.html).toContain('kept');
    // Where the chain is longer than the stack of the interpreter, that gives up first.
    expect(['island-failed', 'invalid-expression']).toContain(codes(page)[0]);
    const inline = renderBody(`<button onClick={() => a${part.repeat(20_000)}}>kept</button>`);
    expect(await scriptOf(inline)).not.toContain('mount');
  },
);

test('packages are not there: their components show their content, and the rest of the script works', async () => {
  const page = renderBody(
    `import { Fancy } from "fancy-ui"\nimport remote from "https://evil.example/x.js"\n${HOOKS}export const A = () => { useState(); return <Fancy>{remote}</Fancy> };\n\n<A /><Counter />`,
  );
  expect(codes(page)).toEqual(['unresolved-import', 'unresolved-import']);
  const script = await scriptOf(page);
  expect(script).not.toMatch(/fancy-ui|evil\.example|\bimport\b|\brequire\(/);
  expect(script).toContain('offprintIslands.mount');
});

test('files outside the docs cannot be reached', async () => {
  const page = renderBody(
    `import x from "../../../../etc/passwd"\nimport y from "/etc/hostname"\n${HOOKS}export const A = () => { useState(); return <b>{x}{y}</b> };\n\n<A />`,
  );
  expect(await scriptOf(page)).not.toContain('root:');
  expect(codes(page)).toEqual(['unresolved-import', 'unresolved-import']);
});

test('an error that is found when the script is built is a warning with file and line', async () => {
  const files = {
    'snippets/a.jsx': 'const x = 1;\nexport const A = () => { useState(); return <b>x</b> };\nconst x = 2;\n',
  };
  const page = renderBody('import { A } from "/snippets/a.jsx"\n\n<A />', { files });
  const script = await scriptOf(page);
  expect(script).not.toContain('mount');
  expect(textsOf(page.html, { tag: 'b' })).toEqual(['x']);
  expect(page.warnings).toMatchObject([{ file: 'snippets/a.jsx', code: 'island-failed' }]);
});

test('pages with the same components share one script, whose name is known before it is made', () => {
  const files = { 'snippets/c.jsx': HOOKS };
  const path = (body: string, more = files): string =>
    renderBody(`import { Counter } from "/snippets/c.jsx"\n\n${body}`, { files: more }).assets.at(-1)?.path ??
    '';
  expect(path('<Counter />')).toBe(path('text\n\n<Counter start={4} />'));
  expect(path('<Counter />')).not.toBe(
    path('<Counter />', { 'snippets/c.jsx': HOOKS.replace('n + 1', 'n + 2') }),
  );
});

test('data that shares its parts does not grow without end', () => {
  let source = 'export const A = (p) => { useState(); return null };\nexport const l0 = [1, 2];\n';
  for (let level = 1; level < 30; level++)
    source += `export const l${level} = [l${level - 1}, l${level - 1}];\n`;
  const page = renderBody(`${source}\n<A data={l29} />\n\nafter`);
  expect(page.html.length).toBeLessThan(10_000_000);
});

test('a site is exported with its islands, twice to the same bytes', async () => {
  const once = await renderFiles(islandSite());
  const again = await renderFiles(islandSite());
  expect(once.result.warnings).toEqual([]);
  expect([...again.files]).toEqual([...once.files]);
  const scripts = [...once.files.keys()].filter((path) => /_offprint\/islands\//.test(path));
  expect(scripts).toHaveLength(3);
  expect(textOf(once, 'plain.html')).not.toContain('island');
  for (const path of scripts) expect(textOf(once, path)).not.toMatch(/\beval\(|new Function|\bimport\(/);
});

test('the Markdown twin and the plain text hold what a component hides at first', () => {
  const page = renderBody(
    'export const Box = ({ children }) => { const [on] = useState(false); return <div><button>open</button>{on && children}</div> };\n\nA <Box>inside **b**</Box> c\n\n<Box>\n\n## Deep\n\ntext\n\n</Box>',
  );
  expect(page.markdown).toContain('## Deep\n\ntext');
  expect(page.markdown).toMatch(/^A .*inside \*\*b\*\*.* c$/m);
});

test('scripts that components import are not files of the site, in any folder', async () => {
  const { files, result } = await renderFiles({
    'docs.json':
      '{"theme":"mint","name":"x","colors":{"primary":"#166e3f"},"navigation":{"pages":["index"]}}',
    'index.mdx': 'import { A } from "/parts/a.jsx"\n\n<A />\n',
    'parts/a.jsx':
      'import { b } from "./b";\nimport { c } from "./c.ts";\nexport const A = () => { useState(); return <Nowhere><i>{b}{c}</i></Nowhere> };\n',
    'parts/b.js': 'export const b = 1;\n',
    'parts/c.ts': 'export const c: number = 2;\n',
    'every-page.js': 'window.seen = true;\n',
  });
  expect(
    [...files.keys()].filter((path) => /\.[jt]sx?$/.test(path) && !path.startsWith('_offprint/')),
  ).toEqual(['every-page.js']);
  expect(result.warnings.map(({ code }) => code)).toEqual(['unknown-component']);
  expect(textsOf(String(files.get('index.html')), { tag: 'i' })).toEqual(['12']);
});

test('a built-in component that only the browser may show is not reported: the browser has its definition', () => {
  const page = renderBody(
    'export const A = () => { const [list] = useState([]); return <Note>{list.map((it) => <CodeGroup key={it}>{it}</CodeGroup>)}</Note> };\n\n<A />',
  );
  expect(page.warnings).toEqual([]);
});

test('built-in components in a first view are marked for the browser, and those in content of the page are not', () => {
  const box =
    'export const A = ({ children }) => { useState(); return <Note title="t">a {children}</Note> };\n\n';
  const page = renderBody(`${box}<A>\n\n<Tip>x</Tip>\n\n</A>`);
  const island = findOne(page.html, { tag: 'offprint-island', attributes: { 'data-view': '1' } });
  // A comment in front of an element or a text names its place for the script.
  expect(island.comments).toEqual([expect.stringMatching(/^v2 1 \w+ Note$/), '/v2']);
  const note = findOne(island, { role: 'note', component: 'Note' });
  expect(island.children).toEqual([note]);
  expect(find(note, { part: 'callout-content' }).flatMap(({ comments }) => comments)).toEqual([
    expect.stringMatching(/^c2 /),
    '/c2',
  ]);
  const slot = findOne(note, { tag: 'offprint-slot', attributes: { 'data-slot': 'children' } });
  expect(slot.children).toMatchObject([{ component: 'Tip', comments: [] }]);
  expect(find(slot, {}).flatMap(({ comments }) => comments)).toEqual([]);
  const plain = find(renderBody('<Note>x</Note>').html, {});
  expect(plain.flatMap(({ comments }) => comments)).toEqual([]);
});

test('content that each component shows twice does not multiply without end', () => {
  const twice = 'export const A = ({ children }) => { useState(); return <b>{children}{children}</b> };\n\n';
  const page = renderBody(`${twice}${'<A>'.repeat(40)}x${'</A>'.repeat(40)}\n\nafter`);
  expect(page.html.length).toBeLessThan(1_000_000);
  expect(page.html).toContain('after');
});

test('elements that other views of a component have wait in a template, and take nothing of the page', () => {
  const page = renderBody(
    [
      'export const A = ({ children }) => {',
      '  const [open, setOpen] = useState(false);',
      '  if (open) return <Steps><Step title="Install">a {children}</Step></Steps>;',
      '  return <div>{open ? null : <Note>x</Note>}<Panel>side</Panel></div>;',
      '};\n\n<A>**content**</A>\n\n## Install\n\n<View title="One">v</View>',
    ].join('\n'),
  );
  const island = findOne(page.html, { tag: 'offprint-island' });
  const hidden = findOne(island, { tag: 'template', attributes: { 'data-views': true } });
  expect(byRole(island, 'note').map((note) => note.closest({ tag: 'template' }))).toEqual([null]);
  expect(hidden.comments[0]).toMatch(/^v\d+ 0 \w+ Steps$/);
  expect(hidden.children[0]).toMatchObject({ role: 'list', component: 'Steps' });
  expect(byRole(hidden, 'strong')).toEqual([]);
  expect(textsOf(page.html, { role: 'strong' })).toEqual(['content']);
  expect(find(page.html, { role: 'heading', level: 2, id: 'install' })).toHaveLength(1);
  expect(page.toc.map(({ id }) => id)).toEqual(['install']);
  expect(page.warnings).toEqual([]);
});

test('views of a component that never ends are searched within a limit', () => {
  const conditions = Array.from(
    { length: 2000 },
    (_, at) => `{n === ${at + 1} && <Card title="${at}">x</Card>}`,
  );
  const page = renderBody(
    `export const A = () => { const [n] = useState(0); return <div>${conditions.join('')}</div> };\n\n${'<A />\n\n'.repeat(50)}\n\nafter`,
  );
  const marks = find(page.html, {}).flatMap(({ comments }) => comments);
  expect(marks.filter((text) => text.startsWith('v')).length).toBeLessThan(5000);
  expect(page.html).toContain('after');
  expect(page.warnings).toEqual([]);
});

test('what a view needs that may never be shown is not reported', () => {
  const page = renderBody(
    'export const A = ({ name }) => { const [on] = useState(false); return <div>{on && <Card title="x" href={"/no/" + name} img="/none.png">y</Card>}</div> };\n\n<A />',
  );
  expect(has(page.html, { tag: 'template', attributes: { 'data-views': true } })).toBe(true);
  expect(page.warnings).toEqual([]);
  expect(page.links).toEqual([]);
});
