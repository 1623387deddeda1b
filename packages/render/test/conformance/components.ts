import type { Query } from '../dom.ts';
import type { Check } from './check.ts';
import { anchor, bold, draws, icon, link, PNG, regular } from './queries.ts';
import { degraded, type Row, supported } from './row.ts';
import { structured } from './structured-components.ts';

const general: Row[] = [
  draws(
    'className, style and id',
    '<Card title="A" className="mine" style={{ color: "red" }} id="own">Text</Card>',
    {
      component: 'Card',
      class: 'card mine',
      id: 'own',
      attributes: { style: 'color:red' },
    },
  ),
  supported(
    'an unknown component',
    { body: '<Nope>Kept text</Nope>', shows: 'Kept text', warns: ['unknown-component'] },
    'its content is shown, with a warning',
  ),
  supported(
    'a component that crashes',
    {
      body: 'export const Bad = () => { throw new Error("x") };\n\n<Bad />\n\nAfter.',
      shows: 'After.',
    },
    'the component is empty; the rest of the page is shown',
  ),
];

const ACCORDION =
  '<AccordionGroup><Accordion title="One" description="About it" defaultOpen icon="star" iconType="regular" id="first">Body</Accordion></AccordionGroup>';
const accordion: Query = { tag: 'details', component: 'Accordion', class: 'accordion' };
const BADGE = (props: string): string => `Word <Badge ${props}>New</Badge>`;
const badge = (prop: string, props: string, shows: Check['shows'], more: Check = {}): Row =>
  draws(`Badge.${prop}`, BADGE(props), shows, more);

const disclosure: Row[] = [
  draws('Accordion', ACCORDION, accordion),
  draws('Accordion.title', ACCORDION, { part: 'accordion-title', text: 'One', within: { role: 'summary' } }),
  draws('Accordion.description', ACCORDION, { part: 'accordion-description', text: 'About it' }),
  draws('Accordion.defaultOpen', ACCORDION, { ...accordion, attributes: { open: true } }),
  draws('Accordion.icon', ACCORDION, icon({ part: 'accordion-icon' })),
  draws('Accordion.iconType', ACCORDION, regular({ part: 'accordion-icon' })),
  draws('Accordion.id', ACCORDION, { ...accordion, id: 'first' }),
  draws('AccordionGroup', ACCORDION, {
    component: 'AccordionGroup',
    class: 'accordion-group',
    has: accordion,
  }),
  draws('Badge', BADGE(''), { tag: 'span', component: 'Badge', class: 'badge', text: 'New' }),
  badge(
    'color',
    'color="red"',
    { class: 'badge', attributes: { 'data-color': 'red' } },
    { unlike: BADGE('') },
  ),
  badge('size', 'size="xs"', { class: 'badge', attributes: { 'data-size': 'xs' } }, { unlike: BADGE('') }),
  badge('shape', 'shape="pill"', { class: 'badge' }, { unlike: BADGE('') }),
  badge('icon', 'icon="star"', icon({ class: 'badge' })),
  badge('iconType', 'icon="star" iconType="regular"', regular({ class: 'badge' })),
  badge('stroke', 'stroke', { class: 'badge' }, { unlike: BADGE('') }),
  badge('variant', 'variant="outline"', { class: 'badge' }, { unlike: BADGE('') }),
  badge('disabled', 'disabled', { class: 'badge', attributes: { 'aria-disabled': 'true' } }),
  badge('href', 'href="https://example.com"', link('New', 'https://example.com', { class: 'badge' })),
  ...['Note', 'Warning', 'Info', 'Tip', 'Check', 'Danger'].map((name) =>
    draws(name, `<${name}>Mind this</${name}>`, {
      role: 'note',
      name,
      component: name,
      class: 'callout',
      attributes: { 'data-callout-type': name.toLowerCase() },
      text: 'Mind this',
    }),
  ),
  draws('Note.title', '<Note title="Look">x</Note>', { part: 'callout-title', text: 'Look' }),
  draws('Note.icon', '<Note icon="rocket">x</Note>', icon({ part: 'callout-icon' })),
];

const CALLOUT =
  '<Callout icon="star" iconType="regular" color="#ff0000" title="Hey" type="tip">Text</Callout>';
const CARD = (props = ''): string =>
  `<Card title="Start" icon="star" iconType="regular" color="#ff0000" href="https://example.com" img="/shot.svg" cta="Go"${props}>Text</Card>`;
