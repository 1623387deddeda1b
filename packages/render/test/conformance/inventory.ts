/**
 * What the format has besides the keys of docs.json, its navigation and front matter, which `missingKeys` knows from their
 * definitions. It is listed by hand from the description of the format, independent of the code of the project, and the
 * conformance table must have a row for each.
 */

const words = (text: string): string[] => text.trim().split(/\s+/);
/** `Parent.child` for each child. */
const below = (parent: string, children: string): string[] =>
  words(children).map((child) => `${parent}.${child}`);

const SOCIALS = words(
  'x website facebook youtube discord slack github linkedin instagram hacker-news medium telegram twitter x-twitter earth-americas bluesky threads reddit podcast',
);
const CONTEXTUAL = words(
  'assistant copy view download-pdf download-spec chatgpt claude perplexity grok aistudio devin devin-desktop devin-mcp mcp add-mcp cursor vscode',
);
const LANGUAGES = words(
  'ar ca cn cs da de en es fi fr fr-CA he hi hu id it ja ja-JP jp ko lv nl no pl pt pt-BR ro ru sv tr uk uz vi zh zh-CN zh-Hans zh-Hant zh-TW',
);

export const inventory: Readonly<Record<string, readonly string[]>> = {
  'docs.json': [
    '$ref',
    ...['system', 'dark', 'theme name', 'css-variables'].map((name) => `styling.codeblocks: ${name}`),
    ...SOCIALS.map((name) => `footer.socials.${name}`),
    ...[...CONTEXTUAL, '$page', '$path', '$mcp'].map((name) => `contextual.options: ${name}`),
    ...[':slug*', ':param', 'prefix-*', '*', 'external or with an anchor'].map(
      (name) => `redirects: ${name}`,
    ),
    ...words('seo.metatags.canonical seo.metatags.robots'),
  ],
  navigation: [
    ...below('global', 'tabs anchors dropdowns languages versions products'),
    ...LANGUAGES.map((code) => `languages.language: ${code}`),
    'directory: inherited',
    ...[
      'pages: path',
      'pages: slash, extension, spaces, case',
      'pages: METHOD /path',
      'pages: file METHOD /path',
    ],
    ...['pages: file webhook name', 'pages: nested group', 'pages: listed twice', 'pages: without a file'],
    ...[
      'any kind in any other',
      'two kinds side by side',
      'a start page without an index',
      'previous and next',
    ],
  ],
  'mint.json': words(`
    navigation tabs anchors primaryTab topAnchor versions versions.locale topbarLinks topbarCtaButton
    modeToggle.default modeToggle.isHidden codeBlock.mode eyebrow.display font.family font.url font.headings font.body
    colors.background background.style backgroundImage colors.anchors api.baseUrl api.auth api.playground.mode
    api.playground.disableProxy api.request.example.languages api.paramFields.expanded openapi tabs.openapi
    anchors.openapi metadata seo.indexHiddenPages analytics integrations.intercom integrations.frontchat footerSocials
    footer.links feedback rounded sidebar.items topbar.style search.location isWhiteLabeled layout theme _snippets`),
  'front matter': [
    ...words('og:title og:description og:image og:url og:type og:image:width og:image:height'),
    ...words('twitter:title twitter:description twitter:image twitter:card twitter:site article:*'),
    ...[
      'TOML',
      'invalid YAML',
      'keys with a colon, unquoted',
      'booleans as text',
      'any other key',
      'no title',
    ],
  ],
  components: [
    'className, style and id',
    'an unknown component',
    'a component that crashes',
    ...[
      'Accordion',
      ...below('Accordion', 'title description defaultOpen icon iconType id'),
      'AccordionGroup',
    ],
    ...['Badge', ...below('Badge', 'color size shape icon iconType stroke variant disabled href')],
    ...words('Note Warning Info Tip Check Danger Note.title Note.icon'),
    ...['Callout', ...below('Callout', 'icon iconType color title type')],
    ...[
      'Card',
      ...below(
        'Card',
        'title description icon iconType color href horizontal img cta arrow disabled type as',
      ),
    ],
    ...words('CardGroup CardGroup.cols Columns Columns.cols Column CodeGroup CodeGroup.dropdown'),
    ...[
      'CodeBlock',
      ...below('CodeBlock', 'language filename icon lines wrap expandable nocopy highlight focus'),
    ],
    ...words('Color Color.variant Color.Row Color.Row.title Color.Item Color.Item.name Color.Item.value'),
    ...words('Expandable Expandable.title Expandable.defaultOpen'),
    ...['Frame', ...below('Frame', 'caption hint title description'), 'Example', 'Frame: video autoPlay'],
    ...words('GitHub.Repo Github.Repo GitHub.Repo.repo GitHub.Repo.variant'),
    ...words('Heading Heading.level Heading.id Heading.noAnchor'),
    ...['Icon', ...below('Icon', 'icon src iconType color size className')],
    ...words('Latex Link Link.href MDX MDX.className Mermaid Mermaid.chart Panel'),
    ...[
      'ParamField',
      ...below('ParamField', 'query path body header type required deprecated default placeholder'),
    ],
    ...[...below('ParamField', 'initialValue enum id hidden'), 'Param'],
    ...['ResponseField', ...below('ResponseField', 'name type required deprecated default pre post id')],
    ...['Prompt', ...below('Prompt', 'description icon iconType actions')],
    ...words('RequestExample RequestExample.dropdown ResponseExample ResponseExample.dropdown'),
    ...['Snippet', 'Snippet.file', 'Snippet: variables', 'SnippetGroup'],
    ...[
      'Steps',
      'Steps.titleSize',
      'Step',
      ...below('Step', 'title icon iconType stepNumber titleSize id noAnchor'),
    ],
    ...[
      'Tabs',
      ...below('Tabs', 'defaultTabIndex sync borderBottom'),
      'Tab',
      ...below('Tab', 'title icon iconType id'),
    ],
    ...['Tile', ...below('Tile', 'href title description')],
    ...['Tooltip', ...below('Tooltip', 'tip headline cta href')],
    ...['Tree', 'Tree.Folder', ...below('Tree.Folder', 'name defaultOpen openable highlight')],
    ...['Tree.File', 'Tree.File.name', 'Tree.File.highlight', 'FileTree', 'Tree: a Markdown list'],
    ...['Update', ...below('Update', 'label description tags rss id')],
    ...['Variation', 'Variation.is', 'View', ...below('View', 'title icon iconType')],
    ...['Visibility', 'Visibility.for'],
    ...['ZoomImage', 'img', ...below('img', 'noZoom actions actionsPlacement')],
    ...['headings: anchors', 'headings: {#id}'],
  ],
  'code fences': [
    ...['language', 'title', 'title="..."', 'icon', 'lines', 'wrap', 'expandable', 'nocopy', 'twoslash'],
    ...[
      'highlight={...}',
      '{1,3-5}',
      'highlight="1-3"',
      'focus={...}',
      'focus=2,4',
      'theme',
      '[expandable]',
      'x=false',
    ],
    ...[
      '[!code ++]',
      '[!code --]',
      '[!code ++:3]',
      '[!code highlight]',
      '[!code focus]',
      'four backticks',
      '~~~',
    ],
    ...[
      'unknown language',
      'language nocopy',
      'mermaid',
      'mermaid actions',
      'mermaid placement',
      'mermaid ELK',
    ],
    ...['props in fences of snippets'],
  ],
  content: [
    ...[
      'variables',
      '$...$',
      '$$...$$',
      'dollars in prose',
      'smart punctuation',
      'keys as kbd',
      'tables',
      'footnotes',
    ],
    ...[
      'task lists',
      'links to pages',
      'relative links',
      'links with .md',
      'links to redirects',
      'hash links',
    ],
    ...[
      'images',
      'images light and dark',
      'Tailwind classes',
      'className and class',
      'style as a string',
      'HTML comments',
    ],
    ...[
      '<script> and <style>',
      'import of snippets',
      'import of named exports',
      'nested imports',
      'unresolved imports',
    ],
    ...[
      'export const',
      'components of a page',
      'React hooks',
      'URLs in React components',
      'SVG files of the docs folder',
      'HTML files of the docs folder',
      'built-in components in React components',
      'user',
      'CSS of the site',
      'JavaScript of the site',
    ],
    ...[
      'stable ids and classes',
      'symlinks',
      'files that are not pages',
      '.mintignore',
      'pages that do not parse',
    ],
  ],
  'API descriptions': [
    ...[
      'OpenAPI 3.0 and 3.1',
      'OpenAPI 3.2',
      'Swagger 2',
      'overlays',
      'pages of a node with openapi',
      'pages of several descriptions',
      'additionalOperations',
      'tags with summary, parent and kind',
      'descriptions of other hosts',
      'examples that do not match their schemas',
    ],
    ...words(
      'x-hidden x-excluded x-mint.metadata x-mint.content x-mint.href x-mint.groups x-mint.mcp x-group x-tagGroups',
    ),
    ...words(
      'x-mint.pre x-mint.post x-mint.playground.expand x-codeSamples x-default x-mcp webhooks x-webhooks',
    ),
    ...[
      'playground',
      'parameters and schemas',
      'code samples',
      'callbacks',
      'AsyncAPI 3',
      'GraphQL',
      'SDK references',
    ],
  ],
  publication: [
    ...[
      'pages of the navigation',
      'hidden pages',
      'unlisted pages',
      'noindex pages',
      'searchable: false',
      'hidden groups that are searchable',
    ],
    ...words('sitemap.xml robots.txt llms.txt .well-known/llms.txt llms-full.txt skill.md 404.html _headers'),
    ...[
      'own robots.txt, sitemap.xml, llms.txt',
      'Markdown of each page',
      'RSS of each page with updates',
      'skills of .mintlify',
    ],
    ...[
      'search index',
      'preview images',
      'downloads of descriptions',
      'canonical link',
      'Open Graph and Twitter',
      'JSON-LD',
    ],
    ...['hreflang', 'theme-color', 'generator', 'MCP server', 'assistant', 'PDF', 'Accept: text/markdown'],
  ],
};
