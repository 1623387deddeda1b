import type { Query } from '../dom.ts';
import type { Check } from './check.ts';
import { anchor, bold, draws, icon, link, PNG, regular } from './queries.ts';
import { degraded, type Row } from './row.ts';

const PARAM =
  '<ParamField query="limit" type="integer" required deprecated default="20" placeholder="per page" initialValue="10" enum={["10", "20"]} id="own">How many</ParamField>';
const RESPONSE =
  '<ResponseField name="items" type="array" required deprecated default="none" pre={["beta"]} post={["v2"]} id="own">All</ResponseField>';
const FORM =
  'the value in samples and the form of an operation that is described by hand, without a distinction between the two';
const field = (component: string, name: string): Query => ({
  component,
  class: 'field',
  has: { part: 'field-name', text: name },
});
const pill = (text: string): Query => ({ part: 'field-info-pill', text });
const fields: Row[] = [
  draws('ParamField', PARAM, { ...field('ParamField', 'limit'), text: /How many/ }),
  draws('ParamField.query', PARAM, pill('query')),
  draws('ParamField.name', '<ParamField name="plain">How many</ParamField>', {
    part: 'field-name',
    text: 'plain',
  }),
  ...['path', 'body', 'header'].map((place) =>
    draws(`ParamField.${place}`, `<ParamField ${place}="id" type="string">x</ParamField>`, pill(place)),
  ),
  draws('ParamField.type', PARAM, pill('integer')),
  draws('ParamField.required', PARAM, { part: 'field-required-pill', text: 'required' }),
  draws('ParamField.deprecated', PARAM, { part: 'field-deprecated-pill', text: 'deprecated' }),
  draws('ParamField.default', PARAM, { ...pill('default: 20'), has: { role: 'code', text: '20' } }),
  degraded('ParamField.placeholder', FORM, {
    body: PARAM,
    shows: field('ParamField', 'limit'),
    lacks: 'per page',
  }),
  degraded('ParamField.initialValue', FORM, { body: PARAM, shows: field('ParamField', 'limit') }),
  draws('ParamField.enum', PARAM, {
    role: 'paragraph',
    text: 'Allowed values: 10 20',
    has: [
      { role: 'code', text: '10' },
      { role: 'code', text: '20' },
    ],
  }),
  draws('ParamField.id', PARAM, { ...field('ParamField', 'limit'), id: 'own' }),
  draws(
    'ParamField.hidden',
    '<ParamField query="secret" type="string" hidden>Zanzibar</ParamField>\n\nVisible.',
    'Visible.',
    { lacks: 'Zanzibar' },
  ),
  draws('Param', '<Param query="limit" type="integer">x</Param>', field('Param', 'limit')),
  draws('ResponseField', RESPONSE, { ...field('ResponseField', 'items'), text: /All/ }),
  draws('ResponseField.name', RESPONSE, { part: 'field-name', text: 'items' }),
  draws('ResponseField.type', RESPONSE, pill('array')),
  draws('ResponseField.required', RESPONSE, { part: 'field-required-pill', text: 'required' }),
  draws('ResponseField.deprecated', RESPONSE, { part: 'field-deprecated-pill', text: 'deprecated' }),
  draws('ResponseField.default', RESPONSE, { ...pill('default: none'), has: { role: 'code', text: 'none' } }),
  draws('ResponseField.pre', RESPONSE, pill('beta')),
  draws('ResponseField.post', RESPONSE, pill('v2')),
  draws('ResponseField.id', RESPONSE, { ...field('ResponseField', 'items'), id: 'own' }),
];

const PROMPT =
  '<Prompt description="**Plan** it" icon="star" iconType="regular" actions={["copy", "cursor"]}>\nWrite a plan.\n</Prompt>';
const EXAMPLES = (name: string, props = ''): string =>
  `<${name}${props}>\n\`\`\`bash\ncurl x\n\`\`\`\n\`\`\`js\nfetch()\n\`\`\`\n</${name}>\n\nText.`;