const card = (prop: string, body: string, shows: Check['shows'], more: Check = {}): Row =>
  draws(`Card.${prop}`, body, shows, { files: PNG, ...more });
const COLUMNS = (props = ''): string =>
  `<Columns${props}><Column>Left</Column><Column>Right</Column></Columns>`;
const CARDS = (props: string): string => `<CardGroup ${props}><Card title="A">x</Card></CardGroup>`;
const blocks: Row[] = [
  draws('Callout', CALLOUT, { role: 'note', component: 'Callout', class: 'callout', text: 'Hey Text' }),
  draws('Callout.icon', CALLOUT, icon({ part: 'callout-icon' })),
  draws('Callout.iconType', CALLOUT, regular({ part: 'callout-icon' })),
  draws('Callout.color', CALLOUT, { class: 'callout', attributes: { style: '--hue:#ff0000' } }),
  draws('Callout.title', CALLOUT, { part: 'callout-title', text: 'Hey' }),
  draws('Callout.type', CALLOUT, { role: 'note', name: 'Tip', attributes: { 'data-callout-type': 'tip' } }),
  draws(
    'Card',
    CARD(),
    { component: 'Card', class: 'card', has: { part: 'card-content', text: 'Text' } },
    { files: PNG },
  ),
  card('title', CARD(), { part: 'card-title', text: 'Start' }),
  card('description', '<Card title="A" description="In brief" />', {
    part: 'card-content',
    text: 'In brief',
  }),
  card('icon', CARD(), icon({ part: 'card-icon' })),
  card('iconType', CARD(), regular({ part: 'card-icon' })),
  card('color', CARD(), { ...icon({ part: 'card-icon' }), attributes: { color: '#ff0000' } }),
  card('href', CARD(), link('Start', 'https://example.com', { within: { class: 'card' } })),
  card('horizontal', CARD(' horizontal'), { class: 'card' }, { unlike: CARD() }),
  card('img', CARD(), { part: 'card-image', tag: 'img', attributes: { src: 'shot.svg' } }),
  card('cta', CARD(), { part: 'card-cta', text: 'Go' }),
  card('arrow', '<Card title="A" href="#at" arrow>x</Card>\n\n## At', { part: 'card-arrow' }),
  card('disabled', '<Card title="A" disabled>x</Card>', {
    class: 'card',
    attributes: { 'aria-disabled': 'true' },
  }),
  card(
    'type',
    '<Card title="A" type="warning">x</Card>',
    { tag: 'svg', within: { part: 'card-icon' } },
    { unlike: '<Card title="A" type="tip">x</Card>' },
  ),
  degraded('Card.as', 'a card is always a block that holds a link', {
    body: '<Card title="A" as="span">x</Card>',
    shows: { tag: 'div', component: 'Card' },
  }),
  draws('CardGroup', CARDS(''), {
    component: 'CardGroup',
    class: 'columns card-group',
    has: { component: 'Card' },
  }),
  draws('CardGroup.cols', CARDS('cols="4"'), { class: 'card-group' }, { unlike: CARDS('') }),
  draws('Columns', COLUMNS(), {
    component: 'Columns',
    class: 'columns',
    has: [
      { class: 'column', text: 'Left' },
      { class: 'column', text: 'Right' },
    ],
  }),
  draws('Columns.cols', COLUMNS(' cols={3}'), { class: 'columns' }, { unlike: COLUMNS() }),
  draws('Column', COLUMNS(), { component: 'Column', class: 'column', text: 'Left' }),
];

const GROUP = '\n```js One.js\na\n```\n\n```py\nb\n```\n';
const group: Query = {
  class: 'code-group',
  has: [
    { role: 'tab', name: 'One.js' },
    { role: 'tab', name: 'Python' },
  ],
};
const codeBlock = (prop: string, props: string, shows: Check['shows'], more: Check = {}): Row =>
  draws(
    `CodeBlock.${prop}`,
    `<CodeBlock ${props}>\n{"const a = 1;\\nconst b = 2;"}\n</CodeBlock>`,
    shows,
    more,
  );
