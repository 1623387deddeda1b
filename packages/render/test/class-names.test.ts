import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { definitions } from '../src/components/index.ts';
import { kitchenSite } from './kitchen.ts';
import { renderFiles } from './output.ts';

/**
 * Classes without our prefix that our rules may select. The first three are set on `html` by the theme switch; authors
 * write the others to get these rules.
 */
const PUBLIC: ReadonlySet<string> = new Set(['dark', 'light', 'js', 'prose', 'not-prose', 'sr-only']);
/** All that is inside these is ours, or of a library: authors write text. */
const CLOSED = ['.op-code-block', '.katex'];
/** Authors write utility classes to get their rules. */
const UTILITIES = '@layer utilities';

/** The classes that the rules of a style sheet select and that an element of an author may have. */
function openClasses(css: string): string[] {
  const found = new Set<string>();
  const around: string[] = [];
  const text = css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  for (const [part] of text.matchAll(/[^{};]*\{|\}/g)) {
    if (part === '}') {
      around.pop();
      continue;
    }
    const prelude = part.slice(0, -1).trim();
    around.push(prelude);
    if (prelude.startsWith('@') || /^[\d.]+%$/.test(prelude)) continue;
    const isClosed = around.some((each) => each === UTILITIES || CLOSED.some((name) => each.includes(name)));
    for (const [, name = ''] of prelude.matchAll(/\.((?:\\.|[\w-])+)/g)) {
      if (!name.startsWith('op-') && !PUBLIC.has(name) && !isClosed) found.add(name);
    }
  }
  return [...found].sort();
}

describe('class names of the theme', () => {
  test.each(['dracula', 'system', { theme: 'css-variables' }])(
    'no rule selects a class that authors may give to their own elements, code blocks %j',
    async (codeblocks) => {
      const site = kitchenSite('mint', { styling: { codeblocks } });
      const { files } = await renderFiles({ ...site, 'start.mdx': 'A formula: $x^2$' });
      const sheets = [...files].filter(([path]) => /^_offprint\/(?:site|math)-\w+\.css$/.test(path));
      expect(sheets).toHaveLength(2);
      for (const [, css] of sheets) expect(openClasses(String(css))).toEqual([]);
    },
  );

  test('no rule of a diagram selects a class that authors may give to their own elements', () => {
    const client = readFileSync(new URL('../src/diagrams/client.js', import.meta.url), 'utf8');
    const sheet = /`(\n\.op-diagram\{[\s\S]*?)`/.exec(client)?.[1] ?? '';
    expect(sheet).toContain('.op-diagram-actions');
    // A library sets this class on its own elements.
    expect(openClasses(sheet)).toEqual(['__________cytoscape_container']);
  });

  test('every class that a rule selects is written by the renderer or a script', () => {
    const root = new URL('../src/', import.meta.url).pathname;
    const read = (type: RegExp): string =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((path) => type.test(path))
        .map((path) => readFileSync(join(root, path), 'utf8'))
        .join('\n');
    const sheets = [read(/\.css$/), ...definitions.map(({ style = '' }) => style)].join('\n');
    const sources = read(/(?<!\.test)\.(?:js|ts)$/).replace(/\bcss`[^`]*`/g, '');
    const written = new Set([...sources.matchAll(/(?<!\.)\bop-([\w-]+)/g)].map(([, name = '']) => name));
    // The first class of a component and the name of a part are written without the prefix, which is added.
    for (const [, name = ''] of sources.matchAll(/(?:\[|^ +|part(?:Of)?\(\s*'\w+',\s*)'([\w-]+)'/gm))
      written.add(name);
    const starts = [...written].filter((name) => name.endsWith('-'));
    const names = new Set([...sheets.matchAll(/\.op-([\w-]+)/g)].map(([, name = '']) => name));
    expect(names.size).toBeGreaterThan(200);
    expect(
      [...names].filter((name) => !written.has(name) && !starts.some((start) => name.startsWith(start))),
    ).toEqual([]);
  });

  test('the check finds a class without the prefix, nested ones too', () => {
    const css =
      '@media print{.op-a{&:hover .title{color:red}}.op-code-block{& .line{color:red}}.card:is(.x){a:b}}';
    expect(openClasses(css)).toEqual(['card', 'title', 'x']);
  });
});
