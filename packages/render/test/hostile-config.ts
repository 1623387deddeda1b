/** Hostile values of front matter and docs.json. What runs calls `canary`, which the tests watch. */

/** YAML lines of front matter; each is a page. */
export const frontMatters: string[] = [
  'title: "</title><script>canary(1)</script>"',
  'title: "<img src=x onerror=canary(1)>"\nsidebarTitle: "<svg onload=canary(1)>"',
  'title: "[x](javascript:canary(1))"\ndescription: "[x](javascript:canary(1)) <script>canary(1)</script>"',
  'title: "\\u2028</script><!--<script>canary(1)</script>"',
  'description: "\\"><script>canary(1)</script>"',
  'icon: "\\"><script>canary(1)</script>"',
  'icon: "javascript:canary(1)"',
  'icon: "<svg onload=canary(1)><script>canary(1)</script></svg>"',
  'icon: "data:image/svg+xml,<svg onload=canary(1)>"',
  'tag: "<script>canary(1)</script>"',
  'mode: "\\"><script>canary(1)</script>"',
  'canonical: "javascript:canary(1)"',
  'canonical: "https://x/\\"><script>canary(1)</script>"',
  '"og:title": "\\"><script>canary(1)</script>"\n"og:image": "javascript:canary(1)"',
  '"og:image": "//evil.example/x.png\\" onload=\\"canary(1)"',
  '"twitter:x onload=canary(1)": "x"',
  '"og:\\"><script>canary(1)</script>": x',
  'keywords: ["\\"><script>canary(1)</script>", "</script>"]',
  'viewport: "\\"><script>canary(1)</script>"',
  'robots: "\\"><script>canary(1)</script>"',
  'author: "\\"><script>canary(1)</script>"',
  'authors: ["<script>canary(1)</script>", {name: "</script><script>canary(1)</script>", url: "javascript:canary(1)"}]',
  'lastUpdatedDate: "\\"><script>canary(1)</script>"\ntimestamp: true',
  'createdDate: "<script>canary(1)</script>"',
  'related: ["javascript:canary(1)", {"<script>canary(1)</script>": "javascript:canary(1)"}, "\\"><script>"]',
  'contextual: {options: [{title: "<script>canary(1)</script>", description: "\\"><script>", icon: "\\"><script>", href: "javascript:canary(1)"}]}',
  'contextual: {options: [{title: x, description: y, href: {base: "javascript:canary(1)", query: [{key: "\\"><script>", value: "$page"}]}}]}',
  'api: "GET javascript:canary(1)"',
  'api: "POST https://x/<script>canary(1)</script>/{\\"onclick=canary(1)}"',
  'openapi: "x.json GET /<script>canary(1)</script>"',
  'openapi: "javascript:canary(1) GET /x"',
  'version: "<script>canary(1)</script>"\ndeprecated: "<script>canary(1)</script>"',
  'groups: ["<script>canary(1)</script>"]',
  'url: "javascript:canary(1)"',
  'url: "data:text/html,<script>canary(1)</script>"',
  'rss: "\\"><script>canary(1)</script>"',
  '"<script>canary(1)</script>": x',
  'title: !!js/function "canary(1)"',
  'title: {toString: canary}',
  '__proto__: {title: "<script>canary(1)</script>"}',
];

const broken = '"><script>canary(1)</script><img src=x onerror=canary(1)>';