const code: Row[] = [
  draws('CodeGroup', `<CodeGroup>${GROUP}</CodeGroup>`, { ...group, component: 'CodeGroup' }),
  draws('SnippetGroup', `<SnippetGroup>${GROUP}</SnippetGroup>`, group),
  draws('CodeGroup.dropdown', `<CodeGroup dropdown>${GROUP}</CodeGroup>`, {
    ...group,
    class: 'code-group code-group-dropdown',
  }),
  draws('CodeBlock.lang', '<CodeBlock lang="js">\n{"const a = 1;"}\n</CodeBlock>', {
    attributes: { 'data-language': 'javascript' },
  }),
  draws('CodeBlock', '<CodeBlock language="js">\n{"const a = 1;"}\n</CodeBlock>', {
    component: 'CodeBlock',
    class: 'code-block',
    has: { role: 'code', text: 'const a = 1;' },
  }),
  codeBlock('language', 'language="js"', {
    part: 'code-block-root',
    attributes: { 'data-language': 'javascript' },
  }),
  codeBlock('filename', 'language="js" filename="app.js"', {
    part: 'code-block-header-filename',
    text: 'app.js',
  }),
  codeBlock('icon', 'language="js" filename="a" icon="star"', { tag: 'svg', class: 'code-block-icon' }),
  codeBlock('lines', 'language="js" lines', { class: 'code-block numbered' }),
  codeBlock('wrap', 'language="js" wrap', { class: 'code-block wrap' }),
  draws(
    'CodeBlock.expandable',
    `<CodeBlock language="js" expandable>\n{${JSON.stringify('line();\n'.repeat(20))}}\n</CodeBlock>`,
    { role: 'button', name: 'Show all lines', attributes: { 'aria-expanded': 'false' } },
  ),
  codeBlock(
    'nocopy',
    'language="js" nocopy',
    { class: 'code-block' },
    { lacks: { role: 'button', name: 'Copy code' } },
  ),
  codeBlock('highlight', 'language="js" highlight="[1]"', { class: 'line hl', text: 'const a = 1;' }),
  codeBlock('focus', 'language="js" focus="[2]"', { class: 'line focus', text: 'const b = 2;' }),
];

const COLOR = (variant: string): string =>
  `<Color variant="${variant}"><Color.Row title="Brand"><Color.Item name="Green" value={{ light: "#112233", dark: "#aabbcc" }} /></Color.Row></Color>`;
const FRAME =
  '<Frame caption="**Seen** here" hint="Look" title="Shot" description="Of it"><img src="/shot.svg" alt="x" /></Frame>';
const EXPANDABLE = '<Expandable title="fields" defaultOpen>x</Expandable>';
const expandable: Query = { tag: 'details', component: 'Expandable', class: 'expandable' };
const repository = link('acme/docs', 'https://github.com/acme/docs');
const media: Row[] = [
  draws('Color', COLOR('table'), { component: 'Color', class: 'color' }),
  draws('Color.variant', COLOR('table'), { class: 'color' }, { unlike: COLOR('compact') }),
  draws('Color.Row', COLOR('table'), {
    role: 'group',
    name: 'Brand',
    component: 'Color.Row',
    class: 'color-row',
  }),
  draws('Color.Row.title', COLOR('table'), { part: 'color-row-title', text: 'Brand' }),
  draws('Color.Item', COLOR('table'), { role: 'button', component: 'Color.Item', class: 'color-item' }),
  draws('Color.Item.name', COLOR('table'), { part: 'color-name', text: 'Green' }),
  draws('Color.Item.value', COLOR('table'), {
    role: 'button',
    name: /#112233.*#aabbcc/,
    attributes: { 'data-op-copy': '#112233', 'data-op-copy-dark': '#aabbcc' },
  }),
  draws('Expandable', EXPANDABLE, expandable),
  draws('Expandable.title', EXPANDABLE, { role: 'summary', text: /fields$/ }),
  draws('Expandable.defaultOpen', EXPANDABLE, { ...expandable, attributes: { open: true } }),
  draws(
    'Frame',
    FRAME,
    { role: 'figure', component: 'Frame', class: 'frame', has: { role: 'img', name: 'x' } },
    { files: PNG },
  ),
  draws('Frame.caption', FRAME, { role: 'figure', name: 'Seen here', has: bold('Seen') }, { files: PNG }),
  draws('Frame.hint', FRAME, { part: 'frame-hint', text: 'Look' }, { files: PNG }),
  draws('Frame.title', FRAME, { part: 'frame-title', text: 'Shot' }, { files: PNG }),
  draws('Frame.description', FRAME, { part: 'frame-description', text: 'Of it' }, { files: PNG }),
  draws('Example', '<Example caption="c">x</Example>', { role: 'figure', name: 'c', class: 'frame' }),
  draws(
    'Frame: video autoPlay',
    '<Frame><video autoPlay src="/clip.mp4"></video></Frame>',
    { tag: 'video', attributes: { loop: true, muted: true, playsinline: true } },
    { files: PNG },
  ),
  ...['GitHub.Repo', 'Github.Repo'].map((name) =>
    degraded(name, 'a card with the name only; description and stars would require network access', {
      body: `<${name} repo="acme/docs" />`,
      shows: repository,
    }),
  ),
  draws('GitHub.Repo.repo', '<GitHub.Repo repo="https://github.com/acme/docs" />', repository),
  draws('GitHub.Repo.variant', '<GitHub.Repo repo="acme/docs" variant="flat" />', repository, {
    unlike: '<GitHub.Repo repo="acme/docs" />',
  }),
  draws('Heading', '<Heading level={3} id="own">Title</Heading>', {
    role: 'heading',
    level: 3,
    id: 'own',
    name: 'Title',
  }),
  draws('Heading.level', '<Heading level={4}>Title</Heading>', { role: 'heading', level: 4, name: 'Title' }),
  draws('Heading.id', '<Heading id="own">Title</Heading>', [{ role: 'heading', id: 'own' }, anchor('own')]),
  draws(
    'Heading.noAnchor',
    '<Heading id="own" noAnchor>Title</Heading>',
    { role: 'heading', level: 2, id: 'own' },
    { lacks: anchor('own') },
  ),
];

