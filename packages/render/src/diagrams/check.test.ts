import { expect, test } from 'vitest';
import { checkSite, withDiagrams } from '../check/check-site.ts';
import { memorySource } from '../source.ts';

/** Place and message of the findings about diagrams of a site with this page and files. */
async function check(page: string, files: Record<string, string> = {}) {
  const docs = JSON.stringify({ name: 'Site', navigation: { pages: ['index'] } });
  const source = memorySource({ 'docs.json': docs, 'index.mdx': page, ...files });
  const { findings } = await withDiagrams(checkSite(source));
  return findings
    .filter(({ code }) => code === 'invalid-diagram')
    .map(({ file, line, severity, message }) => [`${file}:${line} ${severity}`, message]);
}

const fence = (text: string): string => `\`\`\`mermaid\n${text}\n\`\`\`\n`;

test('a diagram with a syntax error is reported with its place and the words of Mermaid', async () => {
  expect(await check(`Text.\n\n${fence('sequenceDiagram\n  A->B->C')}`)).toEqual([
    [
      'index.mdx:3 error',
      "Mermaid cannot draw the diagram, so readers see its source text. Correct it: Parse error on line 2: ...quenceDiagram A->B->C Expecting 'TXT', got 'SOLID_OPEN_ARROW'",
    ],
  ]);
});

test.each([
  ['flowchart', 'flowchart LR\n  A["<b>x</b>"] --> B{y}\n  click A "https://example.com"'],
  ['sequence', 'sequenceDiagram\n  A->>B: hi\n  Note over A: x'],
  ['class', 'classDiagram\n  class A {\n    +int x\n  }'],
  ['state', 'stateDiagram-v2\n  [*] --> A\n  note right of A : x'],
  ['entity relationship', 'erDiagram\n  A ||--o{ B : has'],
  ['gantt', 'gantt\n  title x\n  section a\n  t :a1, 2024-01-01, 3d'],
  ['pie', 'pie title x\n  "a" : 3'],
  ['mindmap', 'mindmap\n  root\n    a'],
  ['journey', 'journey\n  title x\n  section a\n    b: 3: me'],
  ['git', 'gitGraph\n  commit\n  branch x'],
  ['C4', 'C4Context\n  title x\n  Person(a, "b")'],
  ['timeline', 'timeline\n  2020 : x'],
  ['quadrant', 'quadrantChart\n  x-axis a --> b\n  Point: [0.3, 0.6]'],
  ['XY', 'xychart-beta\n  line [1, 2]'],
  ['block', 'block-beta\n  a b'],
  ['architecture', 'architecture-beta\n  group api(cloud)[API]'],
  ['packet', 'packet-beta\n0-15: "x"'],
  ['with settings', '---\ntitle: x\n---\n%%{init: {"theme": "dark"}}%%\n%% comment\ngraph TD\n  A --> B'],
])('a valid diagram (%s) is not reported', async (_, text) => {
  expect(await check(fence(text))).toEqual([]);
});

test('a diagram of a component and of a snippet have their places', async () => {
  const page = `import One from '/snippets/one.mdx'\n\n<Mermaid chart="nonsense" />\n\n<One />\n`;
  const found = await check(page, { 'snippets/one.mdx': `Text.\n\n${fence('graph TD\n  A --')}` });
  expect(found.map(([place]) => place)).toEqual(['index.mdx:3 error', 'snippets/one.mdx:3 error']);
});

test('a diagram of an API description names its file', async () => {
  const openapi = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'API', version: '1' },
    paths: { '/things': { get: { description: fence('graph TD\n  A --'), responses: {} } } },
  });
  const docs = { name: 'Site', navigation: { groups: [{ group: 'API', openapi: 'openapi.json' }] } };
  const found = await check('Text.', { 'docs.json': JSON.stringify(docs), 'openapi.json': openapi });
  expect(found.map(([place]) => place)).toEqual(['openapi.json:null error']);
});

test('a text that is too long for a diagram is not read, and long messages are cut', async () => {
  expect(await check(fence(`graph TD\n${'  A --> B\n'.repeat(6_000)}  A --`))).toEqual([]);
  const [[, message = ''] = []] = await check(fence(`graph TD\n  A[${'x'.repeat(2_000)} --> B`));
  expect(message).toMatch(/^Mermaid cannot draw/);
  expect(message.length).toBeLessThan(400);
});

test('a diagram with thousands of nested blocks is not read but reported', async () => {
  const docs = JSON.stringify({ name: 'Site', navigation: { pages: ['index'] } });
  const page = fence(`graph TD\n${'subgraph a;'.repeat(3_000)}`);
  const result = await withDiagrams(checkSite(memorySource({ 'docs.json': docs, 'index.mdx': page })));
  expect(result.findings).toMatchObject([{ file: 'index.mdx', line: 1, code: 'diagram-not-checked' }]);
});

test('the library leaves no document behind', async () => {
  await check(fence('graph TD\n  A --> B'));
  expect('window' in globalThis).toBe(false);
});