/** A docs.json that is hostile in every value that reaches pages. */
export const hostileConfig = {
  theme: 'mint',
  name: `</title></script>${broken}`,
  description: broken,
  colors: { primary: '#0f766e', light: `#2dd4bf;}</style>${broken}`, dark: 'url(//evil.example/x)' },
  logo: { light: 'javascript:canary(1)', dark: `/x${broken}`, href: 'javascript:canary(1)' },
  favicon: `/x.svg${broken}`,
  fonts: {
    family: `x;}</style>${broken}`,
    source: 'https://evil.example/x.woff2',
    heading: { family: "x'; background: url(//evil.example/x)", weight: `4;${broken}` },
    body: { family: broken, source: `/x.woff2") format("x");}${broken}`, format: broken },
  },
  icons: { library: broken },
  background: {
    decoration: broken,
    color: { light: broken, dark: 'url(//evil.example/x)' },
    image: 'javascript:canary(1)',
  },
  styling: { eyebrows: broken, codeblocks: { theme: { light: broken, dark: broken } }, latex: broken },
  thumbnails: { background: 'https://evil.example/x.png', appearance: broken, fonts: { family: broken } },
  navbar: {
    links: [
      { label: broken, href: 'javascript:canary(1)', icon: broken },
      { label: broken, href: `https://example.com/${broken}`, icon: 'javascript:canary(1)' },
      { type: 'github', href: 'https://github.com/a/b"><script>canary(1)</script>' },
    ],
    primary: { type: 'button', label: broken, href: ' jav\tascript:canary(1)' },
  },
  footer: {
    socials: {
      x: 'javascript:canary(1)',
      [broken]: 'https://example.com/',
      github: `https://example.com/${broken}`,
    },
    links: [
      {
        header: broken,
        items: [
          { label: broken, href: 'javascript:canary(1)' },
          { label: broken, href: '/x' },
        ],
      },
    ],
  },
  banner: {
    content: `[x](javascript:canary(1)) <script>canary(1)</script> <img src=x onerror=canary(1)> **${broken}**`,
    dismissible: true,
    type: broken,
    color: { light: `#fff;}${broken}`, dark: 'url(//evil.example/x)' },
  },
  contextual: {
    options: [
      'copy',
      'view',
      'chatgpt',
      { title: broken, description: broken, icon: broken, href: 'javascript:canary(1)' },
      {
        title: 'x',
        description: 'y',
        icon: 'link',
        href: { base: 'javascript:canary(1)//$page', query: [{ key: broken, value: '$path' }] },
      },
    ],
    display: broken,
  },
  redirects: [
    { source: '/from-a', destination: 'javascript:canary(1)' },
    { source: `/from-b${broken}`, destination: `https://example.com/${broken}` },
    { source: '/from-c', destination: 'data:text/html,<script>canary(1)</script>' },
    { source: '/from-d', destination: `/index"><script>canary(1)</script>` },
    { source: '/from-e', destination: '//evil.example/' },
    { source: '/from-f/:x*', destination: 'javascript:canary(1)/:x*' },
  ],
  errors: {
    404: {
      redirect: false,
      title: broken,
      description: `[x](javascript:canary(1)) ${broken} <Card href="javascript:canary(1)">x</Card>`,
    },
  },
  variables: { evil: '<script>canary(1)</script>', __proto__x: broken, url: 'javascript:canary(1)' },
  search: { prompt: broken },
  metadata: { timestamp: broken },
  seo: {
    metatags: {
      canonical: 'javascript:canary(1)',
      [broken]: broken,
      'og:image': 'javascript:canary(1)',
      description: broken,
    },
    organization: {
      name: `</script><script>canary(1)</script>`,
      url: 'javascript:canary(1)',
      logo: `https://example.com/</script><script>canary(1)</script>`,
      sameAs: ['</script><script>canary(1)</script>', '<!--<script>'],
    },
    paths: [{ path: '/', metatags: { keywords: broken } }],
  },
  api: {
    mdx: { server: 'javascript:canary(1)', auth: { method: broken, name: broken } },
    playground: { display: broken },
  },
  markdown: { instructions: broken },
  integrations: {
    ga4: { measurementId: `G-${broken}` },
    plausible: { domain: broken, server: 'evil.example' },
    gtm: { tagId: broken },
  },
  interaction: { drilldown: broken },
  scripts: ['https://evil.example/x.js', { src: 'javascript:canary(1)' }],
  head: '<script>canary(1)</script>',
} as const;