const SNIPPETS = { 'snippets/hello.mdx': 'Hello {name}!', '_snippets/old.mdx': 'Old {name}.' };
const examples: Row[] = [
  draws('Prompt', PROMPT, {
    component: 'Prompt',
    class: 'prompt',
    has: { role: 'code', text: 'Write a plan.' },
  }),
  draws('Prompt.description', PROMPT, { part: 'prompt-description', text: 'Plan it', has: bold('Plan') }),
  draws('Prompt.icon', PROMPT, icon({ part: 'prompt-icon' })),
  draws('Prompt.iconType', PROMPT, regular({ part: 'prompt-icon' })),
  draws('Prompt.actions', PROMPT, [
    { role: 'button', part: 'prompt-copy-button' },
    { role: 'link', part: 'prompt-cursor-button', attributes: { href: /^cursor:.*Write%20a%20plan\.$/ } },
  ]),
  ...['Request', 'Response'].flatMap((label) => {
    const name = `${label}Example`;
    const example: Query = {
      id: `${label.toLowerCase()}-example`,
      class: 'api-example',
      within: { id: 'panel' },
      has: [
        { role: 'tab', name: label },
        { role: 'tab', name: `${label} 2` },
      ],
    };
    return [
      draws(name, EXAMPLES(name), example),
      draws(`${name}.dropdown`, EXAMPLES(name, ' dropdown'), {
        class: 'code-group-dropdown',
        within: example,
      }),
    ];
  }),
  draws('Snippet', '<Snippet file="hello.mdx" name="Ada" />', 'Hello Ada!', { files: SNIPPETS }),
  draws('Snippet.file', '<Snippet file="old.mdx" name="Ada" />', 'Old Ada.', { files: SNIPPETS }),
  draws('Snippet: variables', '<Snippet file="snippets/hello.mdx" name="Grace" />', 'Hello Grace!', {
    files: SNIPPETS,
  }),
];

const STEPS = (props = '', step = ''): string =>
  `<Steps${props}>\n<Step title="First"${step}>\nDo it.\n</Step>\n<Step title="Second">\nDone.\n</Step>\n</Steps>`;
const TABS = (props = '', tab = ''): string =>
  `<Tabs${props}>\n<Tab title="One"${tab}>\nFirst.\n</Tab>\n<Tab title="Two">\nSecond.\n</Tab>\n</Tabs>`;
const step = (prop: string, props: string, shows: Check['shows'], lacks?: Check['lacks']): Row =>
  draws(`Step.${prop}`, STEPS('', ` ${props}`), shows, lacks === undefined ? {} : { lacks });
const panel = (name: string, text: string): Query => ({
  role: 'tabpanel',
  name,
  has: { role: 'paragraph', text },
});
const flow: Row[] = [
  draws('Steps', STEPS(), { role: 'list', component: 'Steps', class: 'steps' }),
  draws('Steps.titleSize', STEPS(' titleSize="h2"'), { role: 'heading', level: 2, name: 'Second' }),
  draws('Step', STEPS(), [{ role: 'listitem', component: 'Step', class: 'step' }, anchor('first')]),
  step('title', '', { part: 'step-title', text: 'First' }),
  step('icon', 'icon="star"', icon({ part: 'step-number' })),
  step('iconType', 'icon="star" iconType="regular"', regular({ part: 'step-number' })),
  step('stepNumber', 'stepNumber={7}', [
    { part: 'step-number', text: '7' },
    { part: 'step-number', text: '8' },
  ]),
  step('titleSize', 'titleSize="h4"', { role: 'heading', level: 4, name: 'First' }),
  step('id', 'id="own"', { part: 'step-title', id: 'own' }),
  step('noAnchor', 'noAnchor', { part: 'step-title', id: 'first' }, anchor('first')),
  draws('Tabs', TABS(), { component: 'Tabs', class: 'tabs', attributes: { 'data-op-sync': true } }),
  draws('Tabs.defaultTabIndex', TABS(' defaultTabIndex={1}'), {
    role: 'tab',
    name: 'Two',
    attributes: { 'aria-selected': 'true' },
  }),
  draws('Tabs.sync', TABS(' sync={false}'), { component: 'Tabs', attributes: { 'data-op-sync': false } }),
  draws('Tabs.borderBottom', TABS(' borderBottom'), { class: 'tabs' }, { unlike: TABS() }),
  draws('Tab', TABS(), [panel('One', 'First.'), panel('Two', 'Second.')]),
  draws('Tab.title', TABS(), { role: 'tab', name: 'One' }),
  draws('Tab.icon', TABS('', ' icon="star"'), {
    ...icon({ role: 'tab', name: 'One' }),
    class: 'icon tab-icon',
  }),
  draws('Tab.iconType', TABS('', ' icon="star" iconType="regular"'), regular({ role: 'tab' })),
  draws('Tab.id', TABS('', ' id="own"'), { role: 'tab', id: 'own' }),
];

