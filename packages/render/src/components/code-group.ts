import { parseFenceMeta } from '../code/fence.ts';
import type { Element, Node, Props, Value } from '../tree.ts';
import { keptInView } from './choice.ts';
import { type Component, css, defineComponent, type PageScope } from './component.ts';
import { fence } from './markdown.ts';
import { h, type View } from './markup.ts';
import { panels } from './panel.ts';
import { inBox, rootAttributes } from './props.ts';
import { type Common, data, flag, readFlag, readText, searched, text } from './schema.ts';
import { addExample, isKept } from './side.ts';
import { panelsView, type TabPanel } from './tabs.ts';

const dropdown = flag('shows the tabs as a menu');

export const codeGroup = defineComponent({
  name: 'CodeGroup',
  aliases: ['SnippetGroup'],
  kind: 'block',
  about: 'Fences behind tabs, named by their titles or their languages',
  example: `<CodeGroup><CodeBlock language="js" filename="a.js">{'const a = 1;'}</CodeBlock><CodeBlock language="py">{'a = 1'}</CodeBlock></CodeGroup>`,
  props: { dropdown },
  view: (props, children, page) => groupView(props, children, page, null),
  style: css`
    .op-code-group {
      --code-ground: var(--code-base, var(--color-raised));
      border: 1px solid var(--color-border);
      border-radius: var(--radius-card);
      background: var(--code-ground);
      overflow: hidden;
    }
    .op-code-group > .op-tabs-list {
      gap: 10px;
      margin: 0;
      padding-inline: 12px 52px;
    }
    .op-code-group > .op-tabs-list .op-tab-button {
      font-size: 13px;
    }
    .op-code-group .op-code-block {
      --code-ground: inherit;
      margin: 0;
      border: 0;
      border-radius: 0;
      overflow: visible;
      background: none;
    }
    @media not (scripting: none) {
      .op-code-group .op-code-header {
        display: none;
      }
      .op-code-group {
        position: relative;
      }
      .op-code-group .op-code-block {
        position: static;
      }
      .op-code-group .op-copy {
        inset-block-start: 4px;
      }
      .op-code-group .op-code-block:not(:has(.op-code-header)) code {
        --code-end: 16px;
      }
    }
    .op-code-group-choice {
      padding-block: 4px;
      padding-inline: 12px 52px;
      border-block-end: 1px solid var(--color-border);
    }
    /* Without JavaScript and on paper every panel follows its label. */
    @media (scripting: none) {
      .op-code-group .op-tab-label {
        display: none;
      }
      .op-code-group .op-tab-panel:not(:has(.op-code-header)) .op-tab-label {
        display: flex;
        margin-inline: 16px;
      }
    }
    @media print {
      .op-code-group-choice {
        display: none;
      }
      .op-code-group .op-tab-label {
        margin-inline: 16px;
      }
    }
    .op-api-example {
      margin-block: 20px;
    }
    .op-api-example pre {
      max-block-size: min(420px, 60vh);
      overflow: auto;
    }
    @media print {
      .op-api-example pre {
        max-block-size: none;
      }
    }
  `,
});

export const requestExample = exampleOf('request-example', 'Request', {
  name: 'RequestExample',
  about: 'Sample requests, in the column at the side on wide screens',
  example: `<RequestExample><CodeBlock language="bash" filename="curl">{'curl https://api.example.com'}</CodeBlock></RequestExample>`,
});

export const responseExample = exampleOf('response-example', 'Response', {
  name: 'ResponseExample',
  about: 'Sample responses, in the column at the side on wide screens',
  example: `<ResponseExample><CodeBlock language="json" filename="200">{'{ "ok": true }'}</CodeBlock></ResponseExample>`,
});

/** Examples of a page go to its side; those inside a panel, a step, a tab or a disclosure stay there. `title` names untitled fences. */
function exampleOf(
  id: string,
  title: string,
  facts: Pick<Component, 'name' | 'about' | 'example'>,
): Component {
  return defineComponent({
    ...facts,
    kind: 'block',
    changesPage: true,
    props: { dropdown },
    view(props, children, page) {
      const bare = { id: null, className: null, style: null, written: {} };
      const group = groupView({ common: bare, dropdown: props.dropdown }, children, page, title);
      const ownId = page.takeId(props.common.id ?? id);
      const root = rootAttributes(props.common, page, ['api-example', id], { id: ownId });
      const shown = h('div', root, group);
      if (!page.hasSide || panels.nearest(page) !== null || isKept(page)) return shown;
      addExample(page, keptInView(page, shown));
      return null;
    },
  });
}

interface Sample {
  value: string;
  lang: string | null;
  meta: string | null;
}

interface Group {
  readonly common: Common;
  readonly dropdown: boolean;
}