const drawsIcon = (prop: string, props: string, shows: Check['shows']): Row =>
  draws(`Icon.${prop}`, `Text <Icon ${props} />`, shows, { files: PNG });
const inLine: Query = { role: 'paragraph', text: 'Text' };
const inline: Row[] = [
  draws('Icon', 'Text <Icon icon="star" />', icon(inLine)),
  drawsIcon('icon', 'icon="/shot.svg"', { tag: 'img', class: 'icon', attributes: { src: 'shot.svg' } }),
  drawsIcon('src', 'src="/shot.svg"', { tag: 'img', class: 'icon', attributes: { src: 'shot.svg' } }),
  drawsIcon('iconType', 'icon="star" iconType="regular"', regular(inLine)),
  drawsIcon('color', 'icon="star" color="#ff0000"', { ...icon(inLine), attributes: { color: '#ff0000' } }),
  drawsIcon('size', 'icon="star" size={32}', { ...icon(inLine), attributes: { width: '32', height: '32' } }),
  drawsIcon('className', 'icon="star" className="mine"', { ...icon(inLine), class: 'icon mine' }),
  draws('Latex', '<Latex>x^2</Latex>', { role: 'math', text: /x/ }),
  draws('Link', '<Link href="https://example.com">Go</Link>', link('Go', 'https://example.com')),
  draws('Link.href', '<Link href="#at">Go</Link>\n\n## At', link('Go', '#at')),
  draws('MDX', 'export const on = true\n\n{on ? <MDX>Some **bold** text</MDX> : null}', {
    ...bold('bold'),
    within: { role: 'paragraph', text: 'Some bold text' },
  }),
  draws('MDX.className', 'export const on = true\n\n{on ? <MDX className="mine">**b**</MDX> : null}', {
    class: 'mine',
    has: bold('b'),
  }),
  draws('Mermaid', '<Mermaid chart="graph TD; A-->B" />', { role: 'figure', class: 'mermaid' }),
  draws('Mermaid.chart', '<Mermaid chart="graph TD; Alpha-->Beta" />', {
    role: 'code',
    text: 'graph TD; Alpha-->Beta',
    within: { class: 'mermaid' },
  }),
  draws(
    'Mermaid.placement',
    '<Mermaid chart="graph TD; A-->B" actions={true} placement="top-left" />',
    { role: 'figure', class: 'mermaid' },
    { unlike: '<Mermaid chart="graph TD; A-->B" actions={true} placement="bottom-right" />' },
  ),
  draws('Panel', '<Panel>At the side</Panel>\n\nText.', { id: 'panel', text: 'At the side' }),
];

export const components: readonly Row[] = [
  ...general,
  ...disclosure,
  ...blocks,
  ...code,
  ...media,
  ...inline,
  ...structured,
];
