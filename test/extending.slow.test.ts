import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { byComponent, byPart, byText } from '../packages/render/test/dom.ts';
import { copyProject, type ProjectCopy } from './support/extending/project-copy.ts';

/** A component as a contributor writes it. */
const QUOTE = `import { css, defineComponent } from './component.ts';
import { quote as quoteOf } from './markdown.ts';
import { h, part, partOf } from './markup.ts';
import { rootAttributes, show } from './props.ts';
import { label } from './schema.ts';

export const quote = defineComponent({
  name: 'Quote',
  kind: 'block',
  about: 'A quotation',
  example: '<Quote author="Ada Lovelace">It weaves algebraic patterns.</Quote>',
  props: { author: label('who said it') },
  markdown: (props, children, markdown) =>
    quoteOf(\`\${markdown.blocks(children)}\\n\\n\${markdown.text(props.author)}\`),
  view: ({ common, author }, children, page) =>
    h(
      'blockquote',
      rootAttributes(common, page, ['quote']),
      page.content(children),
      partOf('cite', 'quote-author', show(author, page)),
    ),
  style: css\`
    .op-quote-author {
      color: var(--color-muted);
    }
  \`,
});
`;

/** Everything that knows components, asked about the new one. */
const COMPONENT_PROBE = `
import { checkSite, memorySource } from './src/index.ts';
import { renderFiles, textOf } from './test/output.ts';
import { openSearch } from './test/search-site.ts';
import { definedRows } from './test/conformance/defined-components.ts';
import { runCheck } from './test/conformance/check.ts';
import { bundleRuntime } from './src/islands/bundle.ts';
import { readRuntime } from './src/islands/runtime-source.ts';
import { componentSections } from '../../scripts/docs/component-reference.ts';
import { projectFacts } from '../../apps/server/src/agent/prompt/project-facts.ts';
import { createWorkspace } from '../../apps/server/src/agent/workspace/overlay.ts';

const source = {
  'docs.json': JSON.stringify({ name: 'x', theme: 'mint', colors: { primary: '#166e3f' }, navigation: { pages: ['index'] } }),
  'index.mdx': '<Quote author="Ada Lovelace">It weaves.</Quote>',
};
const output = await renderFiles(source);
const rows = definedRows([]).filter(({ name }) => name.startsWith('Quote'));
const style = [...output.files].find(([path]) => /site-\\w+\\.css$/.test(path))?.[1];
console.log(JSON.stringify({
  html: textOf(output, 'index.html'),
  markdown: textOf(output, 'index.md'),
  style: String(style).includes('.op-quote-author'),
  search: (await openSearch(output).find('lovelace')).pages,
  warnings: output.result.warnings.map(({ code }) => code),
  findings: checkSite(memorySource(source)).findings.map(({ message }) => message).filter((message) => /Quote/.test(message)),
  rows: await Promise.all(rows.map(async ({ name, check }) => [name, await runCheck(check)])),
  reference: componentSections(),
  facts: projectFacts(createWorkspace({ entries: new Map() }, new Map())),
  runtime: (await bundleRuntime(readRuntime())).includes('quote-author'),
}));
`;

/** Everything that knows keys of docs.json, asked about the new one; the first site misspells it. */
const KEY_PROBE = `
import { renderFiles, textOf } from './test/output.ts';
import { docsJsonSchema } from './src/config/docs-schema.ts';
import { docsJsonTables } from '../../scripts/docs/config-reference.ts';

const site = (keys) => ({
  'docs.json': JSON.stringify({
    name: 'x', theme: 'mint', colors: { primary: '#166e3f' }, navigation: { pages: ['index'] },
    footer: { socials: { github: 'https://github.com/a/b' } }, ...keys,
  }, null, 1),
  'index.mdx': 'Text.',
});
const warningsOf = async (keys) => (await renderFiles(site(keys))).result.warnings.map(({ message }) => message);
console.log(JSON.stringify({
  html: textOf(await renderFiles(site({ copyright: 'Ada & Co.' })), 'index.html'),
  misspelled: await warningsOf({ copyrigth: 'x' }),
  invalid: await warningsOf({ copyright: ['x'] }),
  schema: docsJsonSchema().properties.copyright,
  reference: docsJsonTables(),
}));
`;

const copies: ProjectCopy[] = [];
afterAll(() => {
  for (const { folder } of copies) rmSync(folder, { recursive: true, force: true });
});

function copy(): ProjectCopy {
  const made = copyProject();
  copies.push(made);
  return made;
}

test('a new component touches its file and the list of components, and everything else follows', async () => {
  const list = 'packages/render/src/components/index.ts';
  const project = copy();
  project.write('packages/render/src/components/quote.ts', QUOTE);
  project.edit(list, "import { step, steps } from './steps.ts';", "import { quote } from './quote.ts';\n$&");
  project.edit(list, '  steps,\n', '  quote,\n$&');
  expect(project.changed()).toEqual([list, 'packages/render/src/components/quote.ts']);
  const { html, reference, ...known } = (await project.run(COMPONENT_PROBE)) as Record<string, unknown>;
  const [shown] = byComponent(String(html), 'Quote');
  expect(shown).toMatchObject({ role: 'blockquote', text: 'It weaves.Ada Lovelace' });
  expect(byPart(shown!, 'quote-author')).toHaveLength(1);
  expect(reference).toContain('## Quote\n\nA quotation.');
  expect(reference).toContain('| `author` | text | who said it |');
  expect(known).toEqual({
    markdown: expect.stringContaining('> It weaves.\n>\n> Ada Lovelace'),
    style: true,
    search: ['index.html'],
    warnings: [],
    findings: [],
    rows: [
      ['Quote', []],
      ['Quote.author', []],
    ],
    facts: expect.stringContaining('Quote (author)'),
    runtime: true,
  });
});

test('a new key of docs.json touches its definition and what uses it, and everything else follows', async () => {
  const project = copy();
  const definition = 'packages/render/src/config/keys/site.ts';
  const use = 'packages/render/src/theme/footer.ts';
  project.edit(
    definition,
    'export const siteKeys = {\n',
    "$&  copyright: defineKey('Owner of the texts, in the footer', text, { example: 'Ada & Co.' }),\n",
  );
  project.edit(
    use,
    '<span class="footer-name">${',
    `<span>\${escapeText(theme.siteMap.config.copyright ?? '')}</span>$&`,
  );
  expect(project.changed()).toEqual([definition, use]);
  const { html, reference, ...known } = (await project.run(KEY_PROBE)) as Record<string, unknown>;
  expect(byText(String(html), 'Ada & Co.')).not.toEqual([]);
  expect(reference).toContain('| `copyright` | text |');
  expect(known).toEqual({
    misspelled: ['Unknown key "copyrigth" in docs.json. Did you mean "copyright"?'],
    invalid: ['"copyright" must be text; it was ignored.'],
    schema: expect.objectContaining({ description: expect.stringContaining('Owner of the texts') }),
  });
});