function groupView(
  { common, dropdown: isMenu }: Group,
  children: readonly Node[],
  page: PageScope,
  name: string | null,
): View {
  const samples: Sample[] = [];
  const others: Node[] = [];
  collect(children, page, samples, others);
  const rest = others.length === 0 ? null : page.content(others);
  if (samples.length === 0) return rest;
  const tabs = samples.map((sample, index): TabPanel => {
    const title = labelOf(sample, index, name, page);
    const { icon } = parseFenceMeta(sample.meta);
    return {
      id: page.id(`code-${title}`),
      label: title,
      name: title,
      icon: icon === null ? null : page.icon(icon, { size: 14, className: 'tab-icon' }),
      content: page.code(sample.value, sample.lang, sample.meta),
    };
  });
  const root = rootAttributes(common, page, ['code-group', isMenu ? 'code-group-dropdown' : null]);
  const attributes = {
    ...root,
    // The root of an example is around its group.
    ...(name === null ? {} : { 'data-component-name': null }),
    'data-op-tabs': true,
    'data-op-sync': true,
  };
  return [h('div', attributes, panelsView(tabs, 0, page)), rest];
}

/** `Request`, `Request 2`... for untitled fences of an example; the language elsewhere. */
function labelOf(sample: Sample, index: number, name: string | null, page: PageScope): string {
  const numbered = `${name ?? 'Code'}${index === 0 ? '' : ` ${index + 1}`}`;
  return page.codeLabel(name === null ? sample.lang : null, sample.meta, numbered);
}

const isCodeBlock = (node: Node): node is Element => node.type === 'element' && node.name === 'CodeBlock';

/** Takes fences and code blocks out of wrappers; the other content of the group follows after it. */
function collect(nodes: readonly Node[], page: PageScope, samples: Sample[], others: Node[]): void {
  for (const node of nodes) {
    if (node.type === 'code') samples.push({ value: node.value, lang: node.lang, meta: node.meta });
    else if (isCodeBlock(node)) samples.push(readSample(node.props, node.children, page));
    else if ('children' in node && containsCode(node)) collect(node.children, page, samples, others);
    else if (node.type !== 'text' || node.value.trim() !== '') others.push(node);
  }
}

function containsCode(node: Node): boolean {
  if (node.type === 'code' || isCodeBlock(node)) return true;
  return 'children' in node && node.children.some(containsCode);
}

export const codeBlock = defineComponent({
  name: 'CodeBlock',
  kind: 'block',
  about: 'A fence as an element, for use inside other components',
  example: `<CodeBlock language="js" filename="a.js" lines>{'const a = 1;\\nconst b = 2;'}</CodeBlock>`,
  props: {
    language: text('as after the three backticks', 'name'),
    lang: text('another name of `language`', 'name'),
    filename: searched(text('the title')),
    title: searched(text('another name of `filename`')),
    icon: data('before the title', 'icon'),
    lines: flag('line numbers'),
    wrap: flag('breaks long lines'),
    expandable: flag('shows the first lines and a button for all'),
    nocopy: flag('no copy button'),
    highlight: data('lines with a highlighted background', '`"[1,3]"`'),
    focus: data('lines that stay sharp while the others fade', '`"[1,3]"`'),
  },
  markdown(props, children, markdown) {
    const filename = markdown.text(props.filename);
    return fence(
      markdown.codeText(children),
      markdown.text(props.language) || null,
      filename === '' ? null : filename,
    );
  },
  view({ common, ...props }, children, page) {
    const { value, lang, meta } = readSample({ ...props }, children, page);
    return inBox(common, page, page.code(value, lang, meta, { 'data-component-name': page.name }));
  },
});

const SAMPLE_FLAGS = ['lines', 'wrap', 'expandable', 'nocopy'];

function readSample(props: Props, children: readonly Node[], page: PageScope): Sample {
  const fenced =
    page.elements(children).length === 0 ? children.find((node) => node.type === 'code') : undefined;
  const options = [
    option('title', readText(props.filename) ?? readText(props.title)),
    option('icon', readText(props.icon)),
    option('highlight', rangesOf(props.highlight)),
    option('focus', rangesOf(props.focus)),
    ...SAMPLE_FLAGS.map((name) => (readFlag(props[name]) ? name : null)),
  ].filter((each) => each !== null);
  const lang = readText(props.language) ?? readText(props.lang) ?? fenced?.lang ?? null;
  const meta = [fenced?.meta ?? null, ...options].filter((each) => each !== null).join(' ');
  const value =
    fenced?.value ??
    written(children, page)
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd();
  return { value, lang, meta: meta === '' ? null : meta };
}

/** Text of children as it is written, blanks and line ends included. */
function written(nodes: readonly Node[], page: PageScope): string {
  return nodes.map((node) => writtenOne(node, page)).join('');
}

function writtenOne(node: Node, page: PageScope): string {
  if (node.type === 'break') return '\n';
  if (node.type === 'paragraph') return `${written(node.children, page)}\n`;
  // Only a browser knows what a component of the page shows.
  if (node.type === 'slot' && page.isLive) return page.text([node]);
  if ('children' in node) return written(node.children, page);
  return 'value' in node ? node.value : '';
}

function rangesOf(value: Value): string | null {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'number').join(',');
  return readText(value);
}

/** The value in quotes that it does not hold itself. */
function option(name: string, value: string | null): string | null {
  if (value === null || value === '') return null;
  return value.includes('"') ? `${name}='${value.replaceAll("'", '’')}'` : `${name}="${value}"`;
}
