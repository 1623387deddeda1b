/**
 * Every link of every answer works: a scripted model writes links that lead to pages, sections, redirects and files of
 * the site, to nothing, to a page that the reader cannot read, and to other hosts, in all forms of Markdown. What the
 * reader gets is followed on the site server. 50 answers in the usual run, 1,000 with OFFPRINT_TEST=full.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activeParts } from '../../apps/server/src/assistant/hostile.fixture.ts';
import { createRandom, type Random } from '../../bench/relevance/random.ts';
import { type ModelServer, startModelServer } from '../support/agent/model-server.ts';
import { HOST, modelEnv, question, readChunks, type ServedDocs, send, serveDocs, textOf } from './site.ts';

const ANSWERS = process.env.OFFPRINT_TEST === 'full' ? 1_000 : 50;

const FILES: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index', 'quickstart', 'guides/index', 'guides/café notes', 'secret', 'link'] },
    redirects: [
      { source: '/old', destination: '/quickstart#install' },
      { source: '/older', destination: '/old' },
      { source: '/blog/:slug*', destination: 'https://blog.example/:slug*' },
      { source: '/lost', destination: '/nowhere' },
    ],
  }),
  'index.mdx': '---\ntitle: Acme\n---\n\nWelcome to the rocket.\n',
  'quickstart.mdx':
    '---\ntitle: Quickstart\n---\n\n## Install\n\nRocket.\n\n## Install\n\nAgain.\n\n### Über `x`\n\nText.\n',
  'guides/index.mdx': '---\ntitle: Guides\n---\n\n## First\n\nRocket guides.\n',
  'guides/café notes.mdx': '---\ntitle: Notes\n---\n\n## One (two)\n\nRocket notes.\n',
  'secret.mdx': '---\ntitle: Secret\ngroups: ["staff"]\n---\n\n## Hidden\n\nRocket secret.\n',
  'link.mdx': '---\ntitle: Elsewhere\nurl: https://elsewhere.example/\n---\n',
  'images/rocket.svg': '<svg xmlns="http://www.w3.org/2000/svg"><title>Rocket</title></svg>',
};
/** Lead to a page, a section or a file. */
const WORKING = [
  ...['/', '/quickstart', '/quickstart#install', '/quickstart#install-2', 'quickstart', './quickstart'],
  ...[
    '/docs/quickstart',
    `https://${HOST}/docs/quickstart#install`,
    `http://${HOST}/docs/`,
    '/quickstart.md',
  ],
  ...[
    '/quickstart.html',
    '/guides',
    '/guides/',
    '/guides/index#first',
    '/old',
    '/older',
    '/images/rocket.svg',
  ],
  ...['/guides/caf%C3%A9%20notes', '/quickstart?utm=1', '/quickstart#gone', '#top', '?x'],
];
const BROKEN = [
  ...['/gone', '/quickstart/gone', '/secret', '/secret#hidden', '/secret.md', '/link', '/lost', '/blog/post'],
  ...['/quickstart%00', '/..%2f..%2fetc/passwd', '/docs/docs/quickstart', '/guides/caf%E9', '/docs.json'],
  ...[
    '/_offprint/search.js',
    '/offprint.json',
    'https://evil.example/quickstart',
    '//evil.example/docs/',
    '',
  ],
  ...[`https://${HOST}:8443/gone`, `https://${HOST}/quickstart/none`, 'javascript:alert(1)', '/%', 'mailto:'],
];
const FORMS = [
  (url: string) => `See [the page](${url}).`,
  (url: string) => `See [the page](<${url}> "Title").`,
  (url: string, at: number) => `See [the page][${at}].\n\n[${at}]: ${url}`,
  (url: string) => `See **[the page](${url})** and more.`,
  (url: string) => `- [the page](${url})\n- [another](${url})`,
  (url: string) => `| a | b |\n| - | - |\n| [the page](${url}) | 1 |`,
  (url: string) => `See <${url}>, or ${url}`,
  (url: string) => `> [![picture](${url})](${url})`,
  (url: string) => `# [the page](${url})\n\n\`[code](${url})\``,
];