const TILE =
  '<Tile href="https://example.com" title="Look" description="At this"><img src="/shot.svg" alt="x" /></Tile>';
const TOOLTIP =
  'An <Tooltip tip="Interface" headline="API" cta="More" href="https://example.com">API</Tooltip> here.';
const TREE = (props = ''): string =>
  `<Tree><Tree.Folder name="app" defaultOpen openable={false}${props}><Tree.File name="page.tsx"${props} /></Tree.Folder><Tree.Folder name="lib"><Tree.File name="a.ts" /></Tree.Folder></Tree>`;
const entry = (name: string): Query => ({ role: 'treeitem', name });
const rest: Row[] = [
  draws('Tile', TILE, { component: 'Tile', class: 'tile', has: { role: 'img', name: 'x' } }, { files: PNG }),
  draws('Tile.href', TILE, link('Look', 'https://example.com', { within: { class: 'tile' } }), {
    files: PNG,
  }),
  draws('Tile.title', TILE, { text: 'Look', within: { class: 'tile' } }, { files: PNG }),
  draws('Tile.description', TILE, { part: 'tile-description', text: 'At this' }, { files: PNG }),
  draws('Tooltip', TOOLTIP, { component: 'Tooltip', class: 'tooltip', attributes: { 'data-tooltip': true } }),
  draws('Tooltip.tip', TOOLTIP, { part: 'tooltip-tip', text: 'Interface' }),
  draws('Tooltip.headline', TOOLTIP, { part: 'tooltip-headline', text: 'API' }),
  draws('Tooltip.cta', TOOLTIP, { part: 'tooltip-cta', text: 'More' }),
  draws('Tooltip.href', TOOLTIP, link('More', 'https://example.com', { part: 'tooltip-cta' })),
  draws('Tree', TREE(), { role: 'tree', component: 'Tree' }),
  draws('Tree.Folder', TREE(), { class: 'tree-folder', has: [entry('app'), entry('page.tsx')] }),
  draws('Tree.Folder.name', TREE(), entry('app')),
  draws(
    'Tree.Folder.defaultOpen',
    '<Tree><Tree.Folder name="app" defaultOpen><Tree.File name="x" /></Tree.Folder></Tree>',
    { ...entry('app'), attributes: { 'aria-expanded': 'true' } },
  ),
  draws('Tree.Folder.openable', TREE(), [
    { ...entry('app'), level: 1, attributes: { 'aria-expanded': false } },
    { ...entry('page.tsx'), level: 2, isHidden: false },
    { ...entry('lib'), level: 1, attributes: { 'aria-expanded': 'false' } },
    { ...entry('a.ts'), level: 2, isHidden: true },
  ]),
  draws('Tree.Folder.highlight', TREE(' highlight'), entry('app'), {
    unlike: TREE().replace('page.tsx"', 'page.tsx" highlight'),
  }),
  draws('Tree.File', TREE(), { class: 'tree-file', has: entry('page.tsx') }),
  draws('Tree.File.name', TREE(), entry('page.tsx')),
  draws('Tree.File.highlight', TREE().replace('page.tsx"', 'page.tsx" highlight'), entry('page.tsx'), {
    unlike: TREE(),
  }),
  draws('FileTree', '<FileTree>\n- app/\n  - page.tsx\n</FileTree>', {
    role: 'tree',
    has: entry('page.tsx'),
  }),
  draws('Tree: a Markdown list', '<Tree>\n- app/\n  - page.tsx\n- empty/\n</Tree>', [
    { class: 'tree-folder', has: [entry('app'), { class: 'tree-file', has: entry('page.tsx') }] },
    { class: 'tree-folder', has: entry('empty') },
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
const shot: Query = { tag: 'img', attributes: { src: 'shot.svg' }, within: { id: 'content' } };
const choice: Row[] = [
  draws(
    'Update',
    UPDATE,
    { role: 'article', name: 'v2.0', component: 'Update', class: 'update' },
    {
      in: { 'rss.xml': { tag: 'item' } },
    },
  ),
  draws('Update.label', UPDATE, link('v2.0', '#own', { part: 'update-label' })),
  draws('Update.description', UPDATE, { part: 'update-description', text: 'May 2026', has: bold('May') }),
  draws('Update.tags', UPDATE, [
    { part: 'update-tag', text: 'API' },
    { id: 'changelog-filters', has: { role: 'button', name: 'API' } },
  ]),
  draws('Update.rss', UPDATE, 'News.', {
    in: {
      'rss.xml': {
        tag: 'item',
        has: [
          { tag: 'title', text: 'Two' },
          { tag: 'description', text: /Big/ },
        ],
      },
    },
  }),
  draws('Update.id', UPDATE, { class: 'update', id: 'own' }),
  draws(
    'Variation',
    '<Variation is="js">For JS</Variation>\n\n<Variation is="py">For Python</Variation>',
    [
      { class: 'variation', text: 'For JS', isHidden: false },
      { class: 'variation', text: 'For Python', isHidden: true },
    ],
    VARIATIONS,
  ),
  draws(
    'Variation.is',
    '<Variation is={["js", "py"]}>For both</Variation>',
    { class: 'variation', attributes: { 'data-variation': '["js","py"]' }, isHidden: false },
    VARIATIONS,
  ),
  draws('View', VIEWS, [
    { role: 'region', name: 'Python', class: 'view', isHidden: true },
    { id: 'multi-view-dropdown', attributes: { 'data-choice': 'view' } },
  ]),
  draws('View.title', VIEWS, {
    role: 'region',
    name: 'JS',
    attributes: { 'data-view': 'JS' },
    isHidden: false,
  }),
  draws('View.icon', VIEWS, icon({ role: 'region', name: 'JS' })),
  draws('View.iconType', VIEWS, regular({ role: 'region', name: 'JS' })),
  draws('Visibility', '<Visibility for="humans">For you</Visibility>', 'For you', {
    notIn: { 'index.md': 'For you' },
  }),
  draws('Visibility.for', '<Visibility for="agents">For machines</Visibility>\n\nText.', 'Text.', {
    lacks: { text: /For machines/, within: { tag: 'body' } },
    in: { 'index.md': 'For machines' },
  }),
  draws('ZoomImage', '<ZoomImage><img src="/shot.svg" alt="x" /></ZoomImage>', shot, { files: PNG }),
  draws(
    'img',
    '<img src="/shot.svg" alt="A shot" />',
    { ...shot, role: 'img', name: 'A shot' },
    { files: PNG },
  ),
  draws(
    'img.noZoom',
    '<img src="/shot.svg" alt="x" noZoom />',
    { tag: 'img', attributes: { 'data-nozoom': true } },
    { files: PNG },
  ),
  draws(
    'img.actions',
    '<img src="/shot.svg" alt="x" actions="copy,download" />',
    [{ role: 'button', name: 'Copy image' }, link('Download image', 'shot.svg')],
    { files: PNG },
  ),
  draws(
    'img.actionsPlacement',
    '<img src="/shot.svg" alt="x" actions actionsPlacement="top-left" />',
    { attributes: { 'data-placement': 'top-left' }, has: { role: 'button', name: 'Copy image' } },
    { files: PNG },
  ),
  draws(
    'ZoomImage.actionsPlacement',
    '<ZoomImage src="/shot.svg" alt="x" actions actionsPlacement="top-left" />',
    { attributes: { 'data-placement': 'top-left' }, has: { role: 'button', name: 'Copy image' } },
    { files: PNG },
  ),
  draws('headings: anchors', '## Set up (fast) v1.2 & you/me\n\n## Set up (fast) v1.2 & you/me', [
    { role: 'heading', level: 2, id: 'set-up-fast-v1-2-&-you/me' },
    { role: 'heading', level: 2, id: 'set-up-fast-v1-2-&-you/me-2' },
  ]),
  draws('headings: {#id}', '## Named {#own-id}\n\n## Escaped \\{#second\\}\n\n## Comment {/* #third */}', [
    { role: 'heading', level: 2, id: 'own-id', name: 'Named' },
    { role: 'heading', level: 2, id: 'second', name: 'Escaped' },
    { role: 'heading', level: 2, id: 'third', name: 'Comment' },
  ]),
];

/** Components that consist of parts: fields, examples, steps, tabs, trees, updates, views. */
export const structured: readonly Row[] = [...fields, ...examples, ...flow, ...rest, ...choice];
