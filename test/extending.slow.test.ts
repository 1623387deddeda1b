import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byComponent, byPart } from '../packages/render/test/dom.ts';
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

let copy: ProjectCopy;
beforeAll(() => {
  copy = copyProject();
});
afterAll(() => rmSync(copy.folder, { recursive: true, force: true }));

describe('a new component', () => {
  test('touches its file and the list of components, and everything else follows', async () => {
    const list = 'packages/render/src/components/index.ts';
    copy.write('packages/render/src/components/quote.ts', QUOTE);
    copy.edit(list, "import { step, steps } from './steps.ts';", "import { quote } from './quote.ts';\n$&");
    copy.edit(list, '  steps,\n', '  quote,\n$&');
    expect(copy.changed()).toEqual([list, 'packages/render/src/components/quote.ts']);
    const { html, reference, ...known } = (await copy.run(COMPONENT_PROBE)) as Record<string, unknown>;
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
});
