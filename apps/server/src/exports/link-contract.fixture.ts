import { type LinkSite, parseLinkFacts } from '@offprint/bundle';
import { memorySource, renderSite } from '@offprint/render';

export type Files = Readonly<Record<string, string>>;

/** `docs.json` of the site that the cases change: one member on each line. */
export interface Docs {
  navigation: unknown;
  redirects: { source: string; destination: string }[];
  [key: string]: unknown;
}

const group = (name: string, pages: unknown[]) => ({ group: name, pages });

export const docs: Docs = {
  name: 'Links',
  theme: 'mint',
  colors: { primary: '#166e3f' },
  navigation: {
    languages: [
      {
        language: 'en',
        versions: [
          {
            version: '2',
            default: true,
            groups: [
              group('Start', ['index', 'guides/start', 'guides/install']),
              group('Parts', ['parts', 'twins', 'marks']),
              { group: 'API', openapi: 'api.yaml' },
            ],
          },
          { version: '1', groups: [group('Old', ['v1/start'])] },
        ],
      },
      { language: 'es', groups: [group('Inicio', ['es/index', 'es/guia'])] },
    ],
  },
  redirects: [
    { source: '/begin', destination: '/guides/start' },
    { source: '/setup', destination: '/guides/install#on-linux' },
    { source: '/manual/:slug*', destination: '/guides/:slug*' },
    { source: '/blog', destination: 'https://blog.example.com/' },
  ],
};

const page = (title: string, body: string): string => `---\ntitle: ${title}\n---\n\n${body}\n`;

export const pages: Files = {
  'index.mdx': page('Home', '## Welcome\n\nText.'),
  'guides/start.mdx': page('Start', '## Before you start\n\nText.\n\n## First steps\n\nText.\n\n## Next'),
  'guides/install.mdx': page('Install', '## On Linux\n\n### Debian\n\n## On macOS\n\n## What is new?'),
  'parts.mdx': page(
    'Parts',
    [
      '<Tabs>\n  <Tab title="Node">\n    One.\n  </Tab>\n  <Tab title="Python">\n    Two.\n  </Tab>\n</Tabs>',
      '<AccordionGroup>\n  <Accordion title="Costs">\n    Some.\n  </Accordion>\n  <Accordion title="Limits" id="limits-of-use">\n    Few.\n  </Accordion>\n</AccordionGroup>',
      '<Steps>\n  <Step title="Download">\n    It.\n  </Step>\n</Steps>',
      '<Snippet file="terms.mdx" />',
    ].join('\n\n'),
  ),
  'snippets/terms.mdx': '## Terms of use\n\nText.\n',
  'twins.mdx': page('Twins', '## Example\n\nA.\n\n## Example\n\nB.\n\n## Result\n\nC.'),
  'marks.mdx': page('Marks', '## Own id {#mine}\n\n<span id="spot">Spot</span>\n\n<h3 id="raw">Raw</h3>'),
  'v1/start.mdx': page('Start 1', '## Legacy'),
  'es/index.mdx': page('Inicio', '## Bienvenida'),
  'es/guia.mdx': page('Guía', '## Español'),
  'files/data.csv': 'a,b\n',
  'api.yaml': `openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /orders:
    get:
      summary: List orders
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
      responses:
        '200': { description: Orders }
    post:
      summary: Create an order
      responses:
        '201': { description: Created }
`,
};

export const filesOf = (own: Docs = docs, more: Files = pages): Files => ({
  ...more,
  'docs.json': `${JSON.stringify(own, null, 1)}\n`,
});

/** What a check of links reads of a site, from an export of its source. */
export async function linkSite(files: Files, basePath = '', html?: Map<string, string>): Promise<LinkSite> {
  const paths: string[] = [];
  const result = await renderSite({
    source: memorySource(files),
    siteUrl: `https://docs.example.com${basePath}`,
    emit(path, content) {
      paths.push(path);
      if (typeof content === 'string') html?.set(path, content);
      return undefined;
    },
  });
  return {
    basePath,
    manifest: { files: paths.map((path) => ({ path })), redirects: result.redirects },
    facts: await parseLinkFacts(result.links),
  };
}
