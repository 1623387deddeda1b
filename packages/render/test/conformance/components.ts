import type { Check } from './check.ts';
import { degraded, type Row, supported } from './row.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>';
/** The path of a star in the regular style. */
const REGULAR = 'M288.1-32';
const PNG = { 'shot.svg': SVG, 'clip.mp4': 'video' };

/** A row whose page consists of one MDX fragment. */
const draws = (name: string, body: string, shows: Check['shows'], more: Check = {}): Row =>
  supported(name, { body, shows, ...more });

const general: Row[] = [
  draws(
    'className, style and id',
    '<Card title="A" className="mine" style={{ color: "red" }} id="own">Text</Card>',
    [/class="card[^"]* mine"/, 'style="color:red"', 'id="own"'],
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
const BADGE = (props: string): string => `Word <Badge ${props}>New</Badge>`;
const badge = (prop: string, props: string, shows: Check['shows']): Row =>
  draws(`Badge.${prop}`, BADGE(props), shows);

const disclosure: Row[] = [
  draws('Accordion', ACCORDION, /<details[^>]*class="accordion op-accordion"/),
  draws('Accordion.title', ACCORDION, /accordion-title">One</),
  draws('Accordion.description', ACCORDION, 'About it'),
  draws('Accordion.defaultOpen', ACCORDION, /<details[^>]* open>/),
  draws('Accordion.icon', ACCORDION, /accordion-icon"[^>]*><svg class="op-icon icon"/),
  draws('Accordion.iconType', ACCORDION, [/accordion-icon"[^>]*><svg class="op-icon icon"/, REGULAR]),
  draws('Accordion.id', ACCORDION, /<details[^>]*id="first"/),
  draws('AccordionGroup', ACCORDION, 'class="accordion-group op-accordion-group"'),
  draws('Badge', BADGE(''), /<span[^>]*class="badge op-badge/),
  badge('color', 'color="red"', 'badge-red'),
  badge('size', 'size="xs"', 'badge-xs'),
  badge('shape', 'shape="pill"', 'badge-pill'),
  badge('icon', 'icon="star"', /class="badge[^>]*><svg class="op-icon/),
  badge('iconType', 'icon="star" iconType="regular"', [/class="badge[^>]*><svg class="op-icon/, REGULAR]),
  badge('stroke', 'stroke', 'badge-outline'),
  badge('variant', 'variant="outline"', 'badge-outline'),
  badge('disabled', 'disabled', 'badge-disabled'),
  badge('href', 'href="https://example.com"', /<a[^>]*class="badge[^>]*href="https:\/\/example\.com"/),
  ...['Note', 'Warning', 'Info', 'Tip', 'Check', 'Danger'].map((name) =>
    draws(name, `<${name}>Mind this</${name}>`, [
      new RegExp(`class="callout op-callout op-callout-${name.toLowerCase()}"`),
      'Mind this',
    ]),
  ),
  draws('Note.title', '<Note title="Look">x</Note>', /callout-title"[^>]*>Look</),
  draws('Note.icon', '<Note icon="rocket">x</Note>', /callout-icon"[^>]*><svg class="op-icon icon"/),
];

const CALLOUT =
  '<Callout icon="star" iconType="regular" color="#ff0000" title="Hey" type="tip">Text</Callout>';
const CARD =
  '<Card title="Start" icon="star" iconType="regular" color="#ff0000" href="https://example.com" horizontal img="/shot.svg" cta="Go" arrow>Text</Card>';
const card = (prop: string, body: string, shows: Check['shows']): Row =>
  draws(`Card.${prop}`, body, shows, { files: PNG });
const blocks: Row[] = [
  draws('Callout', CALLOUT, /class="callout op-callout/),
  draws('Callout.icon', CALLOUT, /callout-icon"[^>]*><svg class="op-icon icon"/),
  draws('Callout.iconType', CALLOUT, [/callout-icon"[^>]*><svg class="op-icon icon"/, REGULAR]),
  draws('Callout.color', CALLOUT, '--hue:#ff0000'),
  draws('Callout.title', CALLOUT, 'Hey'),
  draws('Callout.type', CALLOUT, 'callout-tip'),
  draws('Card', CARD, /class="card op-card /, { files: PNG }),
  card('title', CARD, /card-title"[^>]*>.*Start/),
  card('icon', CARD, /card-icon"[^>]*><svg[^>]* class="op-icon icon"/),
  card('iconType', CARD, [/card-icon"[^>]*><svg[^>]* class="op-icon icon"/, REGULAR]),
  card('color', CARD, /<svg color="#ff0000" class="op-icon icon"/),
  card('href', CARD, /href="https:\/\/example\.com"[^>]*class="op-card-cover"/),
  card('horizontal', CARD, 'card-horizontal'),
  card('img', CARD, /card-image"[^>]*src="shot\.svg"/),
  card('cta', CARD, /card-cta"[^>]*>Go</),
  card('arrow', CARD, 'card-arrow'),
  card('disabled', '<Card title="A" disabled>x</Card>', 'card-disabled'),
  card('type', '<Card title="A" type="warning">x</Card>', 'card-warning'),
  degraded('Card.as', 'a card is always a block that holds a link', {
    body: '<Card title="A" as="span">x</Card>',
    shows: 'class="card op-card"',
  }),
  draws(
    'CardGroup',
    '<CardGroup cols={3}><Card title="A">x</Card></CardGroup>',
    'class="columns op-columns card-group op-cols-3"',
  ),
  draws('CardGroup.cols', '<CardGroup cols="4"><Card title="A">x</Card></CardGroup>', 'cols-4'),
  draws(
    'Columns',
    '<Columns><Column>Left</Column><Column>Right</Column></Columns>',
    'class="columns op-columns op-cols-2"',
  ),
  draws('Columns.cols', '<Columns cols={3}><Column>Left</Column></Columns>', 'cols-3'),
  draws('Column', '<Columns><Column>Left</Column></Columns>', 'class="column op-column"'),
];

const GROUP = '\n```js One.js\na\n```\n\n```py\nb\n```\n';
const codeBlock = (prop: string, props: string, shows: Check['shows'], lacks?: Check['lacks']): Row =>
  draws(
    `CodeBlock.${prop}`,
    `<CodeBlock ${props}>\n{"const a = 1;\\nconst b = 2;"}\n</CodeBlock>`,
    shows,
    lacks === undefined ? {} : { lacks },
  );
const code: Row[] = [
  draws('CodeGroup', `<CodeGroup>${GROUP}</CodeGroup>`, [
    /class="code-group op-code-group"[^>]*data-op-tabs data-op-sync/,
    /data-label="One\.js"/,
  ]),
  draws('CodeGroup.dropdown', `<CodeGroup dropdown>${GROUP}</CodeGroup>`, 'code-group-dropdown'),
  draws(
    'CodeBlock',
    '<CodeBlock language="js">\n{"const a = 1;"}\n</CodeBlock>',
    /class="code-block op-code-block/,
  ),
  codeBlock('language', 'language="js"', 'data-language="javascript"'),
  codeBlock('filename', 'language="js" filename="app.js"', 'app.js'),
  codeBlock('icon', 'language="js" filename="a" icon="star"', 'code-block-icon'),
  codeBlock('lines', 'language="js" lines', /class="code-block[^"]* numbered/),
  codeBlock('wrap', 'language="js" wrap', /class="code-block op-code-block wrap/),
  draws(
    'CodeBlock.expandable',
    `<CodeBlock language="js" expandable>\n{${JSON.stringify('line();\n'.repeat(20))}}\n</CodeBlock>`,
    'expandable-code',
  ),
  codeBlock('nocopy', 'language="js" nocopy', /class="code-block op-code-block/, 'code-block-copy-button'),
  codeBlock('highlight', 'language="js" highlight="[1]"', /class="line hl"/),
  codeBlock('focus', 'language="js" focus="[2]"', /class="line focus"/),
];

const COLOR =
  '<Color variant="table"><Color.Row title="Brand"><Color.Item name="Green" value={{ light: "#112233", dark: "#aabbcc" }} /></Color.Row></Color>';
const FRAME =
  '<Frame caption="**Seen** here" hint="Look" title="Shot" description="Of it"><img src="/shot.svg" alt="x" /></Frame>';
const media: Row[] = [
  draws('Color', COLOR, /class="color op-color /),
  draws('Color.variant', COLOR, 'color-table'),
  draws('Color.Row', COLOR, 'class="color-row op-color-row"'),
  draws('Color.Row.title', COLOR, 'Brand'),
  draws('Color.Item', COLOR, 'class="color-item op-color-item"'),
  draws('Color.Item.name', COLOR, 'Green'),
  draws('Color.Item.value', COLOR, ['data-op-copy="#112233"', 'data-op-copy-dark="#aabbcc"']),
  draws(
    'Expandable',
    '<Expandable title="fields" defaultOpen>x</Expandable>',
    /<details[^>]*class="expandable op-expandable"/,
  ),
  draws('Expandable.title', '<Expandable title="fields">x</Expandable>', 'fields</span>'),
  draws(
    'Expandable.defaultOpen',
    '<Expandable title="fields" defaultOpen>x</Expandable>',
    /class="expandable op-expandable"[^>]* open>/,
  ),
  draws('Frame', FRAME, /<figure[^>]*class="frame op-frame"/, { files: PNG }),
  draws('Frame.caption', FRAME, /<figcaption[^>]*><strong>Seen<\/strong> here/, { files: PNG }),
  draws('Frame.hint', FRAME, /frame-hint"[^>]*>Look</, { files: PNG }),
  draws('Frame.title', FRAME, /frame-title"[^>]*>Shot</, { files: PNG }),
  draws('Frame.description', FRAME, /frame-description"[^>]*>Of it</, { files: PNG }),
  draws('Example', '<Example caption="c">x</Example>', /<figure[^>]*class="frame op-frame"/),
  draws(
    'Frame: video autoPlay',
    '<Frame><video autoPlay src="/clip.mp4"></video></Frame>',
    /<video[^>]*(?=[^>]*loop)(?=[^>]*muted)(?=[^>]*playsinline)/i,
    { files: PNG },
  ),
  ...['GitHub.Repo', 'Github.Repo'].map((name) =>
    degraded(name, 'a card with the name only; description and stars would require network access', {
      body: `<${name} repo="acme/docs" />`,
      shows: /href="https:\/\/github\.com\/acme\/docs"/,
    }),
  ),
  draws(
    'GitHub.Repo.repo',
    '<GitHub.Repo repo="https://github.com/acme/docs" />',
    /href="https:\/\/github\.com\/acme\/docs"/,
  ),
  draws('GitHub.Repo.variant', '<GitHub.Repo repo="acme/docs" variant="flat" />', 'repository-flat'),
  draws('Heading', '<Heading level={3} id="own">Title</Heading>', /<h3[^>]*id="own"/),
  draws('Heading.level', '<Heading level={4}>Title</Heading>', /<h4[^>]*>/),
  draws('Heading.id', '<Heading id="own">Title</Heading>', 'id="own"'),
  draws('Heading.noAnchor', '<Heading id="own" noAnchor>Title</Heading>', /<h2[^>]*id="own"/, {
    lacks: 'class="op-heading-anchor" href="#own"',
  }),
];

const icon = (prop: string, props: string, shows: Check['shows']): Row =>
  draws(`Icon.${prop}`, `Text <Icon ${props} />`, shows, { files: PNG });
const inline: Row[] = [
  draws('Icon', 'Text <Icon icon="star" />', /Text <svg class="op-icon icon"/),
  icon('icon', 'icon="/shot.svg"', /shot\.svg/),
  icon('src', 'src="/shot.svg"', /shot\.svg/),
  icon('iconType', 'icon="star" iconType="regular"', [/<svg class="op-icon icon"/, REGULAR]),
  icon('color', 'icon="star" color="#ff0000"', /<svg color="#ff0000" class="op-icon icon"/),
  icon('size', 'icon="star" size={32}', /<svg class="op-icon icon"[^>]*width="32"/),
  icon('className', 'icon="star" className="mine"', /<svg class="op-icon icon mine"/),
  draws('Latex', '<Latex>x^2</Latex>', 'class="katex'),
  draws('Link', '<Link href="https://example.com">Go</Link>', /<a[^>]*href="https:\/\/example\.com"[^>]*>Go/),
  draws('Link.href', '<Link href="#x">Go</Link>\n\n## x', 'href="#x"'),
  draws(
    'MDX',
    'export const on = true\n\n{on ? <MDX>Some **bold** text</MDX> : null}',
    '<strong>bold</strong>',
  ),
  draws(
    'MDX.className',
    'export const on = true\n\n{on ? <MDX className="mine">**b**</MDX> : null}',
    'class="mine"',
  ),
  draws('Mermaid', '<Mermaid chart="graph TD; A-->B" />', 'mermaid'),
  draws('Mermaid.chart', '<Mermaid chart="graph TD; Alpha-->Beta" />', 'Alpha'),
  draws('Panel', '<Panel>At the side</Panel>\n\nText.', /id="panel"[\s\S]*At the side/),
];

const PARAM =
  '<ParamField query="limit" type="integer" required deprecated default="20" placeholder="50" initialValue="10" enum={["10", "20"]} id="own">How many</ParamField>';
const RESPONSE =
  '<ResponseField name="items" type="array" required deprecated default="none" pre={["beta"]} post={["v2"]} id="own">All</ResponseField>';
const FORM = 'read, but without effect: exported pages have no playground';
const fields: Row[] = [
  draws('ParamField', PARAM, /class="field op-field"/),
  draws('ParamField.query', PARAM, /field-place"[^>]*>query</),
  ...['path', 'body', 'header'].map((place) =>
    draws(
      `ParamField.${place}`,
      `<ParamField ${place}="id" type="string">x</ParamField>`,
      new RegExp(`field-place"[^>]*>${place}<`),
    ),
  ),
  draws('ParamField.type', PARAM, /field-type"[^>]*>integer</),
  draws('ParamField.required', PARAM, 'field-required'),
  draws('ParamField.deprecated', PARAM, 'field-deprecated'),
  draws('ParamField.default', PARAM, '<code>20</code>'),
  degraded('ParamField.placeholder', FORM, { body: PARAM, shows: 'class="field op-field"' }),
  degraded('ParamField.initialValue', FORM, { body: PARAM, shows: 'class="field op-field"' }),
  draws('ParamField.enum', PARAM, /field-enum">.*<code>10<\/code> <code>20<\/code>/),
  draws('ParamField.id', PARAM, 'id="own"'),
  draws(
    'ParamField.hidden',
    '<ParamField query="secret" type="string" hidden>Zanzibar</ParamField>\n\nVisible.',
    'Visible.',
    { lacks: 'Zanzibar' },
  ),
  draws('Param', '<Param query="limit" type="integer">x</Param>', /class="field op-field"/),
  draws('ResponseField', RESPONSE, /class="field op-field"/),
  draws('ResponseField.name', RESPONSE, /field-name"[^>]*>items</),
  draws('ResponseField.type', RESPONSE, /field-type"[^>]*>array</),
  draws('ResponseField.required', RESPONSE, 'field-required'),
  draws('ResponseField.deprecated', RESPONSE, 'field-deprecated'),
  draws('ResponseField.default', RESPONSE, '<code>none</code>'),
  draws('ResponseField.pre', RESPONSE, />beta</),
  draws('ResponseField.post', RESPONSE, />v2</),
  draws('ResponseField.id', RESPONSE, 'id="own"'),
];

const PROMPT =
  '<Prompt description="**Plan** it" icon="star" iconType="regular" actions={["copy", "cursor"]}>\nWrite a plan.\n</Prompt>';
const EXAMPLES = (name: string, props = ''): string =>
  `<${name}${props}>\n\`\`\`bash\ncurl x\n\`\`\`\n\`\`\`js\nfetch()\n\`\`\`\n</${name}>\n\nText.`;
const SNIPPETS = { 'snippets/hello.mdx': 'Hello {name}!', '_snippets/old.mdx': 'Old {name}.' };
const examples: Row[] = [
  draws('Prompt', PROMPT, [/class="prompt op-prompt"/, 'Write a plan.']),
  draws('Prompt.description', PROMPT, '<strong>Plan</strong> it'),
  draws('Prompt.icon', PROMPT, /prompt-icon"[^>]*><svg class="op-icon icon"/),
  draws('Prompt.iconType', PROMPT, [/prompt-icon"[^>]*><svg class="op-icon icon"/, REGULAR]),
  draws('Prompt.actions', PROMPT, ['prompt-copy-button', 'prompt-cursor-button']),
  ...['RequestExample', 'ResponseExample'].flatMap((name) => [
    draws(
      name,
      EXAMPLES(name),
      new RegExp(
        `id="panel"[\\s\\S]*${name === 'RequestExample' ? 'request' : 'response'}-example[\\s\\S]*>${name.slice(0, -7)}<[\\s\\S]*>${name.slice(0, -7)} 2<`,
      ),
    ),
    draws(`${name}.dropdown`, EXAMPLES(name, ' dropdown'), 'code-group-dropdown'),
  ]),
  draws('Snippet', '<Snippet file="hello.mdx" name="Ada" />', 'Hello Ada!', { files: SNIPPETS }),
  draws('Snippet.file', '<Snippet file="old.mdx" name="Ada" />', 'Old Ada.', { files: SNIPPETS }),
  draws('Snippet: variables', '<Snippet file="snippets/hello.mdx" name="Grace" />', 'Hello Grace!', {
    files: SNIPPETS,
  }),
  draws('SnippetGroup', `<SnippetGroup>${GROUP}</SnippetGroup>`, /class="code-group op-code-group"/),
];

const STEPS = (props = '', step = ''): string =>
  `<Steps${props}>\n<Step title="First"${step}>\nDo it.\n</Step>\n<Step title="Second">\nDone.\n</Step>\n</Steps>`;
const TABS = (props = '', tab = ''): string =>
  `<Tabs${props}>\n<Tab title="One"${tab}>\nFirst.\n</Tab>\n<Tab title="Two">\nSecond.\n</Tab>\n</Tabs>`;
const step = (prop: string, props: string, shows: Check['shows'], lacks?: Check['lacks']): Row =>
  draws(`Step.${prop}`, STEPS('', ` ${props}`), shows, lacks === undefined ? {} : { lacks });
const flow: Row[] = [
  draws('Steps', STEPS(), /class="steps op-steps"/),
  draws('Steps.titleSize', STEPS(' titleSize="h2"'), /<h2[^>]*class="op-step-title"/),
  draws('Step', STEPS(), [/class="step op-step"/, 'href="#first"']),
  step('title', '', /step-title"[^>]*>First/),
  step('icon', 'icon="star"', /step-number"[^>]*><svg class="op-icon icon"/),
  step('iconType', 'icon="star" iconType="regular"', [
    /step-number"[^>]*><svg class="op-icon icon"/,
    REGULAR,
  ]),
  step('stepNumber', 'stepNumber={7}', [/step-number"[^>]*>7</, /step-number"[^>]*>8</]),
  step('titleSize', 'titleSize="h4"', /<h4[^>]*class="op-step-title"/),
  step('id', 'id="own"', /id="own" class="op-step-title"/),
  step('noAnchor', 'noAnchor', 'id="first"', 'class="op-heading-anchor" href="#first"'),
  draws('Tabs', TABS(), /class="tabs op-tabs"[^>]*data-op-tabs data-op-sync/),
  draws('Tabs.defaultTabIndex', TABS(' defaultTabIndex={1}'), /aria-selected="true"[^>]*data-label="Two"/),
  draws('Tabs.sync', TABS(' sync={false}'), /class="tabs op-tabs"[^>]*data-op-tabs>/),
  draws('Tabs.borderBottom', TABS(' borderBottom'), 'tabs-bordered'),
  draws('Tab', TABS(), /role="tabpanel"[\s\S]*First\.[\s\S]*role="tabpanel"[\s\S]*Second\./),
  draws('Tab.title', TABS(), 'data-label="One"'),
  draws('Tab.icon', TABS('', ' icon="star"'), /<svg class="op-icon icon tab-icon"/),
  draws('Tab.iconType', TABS('', ' icon="star" iconType="regular"'), [
    /<svg class="op-icon icon tab-icon"/,
    REGULAR,
  ]),
  draws('Tab.id', TABS('', ' id="own"'), /role="tab"[^>]*id="own"/),
];

const TILE =
  '<Tile href="https://example.com" title="Look" description="At this"><img src="/shot.svg" alt="x" /></Tile>';
const TOOLTIP =
  'An <Tooltip tip="Interface" headline="API" cta="More" href="https://example.com">API</Tooltip> here.';
const TREE =
  '<Tree><Tree.Folder name="app" defaultOpen openable={false} highlight><Tree.File name="page.tsx" highlight /></Tree.Folder><Tree.Folder name="lib"><Tree.File name="a.ts" /></Tree.Folder></Tree>';
const rest: Row[] = [
  draws('Tile', TILE, /class="tile op-tile/, { files: PNG }),
  draws('Tile.href', TILE, 'href="https://example.com"', { files: PNG }),
  draws('Tile.title', TILE, />Look</, { files: PNG }),
  draws('Tile.description', TILE, /tile-description"[^>]*>At this</, { files: PNG }),
  draws('Tooltip', TOOLTIP, 'data-tooltip'),
  draws('Tooltip.tip', TOOLTIP, /tooltip-tip"[^>]*>Interface</),
  draws('Tooltip.headline', TOOLTIP, /tooltip-headline"[^>]*>API</),
  draws('Tooltip.cta', TOOLTIP, /tooltip-cta"[^>]*>More</),
  draws('Tooltip.href', TOOLTIP, /tooltip-cta"[^>]*href="https:\/\/example\.com"/),
  draws('Tree', TREE, 'role="tree"'),
  draws('Tree.Folder', TREE, 'class="tree-folder'),
  draws('Tree.Folder.name', TREE, /tree-name">app</),
  draws(
    'Tree.Folder.defaultOpen',
    '<Tree><Tree.Folder name="app" defaultOpen><Tree.File name="x" /></Tree.Folder></Tree>',
    'aria-expanded="true"',
  ),
  draws(
    'Tree.Folder.openable',
    TREE,
    /class="tree-folder op-tree-folder op-tree-highlight"[^>]*><div[^>]*role="treeitem" aria-level="1"><svg/,
  ),
  draws('Tree.Folder.highlight', TREE, 'tree-folder op-tree-folder op-tree-highlight'),
  draws('Tree.File', TREE, 'class="tree-file'),
  draws('Tree.File.name', TREE, /tree-name">page\.tsx</),
  draws('Tree.File.highlight', TREE, 'tree-file op-tree-file op-tree-highlight'),
  draws('FileTree', '<FileTree>\n- app/\n  - page.tsx\n</FileTree>', /role="tree"[\s\S]*page\.tsx/),
  draws('Tree: a Markdown list', '<Tree>\n- app/\n  - page.tsx\n- empty/\n</Tree>', [
    /class="tree-folder"[\s\S]*tree-name">app<[\s\S]*class="tree-file"/,
    /class="tree-folder"[\s\S]*tree-name">empty</,
  ]),
];

const UPDATE =
  '<Update label="v2.0" description="**May** 2026" tags={["API", "CLI"]} rss={{ title: "Two", description: "Big" }} id="own">\n## Inside\n\nNews.\n</Update>';
const VARIATIONS: Check = {
  docs: {
    variations: {
      options: [
        { id: 'js', label: 'JavaScript' },
        { id: 'py', label: 'Python' },
      ],
    },
  },
};
const VIEWS =
  '<View title="JS" icon="star" iconType="regular">\n\n## For JS\n\n</View>\n\n<View title="Python">\n\n## For Python\n\n</View>';
const choice: Row[] = [
  draws('Update', UPDATE, /class="update op-update"/, { in: { 'rss.xml': '<item>' } }),
  draws('Update.label', UPDATE, /update-label"[^>]*>v2\.0</),
  draws('Update.description', UPDATE, '<strong>May</strong> 2026'),
  draws('Update.tags', UPDATE, [/update-tag"[^>]*>API</, 'id="changelog-filters"']),
  draws('Update.rss', UPDATE, 'News.', { in: { 'rss.xml': [/<title>Two<\/title>/, 'Big'] } }),
  draws('Update.id', UPDATE, /id="own"[^>]*class="update op-update"|class="update op-update"[^>]*id="own"/),
  draws(
    'Variation',
    '<Variation is="js">For JS</Variation>\n\n<Variation is="py">For Python</Variation>',
    ['data-variation', /<[^>]*data-variation="[^"]*py[^"]*"[^>]*hidden>/],
    VARIATIONS,
  ),
  draws(
    'Variation.is',
    '<Variation is={["js", "py"]}>For both</Variation>',
    /data-variation="\[&quot;js&quot;,&quot;py&quot;\]"/,
    VARIATIONS,
  ),
  draws('View', VIEWS, [/class="view[ "]/, 'data-choice="view"']),
  draws('View.title', VIEWS, 'data-view="JS"'),
  draws('View.icon', VIEWS, /view-label"><svg class="op-icon icon"/),
  draws('View.iconType', VIEWS, [/view-label"><svg class="op-icon icon"/, REGULAR]),
  draws('Visibility', '<Visibility for="humans">For you</Visibility>', 'For you', {
    notIn: { 'index.md': 'For you' },
  }),
  draws('Visibility.for', '<Visibility for="agents">For machines</Visibility>\n\nText.', 'Text.', {
    lacks: '<p>For machines',
    in: { 'index.md': 'For machines' },
  }),
  draws('ZoomImage', '<ZoomImage><img src="/shot.svg" alt="x" /></ZoomImage>', 'src="shot.svg"', {
    files: PNG,
  }),
  draws('img', '<img src="/shot.svg" alt="A shot" />', /<img[^>]*src="shot\.svg"[^>]*alt="A shot"/, {
    files: PNG,
  }),
  draws('img.noZoom', '<img src="/shot.svg" alt="x" noZoom />', 'data-nozoom', { files: PNG }),
  draws(
    'img.actions',
    '<img src="/shot.svg" alt="x" actions="copy,download" />',
    ['image-copy', 'image-download'],
    { files: PNG },
  ),
  draws(
    'img.actionsPlacement',
    '<img src="/shot.svg" alt="x" actions actionsPlacement="top-left" />',
    'data-placement="top-left"',
    { files: PNG },
  ),
  draws('headings: anchors', '## Set up (fast) v1.2 & you/me\n\n## Set up (fast) v1.2 & you/me', [
    /id="set-up-fast-v1-2-(?:&amp;|&)-you\/me"/,
    /id="set-up-fast-v1-2-(?:&amp;|&)-you\/me-2"/,
  ]),
  draws('headings: {#id}', '## Named {#own-id}\n\n## Escaped \\{#second\\}\n\n## Comment {/* #third */}', [
    /<h2[^>]*id="own-id"/,
    /<h2[^>]*id="second">Escaped</,
    /<h2[^>]*id="third">Comment</,
  ]),
];

export const components: readonly Row[] = [
  ...general,
  ...disclosure,
  ...blocks,
  ...code,
  ...media,
  ...inline,
  ...fields,
  ...examples,
  ...flow,
  ...rest,
  ...choice,
];
