import type { Check } from './check.ts';
import { docsRow } from './defined-keys.ts';
import { services } from './docs-services.ts';
import { none, type Row } from './row.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>';
const LOGOS = { 'logo/light.svg': SVG, 'logo/dark.svg': SVG };
const TWO = {
  'index.mdx': '---\ntitle: Home\n---\nText.',
  'guides/start.mdx': '---\ntitle: Start\n---\nText.\n\n## One\n',
};

/** Tests of the theme cover the layouts; this row verifies that each theme is accepted. */
const theme = (name: string): Row =>
  docsRow(`theme: ${name}`, { docs: { theme: name }, shows: `data-theme="${name}"` });

const themed = (key: string, docs: Check['docs'], more: Check): Row => docsRow(key, { docs, ...more });

const look: Row[] = [
  docsRow('$schema', { docs: { $schema: 'https://example.com/docs.json' }, shows: 'Text.' }),
  docsRow('$ref', {
    docs: { navigation: { $ref: './config/nav.json' } },
    files: { ...TWO, 'config/nav.json': '{ "pages": ["index", "guides/start"] }' },
    shows: 'href="guides/start.html"',
  }),
  docsRow('theme', { docs: { theme: 'mint' }, shows: 'data-theme="mint"' }),
  ...['mint', 'maple', 'palm', 'willow', 'linden', 'almond', 'aspen', 'sequoia', 'luma'].map(theme),
  docsRow('name', { docs: { name: 'Acme' }, shows: '<title>Home - Acme</title>' }),
  docsRow('description', {
    docs: { description: 'All of Acme.' },
    body: ' ',
    shows: '<meta name="description" content="All of Acme.">',
    in: { 'llms.txt': '> All of Acme.' },
  }),
  docsRow('colors.primary', { docs: { colors: { primary: '#0b6e4f' } }, in: { '*.css': '#0b6e4f' } }),
  docsRow('colors.light', {
    docs: { colors: { primary: '#0b6e4f', light: '#7fd1ae' } },
    in: { '*.css': '#7fd1ae' },
  }),
  docsRow('colors.dark', {
    docs: { colors: { primary: '#0b6e4f', dark: '#123456' } },
    in: { '*.css': '#123456' },
  }),
  themed('logo', { logo: '/logo/light.svg' }, { files: LOGOS, shows: 'src="logo/light.svg"' }),
  ...['light', 'dark'].map((mode) =>
    themed(
      `logo.${mode}`,
      { logo: { light: '/logo/light.svg', dark: '/logo/dark.svg' } },
      { files: LOGOS, shows: new RegExp(`<img[^>]*class="op-on-${mode}"[^>]*src="[^"]*logo/${mode}\\.svg"`) },
    ),
  ),
  themed(
    'logo.href',
    { logo: { light: '/logo/light.svg', dark: '/logo/dark.svg', href: 'https://example.com' } },
    { files: LOGOS, shows: /class="nav-logo op-nav-logo" href="https:\/\/example\.com"/ },
  ),
  themed(
    'favicon',
    { favicon: '/logo/light.svg' },
    { files: LOGOS, shows: /rel="icon" href="logo\/light\.svg"/ },
  ),
  ...['light', 'dark'].map((mode) =>
    themed(
      `favicon.${mode}`,
      { favicon: { light: '/logo/light.svg', dark: '/logo/dark.svg' } },
      {
        files: LOGOS,
        shows: new RegExp(`rel="icon" href="logo/${mode}\\.svg"[^>]*prefers-color-scheme: ${mode}`),
      },
    ),
  ),
  docsRow('appearance.default', {
    docs: { appearance: { default: 'dark' } },
    shows: /<html[^>]* class="dark"[^>]*data-appearance="dark"/,
  }),
  docsRow('appearance.strict', {
    docs: { appearance: { default: 'light', strict: true } },
    shows: 'data-appearance-strict',
    lacks: 'id="theme-toggle"',
  }),
];

const WOFF2 = new Uint8Array([0x77, 0x4f, 0x46, 0x32]);
const face = { family: 'Acme Sans', source: '/fonts/acme.woff2', format: 'woff2', weight: 500 };
const font = (fonts: unknown, css: RegExp | string): Check => ({
  docs: { fonts },
  files: { 'fonts/acme.woff2': WOFF2 },
  in: { '*.css': css },
});