let docs: ServedDocs;
let model: ModelServer;
let text = '';

beforeAll(async () => {
  model = await startModelServer({ script: () => ({ text }) });
  docs = await serveDocs(FILES, {
    env: {
      ...modelEnv(model.url),
      OFFPRINT_ASSISTANT_READER_TOKENS: '1000000000',
      OFFPRINT_ASSISTANT_SITE_TOKENS: '1000000000',
      OFFPRINT_ASSISTANT_FREE_QUESTIONS: '100000',
    },
    basePath: '/docs',
  });
}, 300_000);
afterAll(async () => {
  await docs?.stop();
  await model?.close();
});

/** Why a reader who follows a link on the site does not get there; null if it works. */
async function follow(url: string): Promise<string | null> {
  let target = url;
  for (let hop = 0; hop < 5; hop++) {
    if (!target.startsWith('/docs/') && target !== '/docs') return `leads to ${target}`;
    const [path = '', fragment = ''] = target.split('#');
    const response = await send(docs.port, 'GET', path, { headers: { accept: 'text/html' } });
    const body = await response.text();
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      const next = new URL(location, `http://${HOST}${path}`);
      if (next.host !== HOST) return `redirects to ${location}`;
      target = next.pathname + (next.hash === '' && fragment !== '' ? `#${fragment}` : next.hash);
      continue;
    }
    if (response.status !== 200) return `status ${response.status}`;
    if (fragment === '') return null;
    const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    return ids.includes(decodeURIComponent(fragment)) ? null : `no section ${fragment}`;
  }
  return 'redirects without end';
}

function writeAnswer(random: Random): { text: string; working: number } {
  let working = 0;
  const parts = Array.from({ length: 2 + random.below(5) }, (_, at) => {
    const isWorking = random.below(2) === 0;
    const url = random.pick(isWorking ? WORKING : BROKEN);
    if (isWorking) working++;
    return random.pick(FORMS)(url, at);
  });
  return { text: parts.join('\n\n'), working };
}

test(`of ${ANSWERS} answers, no link and no source is broken, and working links stay`, async () => {
  const random = createRandom('links');
  const known = new Map<string, Promise<string | null>>();
  const broken: string[] = [];
  const count = { links: 0, sources: 0, written: 0 };
  for (let at = 0; at < ANSWERS; at++) {
    const written = writeAnswer(random);
    ({ text } = written);
    count.written += written.working;
    const chunks = await readChunks(
      await docs.ask('/_offprint/assistant/message', question('Where is the rocket?', { currentPath: '/' })),
    );
    const { links } = activeParts(textOf(chunks));
    const sources = chunks.flatMap((chunk) => (chunk.type === 'source-url' ? [chunk.url] : []));
    count.links += links.length;
    count.sources += sources.length;
    for (const url of [...links, ...sources]) {
      const fault = known.get(url) ?? follow(url);
      known.set(url, fault);
      if ((await fault) !== null) broken.push(`${url} ${await fault}\n${text}`);
    }
  }
  console.info(
    `${ANSWERS} answers: ${count.links} links and ${count.sources} sources with ${known.size} URLs, ${broken.length} broken`,
  );
  expect(broken).toEqual([]);
  // Not because nothing is left: most forms keep a link.
  expect(count.links).toBeGreaterThan(count.written / 2);
}, 900_000);

test.each(WORKING)('a link to %s stays', async (url) => {
  text = `See [the page](${url}).`;
  const chunks = await readChunks(
    await docs.ask('/_offprint/assistant/message', question('Where is the rocket?', { currentPath: '/' })),
  );
  expect(activeParts(textOf(chunks)).links).toHaveLength(1);
});
