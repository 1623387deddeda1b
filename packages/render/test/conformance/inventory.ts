/**
 * The format, listed by hand from its description and deliberately independent of the tables and code of the project:
 * every key, field, component, prop and option has a line here, and the conformance table must have a row for each.
 */

const words = (text: string): string[] => text.trim().split(/\s+/);
/** `Parent.child` for each child. */
const below = (parent: string, children: string): string[] =>
  words(children).map((child) => `${parent}.${child}`);

const THEMES = words('mint maple palm willow linden almond aspen sequoia luma');
const SOCIALS = words(
  'x website facebook youtube discord slack github linkedin instagram hacker-news medium telegram twitter x-twitter earth-americas bluesky threads reddit podcast',
);
const CONTEXTUAL = words(
  'assistant copy view download-pdf download-spec chatgpt claude perplexity grok aistudio devin devin-desktop devin-mcp mcp add-mcp cursor vscode',
);
const INTEGRATIONS = words(`
  adobe.launchUrl amplitude.apiKey clarity.projectId clearbit.publicApiKey fathom.siteId frontchat.snippetId
  ga4.measurementId gtm.tagId heap.appId hightouch.writeKey hightouch.apiHost hotjar.hjid hotjar.hjsv intercom.appId
  koala.publicApiKey logrocket.appId mixpanel.projectToken mixpanel.region onetrust.domainScript onetrust.categoryId
  onetrust.scriptSource pirsch.id plausible.domain plausible.server posthog.apiKey posthog.apiHost
  posthog.sessionRecording segment.key segment.cdnUrl telemetry.enabled transcend.bundleId
  transcend.analyticsPurpose cookies.key cookies.value`);
const LANGUAGES = words(
  'ar ca cn cs da de en es fi fr fr-CA he hi hu id it ja ja-JP jp ko lv nl no pl pt pt-BR ro ru sv tr uk uz vi zh zh-CN zh-Hans zh-Hant zh-TW',
);

export const inventory: Readonly<Record<string, readonly string[]>> = {
  'docs.json': [
    ...words('$schema $ref theme'),
    ...THEMES.map((name) => `theme: ${name}`),
    ...words('name description colors.primary colors.light colors.dark logo logo.light logo.dark logo.href'),
    ...words('favicon favicon.light favicon.dark appearance.default appearance.strict'),
    ...below('fonts', 'family weight source format heading body'),
    ...words('icons.library'),
    ...['background.decoration: gradient', 'background.decoration: grid', 'background.decoration: windows'],
    ...words(
      'background.color.light background.color.dark background.image background.image.light background.image.dark',
    ),
    ...['styling.eyebrows: section', 'styling.eyebrows: breadcrumbs', 'styling.latex'],
    ...['styling.codeblocks: system', 'styling.codeblocks: dark', 'styling.codeblocks: theme name'],
    ...words('styling.codeblocks.theme styling.codeblocks.theme.light styling.codeblocks.theme.dark'),
    ...['styling.codeblocks.languages.custom', 'styling.codeblocks: css-variables'],
    ...below('thumbnails', 'appearance background fonts.family'),
    ...below('navbar.links', 'label href icon iconType type'),
    ...below('navbar.primary', 'type label href'),
    ...['navigation'],
    ...SOCIALS.map((name) => `footer.socials.${name}`),
    ...words('footer.links.header footer.links.items.label footer.links.items.href'),
    ...below('banner', 'content dismissible type color'),
    ...['interaction.drilldown'],
    ...CONTEXTUAL.map((name) => `contextual.options: ${name}`),
    ...['title', 'description', 'icon', 'href', 'href.base', 'href.query'].map(
      (key) => `contextual.options.${key}`,
    ),
    ...[
      'contextual.options: $page',
      'contextual.options: $path',
      'contextual.options: $mcp',
      'contextual.display',
    ],
    ...below('redirects', 'source destination permanent'),
    ...[
      'redirects: :slug*',
      'redirects: :param',
      'redirects: prefix-*',
      'redirects: *',
      'redirects: external or with an anchor',
    ],
    ...below('errors.404', 'redirect title description'),
    ...words('variables metadata.timestamp search.prompt'),
    ...['seo.indexing: navigable', 'seo.indexing: all'],
    ...words('seo.metatags seo.metatags.canonical seo.metatags.robots seo.paths.path seo.paths.metatags'),
    ...below('seo.organization', 'id name legalName url logo sameAs'),
    ...words('seo.trailingSlash api.openapi api.openapi.source api.openapi.directory api.openapi.overlays'),
    ...words('api.asyncapi api.playground.display api.playground.proxy api.playground.credentials'),
    ...words('api.params.expanded api.params.post api.url'),
    ...below('api.examples', 'languages defaults prefill autogenerate'),
    ...words('api.mdx.server api.mdx.auth.method api.mdx.auth.name markdown.schema markdown.instructions'),
    ...INTEGRATIONS.map((name) => `integrations.${name}`),
    ...words('public variations.options feedback scripts head css js styles styling.css navbar.links.title'),
  ],
  navigation: [
    ...words('languages versions products tabs menu dropdowns anchors groups pages global'),
    ...below('global', 'tabs anchors dropdowns languages versions products'),
    ...words('icon icon.name icon.style icon.library iconType hidden href openapi asyncapi'),
    ...['directory: none', 'directory: accordion', 'directory: card', 'directory: inherited'],
    ...below('languages', 'language default banner footer navbar'),
    ...LANGUAGES.map((code) => `languages.language: ${code}`),
    ...below('versions', 'version default tag'),
    ...below('products', 'product name description color menu'),
    ...below('tabs', 'tab menu searchable align graphql sdk'),
    ...below('menu', 'item description'),
    ...below('anchors', 'anchor color'),
    ...below('dropdowns', 'dropdown description color'),
    ...below('groups', 'group pages root tag expanded boost searchable public'),
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
    ...words('collapsed expandable includeTags'),
  ],
  'mint.json': words(`
    navigation tabs anchors primaryTab topAnchor versions versions.locale topbarLinks topbarCtaButton
    modeToggle.default modeToggle.isHidden codeBlock.mode eyebrow.display font.family font.url font.headings font.body
    colors.background background.style backgroundImage colors.anchors api.baseUrl api.auth api.playground.mode
    api.playground.disableProxy api.request.example.languages api.paramFields.expanded openapi tabs.openapi
    anchors.openapi metadata seo.indexHiddenPages analytics integrations.intercom integrations.frontchat footerSocials
    footer.links feedback rounded sidebar.items topbar.style search.location isWhiteLabeled layout theme _snippets`),
  'front matter': [
    ...words('title sidebarTitle description icon iconType tag'),
    ...words('default wide custom frame center assistant').map((mode) => `mode: ${mode}`),
    ...words(
      'hidden noindex searchable boost robots keywords url openapi openapi-schema asyncapi graphql api',
    ),
    ...words(
      'authMethod auth contentType playground hideApiMarker deprecated version groups public timestamp',
    ),
    ...words('lastUpdatedDate createdDate authors rss related contextual hideFooterPagination canonical'),
    ...words('og:title og:description og:image og:url og:type og:image:width og:image:height'),
    ...words('twitter:title twitter:description twitter:image twitter:card twitter:site article:* viewport'),
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
    ...['Card', ...below('Card', 'title icon iconType color href horizontal img cta arrow disabled type as')],
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
      'Swagger 2',
      'overlays',
      'pages of a node with openapi',
      'pages of several descriptions',
    ],
    ...words(
      'x-hidden x-excluded x-mint.metadata x-mint.content x-mint.href x-mint.groups x-mint.mcp x-group',
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