const decoration = (name: string, layer: string): Row =>
  docsRow(`background.decoration: ${name}`, {
    docs: { background: { decoration: name } },
    in: { '*.css': `inset:0 0 auto;pointer-events:none;block-size:520px;background:${layer}` },
  });

const background = (key: string, value: unknown, check: Check): Row =>
  docsRow(`background.${key}`, { docs: { background: value }, ...check });

const CODE = '```js\nconst a = 1;\n```';
const codeblocks = (name: string, value: unknown, check: Check): Row =>
  docsRow(`styling.codeblocks${name}`, { docs: { styling: { codeblocks: value } }, body: CODE, ...check });

const thumbnail = (key: string, thumbnails: Record<string, unknown>): Row =>
  docsRow(`thumbnails.${key}`, { docs: { thumbnails }, files: LOGOS, preview: true, changes: '.png' });

const style: Row[] = [
  ...['family', 'source', 'format', 'weight'].map((key) =>
    docsRow(
      `fonts.${key}`,
      font(
        face,
        {
          family: /font-family:\s*["']?Acme Sans/,
          source: /@font-face[^}]*acme[^}]*\.woff2/,
          format: /"Acme Sans"[^}]*format\('woff2'\)/,
          weight: /@font-face[^}]*font-weight:\s*500/,
        }[key] ?? '',
      ),
    ),
  ),
  docsRow('fonts.heading', font({ heading: face }, /--font-heading:[^;]*Acme Sans/)),
  docsRow('fonts.body', font({ body: face }, /--font-(?:body|text|sans):[^;]*Acme Sans/)),
  docsRow('icons.library', {
    docs: { icons: { library: 'lucide' } },
    body: 'See <Icon icon="house" />.',
    shows: /See <svg class="op-icon icon"[^>]*stroke="currentColor"/,
  }),
  decoration('gradient', 'radial-gradient('),
  decoration('grid', 'linear-gradient('),
  decoration('windows', ''),
  background('color.light', { color: { light: '#fafaf0' } }, { in: { '*.css': '#fafaf0' } }),
  background('color.dark', { color: { dark: '#0a0a12' } }, { in: { '*.css': '#0a0a12' } }),
  background('image', '', {
    docs: { background: { image: '/logo/light.svg' } },
    files: LOGOS,
    in: { '*.css': /url\(["']?[^)]*logo\/light\.svg/ },
  }),
  ...['light', 'dark'].map((mode) =>
    background(
      `image.${mode}`,
      { image: { light: '/logo/light.svg', dark: '/logo/dark.svg' } },
      {
        files: LOGOS,
        in: { '*.css': new RegExp(`url\\(["']?[^)]*logo/${mode}\\.svg`) },
      },
    ),
  ),
  ...(['section', 'breadcrumbs'] as const).map((kind) =>
    docsRow(`styling.eyebrows: ${kind}`, {
      docs: { styling: { eyebrows: kind } },
      nav: { groups: [{ group: 'First', pages: ['index'] }] },
      shows:
        kind === 'section'
          ? '<div class="eyebrow op-eyebrow">First</div>'
          : 'class="breadcrumb-list op-breadcrumb-list"',
    }),
  ),
  docsRow('styling.latex', {
    docs: { styling: { latex: true } },
    body: '$x^2$',
    shows: 'class="katex',
  }),
  codeblocks(': system', 'system', { shows: 'code-block' }),
  codeblocks(': dark', 'dark', { in: { '*.css': '.op-code-group{color-scheme:dark}' } }),
  codeblocks(': theme name', 'dracula', {
    in: { '*.css': ['.op-code-group{color-scheme:dark}', '#282a36'] },
  }),
  codeblocks('.theme', { theme: 'github-light' }, { in: { '*.css': '.op-code-group{color-scheme:light}' } }),
  ...(['light', 'dark'] as const).map((mode) =>
    codeblocks(
      `.theme.${mode}`,
      { theme: { light: 'solarized-light', dark: 'nord' } },
      { in: { '*.css': { light: '--code-ground:light-dark(#fdf6e3,', dark: ',#2e3440)' }[mode] } },
    ),
  ),
  docsRow('styling.codeblocks.languages.custom', {
    docs: { styling: { codeblocks: { languages: { custom: ['/grammar.json'] } } } },
    warns: ['config-no-effect'],
  }),
  codeblocks(': css-variables', 'css-variables', {
    in: { '*.css': ['var(--mint-token-keyword,', 'var(--mint-color-background,'] },
  }),
  thumbnail('appearance', { appearance: 'dark' }),
  thumbnail('background', { background: '/logo/light.svg' }),
  docsRow('thumbnails.fonts.family', {
    docs: { thumbnails: { fonts: { family: 'Georgia' } } },
    preview: true,
    shows: 'property="og:image"',
    warns: ['config-no-effect'],
  }),
];

const bar = (link: Record<string, unknown>): Check['docs'] => ({ navbar: { links: [link] } });
const SUPPORT = { label: 'Support', href: 'https://example.com/help', icon: 'life-ring' };
const SOCIAL_LINKS = [
  ...['x', 'website', 'facebook', 'youtube', 'discord', 'slack', 'github', 'linkedin', 'instagram'],
  ...['hacker-news', 'medium', 'telegram', 'twitter', 'x-twitter', 'earth-americas', 'bluesky', 'threads'],
  ...['reddit', 'podcast'],
];

const chrome: Row[] = [
  docsRow('navbar.links.label', { docs: bar(SUPPORT), shows: /navbar-link[^>]*>.*<span>Support<\/span>/ }),
  docsRow('navbar.links.href', { docs: bar(SUPPORT), shows: 'href="https://example.com/help"' }),
  docsRow('navbar.links.icon', { docs: bar(SUPPORT), shows: /help"[^>]*><svg class="op-icon"/ }),
  docsRow('navbar.links.iconType', {
    docs: bar({ label: 'A', href: 'https://example.com/help', icon: 'star', iconType: 'regular' }),
    shows: [/help"[^>]*><svg class="op-icon"/, 'M288.1-32'],
  }),
  docsRow('navbar.links.type', {
    docs: bar({ type: 'github', href: 'https://github.com/acme/docs' }),
    shows: /github\.com\/acme\/docs"[^>]*><svg/,
  }),
  docsRow('navbar.primary.type', {
    docs: { navbar: { primary: { type: 'discord', href: 'https://discord.gg/x' } } },
    shows: /discord\.gg\/x"[^>]*><svg/,
  }),
  docsRow('navbar.primary.label', {
    docs: { navbar: { primary: { type: 'button', label: 'Sign up', href: 'https://example.com' } } },
    shows: /op-button-primary"[^>]*>.*Sign up/,
  }),
  docsRow('navbar.primary.href', {
    docs: { navbar: { primary: { type: 'button', label: 'Sign up', href: 'https://example.com/up' } } },
    shows: /op-button-primary" href="https:\/\/example\.com\/up"/,
  }),
  ...[{ icon: 'rocket' }, { icon: 'star', iconType: 'regular' }].map((style) =>
    docsRow(`navbar.primary.${'iconType' in style ? 'iconType' : 'icon'}`, {
      docs: { navbar: { primary: { label: 'Sign up', href: 'https://example.com/up', ...style } } },
      shows: 'iconType' in style ? 'M288.1-32' : /op-button-label"><svg class="op-icon"/,
    }),
  ),
  docsRow('navigation', { nav: { pages: ['index'] }, shows: 'aria-current="page"' }),
  ...SOCIAL_LINKS.map((name) =>
    docsRow(`footer.socials.${name}`, {
      docs: {
        footer: {
          socials: Object.fromEntries(SOCIAL_LINKS.map((key) => [key, `https://example.com/${key}`])),
        },
      },
      shows: new RegExp(`href="https://example\\.com/${name}"[^>]*aria-label="[^"]+"[^>]*><svg`),
    }),
  ),
  ...(['header', 'items.label', 'items.href'] as const).map((key) =>
    docsRow(`footer.links.${key}`, {
      docs: {
        footer: {
          links: [{ header: 'Company', items: [{ label: 'Jobs', href: 'https://example.com/jobs' }] }],
        },
      },
      shows: { header: 'Company', 'items.label': '>Jobs<', 'items.href': 'href="https://example.com/jobs"' }[
        key
      ],
    }),
  ),
  docsRow('banner.content', {
    docs: { banner: { content: 'New&colon; **v2** is [out](https://example.com)' } },
    shows: [/id="banner"/, 'New: <strong>v2</strong>', 'href="https://example.com"'],
  }),
  docsRow('banner.dismissible', {
    docs: { banner: { content: 'Hi', dismissible: true } },
    shows: 'data-op-dismiss',
  }),
  docsRow('banner.type', {
    docs: { banner: { content: 'Hi', type: 'critical' } },
    shows: /id="banner" data-type="critical"/,
  }),
  docsRow('banner.color', {
    docs: { banner: { content: 'Hi', color: { light: '#112233', dark: '#aabbcc' } } },
    shows: [/id="banner"[^>]*#112233/, /id="banner"[^>]*#aabbcc/],
  }),
  docsRow('interaction.drilldown', {
    docs: { interaction: { drilldown: true } },
    nav: { groups: [{ group: 'A', pages: ['index', { group: 'B', pages: ['guides/start'] }] }] },
    files: TWO,
    in: { '*.js': /sidebar-toggle\\" role=\\"button\\" href=/ },
  }),
];

const menu = (options: unknown[], check: Check): Check => ({ docs: { contextual: { options } }, ...check });
const action = (name: string, shows: Check['shows']): Row =>
  docsRow(`contextual.options: ${name}`, menu([name], { shows }));
const served = (
  name: string,
  note = 'needs a server of the documentation or an application; the menu omits it, and a warning reports it',
): Row => none(`contextual.options: ${name}`, note, menu(['copy', name], { warns: ['config-no-effect'] }));
const LINK = {
  title: 'Ask us',
  description: 'By mail',
  icon: 'envelope',
  href: 'https://example.com/ask?page=$page&path=$path',
};
const custom = (name: string, shows: Check['shows'], option: unknown = LINK): Row =>
  docsRow(`contextual.options${name}`, menu(['copy', option], { shows }));

const contextual: Row[] = [
  action('copy', 'data-op-copy-page'),
  action('view', /class="op-page-action"[^>]* href="index\.md"/),
  action('chatgpt', 'https://chatgpt.com/'),
  action('claude', 'https://claude.ai/'),
  action('perplexity', 'https://www.perplexity.ai/'),
  action('grok', 'https://grok.com/'),
  action('aistudio', 'https://aistudio.google.com/'),
  action('devin', 'https://app.devin.ai/'),
  action('download-pdf', 'data-op-print'),
  docsRow('contextual.options: download-spec', {
    docs: { contextual: { options: ['download-spec'] } },
    front: 'openapi: get /pets',
    files: { 'openapi.json': '{"openapi":"3.1.0","paths":{"/pets":{"get":{"summary":"List pets"}}}}' },
    shows: /class="op-page-action"[^>]* href="openapi\.json" download/,
  }),
  served('devin-desktop'),
  ...['assistant', 'devin-mcp', 'mcp', 'add-mcp', 'cursor', 'vscode'].map((name) =>
    served(
      name,
      'works on sites that the platform serves; the menu of an export for download omits it, and a warning reports it',
    ),
  ),
  custom('.title', 'Ask us'),
  custom('.description', 'By mail'),
  custom('.icon', /<svg[^>]*>.*Ask us/s),
  custom('.iconType', 'M288.1-32', { ...LINK, icon: 'star', iconType: 'regular' }),
  custom('.href', 'https://example.com/ask'),
  custom('.href.base', 'https://example.com/base', {
    title: 'Base',
    href: { base: 'https://example.com/base', query: [{ key: 'q', value: 'Read $page' }] },
  }),
  custom('.href.query', /https:\/\/example\.com\/base\?q=Read/, {
    title: 'Base',
    href: { base: 'https://example.com/base', query: [{ key: 'q', value: 'Read $page' }] },
  }),
  custom(': $page', /example\.com\/ask\?page=[^"]*(?:docs\.example\.com|data-)/),
  custom(': $path', /example\.com\/ask\?[^"]*path=(?!\$)/),
  none(
    'contextual.options: $mcp',
    'the URL of the MCP server on sites that the platform serves; an export for download omits the entry',
  ),
  docsRow('contextual.display', {
    docs: { contextual: { options: ['copy'], display: 'toc' } },
    body: '## One\n\n## Two\n',
    shows: /class="op-toc-action"[^>]*data-op-copy-page/,
  }),
];

const moved = (redirects: unknown[], check: Check): Check => ({ docs: { redirects }, files: TWO, ...check });
const redirect = (name: string, source: string, destination: string, file: string, target: RegExp): Row =>
  docsRow(`redirects${name}`, moved([{ source, destination }], { in: { [file]: target } }));

const addresses: Row[] = [
  redirect('.source', '/old', '/guides/start', 'old.html', /url=guides\/start\.html/),
  redirect('.destination', '/old', '/guides/start', 'old.html', /href="guides\/start\.html"/),
  docsRow(
    'redirects.permanent',
    moved([{ source: '/old', destination: '/guides/start', permanent: false }], {
      in: {
        _redirects: '/old /guides/start 302',
        '_offprint/redirects/nginx.conf': /temporary \{[^}]*"\/old"/,
      },
    }),
  ),
  redirect(': :slug*', '/docs/:slug*', '/guides/:slug*', 'docs/start.html', /url=\.\.\/guides\/start\.html/),
  redirect(': :param', '/d/:name', '/guides/:name', 'd/start.html', /url=\.\.\/guides\/start\.html/),
  redirect(': prefix-*', '/old-*', '/guides/*', 'old-start.html', /url=guides\/start\.html/),
  redirect(': *', '/all/*', '/guides/*', 'all/start.html', /url=\.\.\/guides\/start\.html/),
  docsRow(
    'redirects: external or with an anchor',
    moved(
      [
        { source: '/out', destination: 'https://example.com/x' },
        { source: '/part', destination: '/guides/start#one' },
      ],
      { in: { 'out.html': 'url=https://example.com/x', 'part.html': 'url=guides/start.html#one' } },
    ),
  ),
  docsRow('errors.404.redirect', {
    docs: { errors: { '404': { redirect: true } } },
    emits: ['404.html'],
    warns: ['config-no-effect'],
  }),
  docsRow('errors.404.title', {
    docs: { errors: { '404': { title: 'Lost?' } } },
    in: { '404.html': 'Lost?' },
  }),
  docsRow('errors.404.description', {
    docs: {
      errors: {
        '404': { description: 'Try **this**:\n\n<Card title="Start" href="/guides/start">Text</Card>' },
      },
    },
    files: TWO,
    in: { '404.html': ['<strong>this</strong>', 'class="card op-card', 'href="/guides/start.html"'] },
  }),
  docsRow('variables', {
    docs: {
      variables: { version: '2.4.1', 'api.host': 'api.example.com' },
      banner: { content: 'Now {{version}}' },
    },
    front: 'title: Home of {{version}}',
    body: 'Version {{version}} at `{{api.host}}`.\n\n```sh\ncurl {{api.host}}/{{unknown}}\n```',
    shows: [
      ...['Version 2.4.1', '<code>api.example.com</code>', '{{unknown}}', '<p>Now 2.4.1</p>'],
      ...['Home of 2.4.1</h1>', '<title>Home of 2.4.1'],
    ],
  }),
  docsRow('images.variants', {
    docs: { images: { variants: 'webp' } },
    in: { '*.css': /picture\{display: ?contents/ },
  }),
  docsRow('metadata.timestamp', {
    docs: { metadata: { timestamp: true } },
    front: 'title: Home\nlastUpdatedDate: "2024-05-17"',
    shows: '2024-05-17',
  }),
  docsRow('search.prompt', { docs: { search: { prompt: 'Find it' } }, shows: 'Find it' }),
  docsRow('search.synonyms', {
    docs: { search: { synonyms: ['quokka, marsupial'] } },
    body: 'A quokka.\n',
    in: { '*.js': /marsupial/ },
  }),
];

const UNLISTED = { ...TWO, 'hidden.mdx': '---\ntitle: Hidden\nhidden: true\n---\nText.' };
const organization = {
  id: 'https://example.com/#org',
  name: 'Acme',
  legalName: 'Acme Inc.',
  url: 'https://example.com/',
  logo: 'https://example.com/logo.png',
  sameAs: ['https://github.com/acme'],
};

const seo: Row[] = [
  docsRow('seo.indexing: navigable', {
    docs: { seo: { indexing: 'navigable' } },
    files: UNLISTED,
    notIn: { 'sitemap.xml': ['/guides/start', '/hidden'] },
  }),
  docsRow('seo.indexing: all', {
    docs: { seo: { indexing: 'all' } },
    files: UNLISTED,
    in: { 'sitemap.xml': ['/guides/start', '/hidden'] },
    notIn: { 'hidden.html': 'content="noindex"' },
  }),
  docsRow('seo.metatags', {
    docs: { seo: { metatags: { 'google-site-verification': 'abc' } } },
    shows: '<meta name="google-site-verification" content="abc">',
  }),
  docsRow('seo.metatags.canonical', {
    docs: { seo: { metatags: { canonical: 'https://acme.com/docs' } } },
    files: TWO,
    in: { 'guides/start.html': 'rel="canonical" href="https://acme.com/docs/guides/start"' },
  }),
  docsRow('seo.metatags.robots', {
    docs: { seo: { metatags: { robots: 'noindex' } } },
    shows: '<meta name="robots" content="noindex">',
    in: { 'robots.txt': 'Disallow: /' },
  }),
  ...['path', 'metatags'].map((key) =>
    docsRow(`seo.paths.${key}`, {
      docs: {
        seo: {
          paths: [
            { path: '/guides/start', metatags: { 'x-team': 'deep' } },
            { path: '/guides', metatags: { 'x-team': 'guides' } },
          ],
        },
      },
      files: { ...TWO, 'guides/next.mdx': 'Text.' },
      lacks: 'x-team',
      in: {
        'guides/start.html': 'name="x-team" content="deep"',
        'guides/next.html': 'name="x-team" content="guides"',
      },
    }),
  ),
  ...Object.entries(organization).map(([key, value]) =>
    docsRow(`seo.organization.${key}`, {
      docs: { seo: { organization } },
      shows: new RegExp(
        `application/ld\\+json[\\s\\S]*${key === 'id' ? '@id' : key}[\\s\\S]*${String(value).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`,
      ),
    }),
  ),
  docsRow('seo.trailingSlash', {
    docs: { seo: { trailingSlash: true } },
    files: TWO,
    nav: { pages: ['index', 'guides/start'] },
    in: {
      'guides/start.html': 'rel="canonical" href="https://docs.example.com/guides/start/"',
      'sitemap.xml': '<loc>https://docs.example.com/guides/start/</loc>',
    },
  }),
];

const legacy = (key: string): Row =>
  docsRow(key, {
    docs: { [key]: {} },
    warns: ['config-ignored-key'],
  });

const rest: Row[] = [
  docsRow('public', {
    docs: { public: false },
    warns: ['config-no-effect'],
  }),
  ...['feedback', 'scripts', 'head', 'css', 'js', 'styles'].map(legacy),
  docsRow('styling.css', {
    docs: { styling: { css: 'x.css' } },
    warns: ['config-ignored-key'],
  }),
  docsRow('navbar.links.title', {
    docs: { navbar: { links: [{ title: 'Blog', href: 'https://example.com' }] } },
    shows: '<span>Blog</span>',
  }),
  docsRow('variations.options', {
    docs: {
      variations: {
        options: [
          { id: 'js', label: 'JavaScript' },
          { id: 'py', label: 'Python' },
        ],
      },
    },
    body: '<Variation is="js">For JS.</Variation>\n\n<Variation is="py">For Python.</Variation>',
    shows: ['JavaScript', 'Python', 'For JS.', 'For Python.'],
  }),
];

export const docsJson: readonly Row[] = [
  ...look,
  ...style,
  ...chrome,
  ...contextual,
  ...addresses,
  ...seo,
  ...services,
  ...rest,
];
