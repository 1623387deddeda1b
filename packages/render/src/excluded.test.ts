import { expect, test } from 'vitest';
import type { Excluded } from './excluded.ts';
import { renderSite } from './render.ts';
import { memorySource } from './source.ts';

const REASON = 'The deployment type air-gapped excludes the feature.';

const files = {
  'docs.json': `{
  "name": "Site",
  "theme": "mint",
  "colors": { "primary": "#0f766e" },
  "contextual": {
    "options": ["copy", "chatgpt", "claude", { "title": "Ask ours", "href": "https://assistant.internal/?q=$page" },
      { "title": "Ask another", "href": "https://www.perplexity.ai/search?q=$page" }]
  },
  "integrations": {
    "ga4": { "measurementId": "G-SECRETKEY" },
    "intercom": { "appId": "chat-id" }
  },
  "navigation": { "pages": ["index", "own"] }
}`,
  'index.mdx':
    '---\ntitle: Home\n---\n\n<Prompt description="Ask" actions={["copy", "cursor"]}>Do it.</Prompt>\n',
  'own.mdx': '---\ntitle: Own\ncontextual:\n  options: [view, grok]\n---\n\nText.\n',
};

async function render(excluded?: Excluded, source: Record<string, string> = files) {
  const output = new Map<string, string>();
  const { warnings } = await renderSite({
    source: memorySource(source),
    siteUrl: 'https://docs.example.com',
    emit: (path, content) => void output.set(path, String(content)),
    ...(excluded === undefined ? {} : { excluded }),
  });
  const all = [...output].map(([path, content]) => `${path}\n${content}`).join('\n');
  const places = warnings
    .filter(({ code }) => code === 'feature-excluded')
    .map(({ file, line }) => `${file}:${line}`);
  return { output, all, warnings, places };
}

const LED = /chatgpt\.com|claude\.ai|perplexity\.ai|grok\.com|cursor:\/\//;

test('an export leads to assistants where nothing excludes them, and never loads an integration', async () => {
  const { all, places } = await render();
  expect(all.match(new RegExp(LED, 'g'))?.length).toBeGreaterThan(3);
  expect(all).not.toMatch(/G-SECRETKEY|chat-id/);
  expect(places).toEqual([]);
});

test('an export without assistants and analytics has no trace of them, and warns with the line', async () => {
  const { all, places, warnings } = await render({ assistant: REASON, analytics: REASON });
  expect(all).not.toMatch(LED);
  expect(all).not.toMatch(/G-SECRETKEY|chat-id/);
  expect(all, 'an assistant of their own').toContain('https://assistant.internal/');
  expect(places).toEqual(['docs.json:6', 'docs.json:10', 'index.mdx:5', 'own.mdx:3']);
  for (const { message } of warnings.filter(({ code }) => code === 'feature-excluded'))
    expect(message).toContain(REASON);
});

test('the configuration invites to no assistant that the export does not have; what pages say stays', async () => {
  const configured = {
    'docs.json': `{
  "name": "Site",
  "theme": "mint",
  "colors": { "primary": "#0f766e" },
  "search": { "prompt": "Ask AI or search" },
  "banner": { "content": "Ask [our GPT](https://chatgpt.com/g/acme)." },
  "navbar": {
    "links": [{ "label": "Blog", "href": "https://blog.example.com/chatgpt.com" },
      { "label": "Ask Claude", "href": "https://claude.ai/new" }],
    "primary": { "label": "Start asking", "href": "https://www.perplexity.ai/" }
  },
  "footer": {
    "links": [{ "items": [{ "label": "Grok it", "href": "https://grok.com/" }] }]
  },
  "navigation": {
    "languages": [
      { "language": "en", "banner": "Or [Gemini](https://gemini.google.com/app).", "pages": ["index"] },
      { "language": "de", "search": {}, "pages": ["de/index"] }
    ],
    "global": { "anchors": [
      { "anchor": "Open Devin", "href": "https://app.devin.ai/" },
      { "anchor": "Home page", "href": "https://example.com" }
    ] }
  }
}`,
    'index.mdx': '---\ntitle: Home\n---\n\nWe [asked](https://chatgpt.com/share/1) it.\n',
    'de/index.mdx': '---\ntitle: Start\n---\n\nText.\n',
  };
  const offered =
    /Ask AI|chatgpt\.com\/g|Ask Claude|claude\.ai|perplexity\.ai|Start asking|Grok it|grok\.com|gemini\.google|Open Devin|devin\.ai/g;
  const kept = await render(undefined, configured);
  expect(new Set(kept.all.match(offered)).size).toBe(11);
  expect(kept.places).toEqual([]);
  const { all, places, warnings } = await render({ assistant: REASON }, configured);
  expect(all.match(offered)).toBeNull();
  expect(all).toContain('https://chatgpt.com/share/1');
  expect(all).toMatch(/blog\.example\.com/);
  expect(all).toMatch(/Home page/);
  expect(places.sort()).toEqual([5, 6, 9, 10, 13, 17, 21].map((line) => `docs.json:${line}`).sort());
  for (const { message } of warnings.filter(({ code }) => code === 'feature-excluded'))
    expect(message).toContain(REASON);
});

test('a link to an assistant is known by where browsers go, however it is spelled', async () => {
  const led = [
    'https:///claude.ai',
    'https:\\\\claude.ai',
    'https:claude.ai',
    'https://claude.ai./x',
    'https://cl%61ude.ai',
    'https://ｃlaude.ai',
    'https://claude。ai',
    '/\\claude.ai',
    'https://a@b@claude.ai',
    ' https://claude.ai',
    '\thttps://cla\nude.ai:443/new',
    '//WWW.Claude.ai',
  ];
  const kept = [
    'https://notclaude.ai',
    'https://claude.ai.example.com',
    '/claude.ai',
    'https://a.example/@claude.ai',
  ];
  const links = [...led, ...kept].map((href, at) => ({ label: `Link ${at}.`, href }));
  const { all } = await renderWith({ navbar: { links } });
  expect([...new Set(all.match(/Link \d+\./g))]).toEqual(kept.map((_, at) => `Link ${led.length + at}.`));
  for (const target of [
    'https:///claude.ai',
    '/\\claude.ai',
    'https://a@b@claude.ai',
    'https://cl%61ude.ai/x',
  ]) {
    const banner = { content: `Ask **[our own](${target})**, or https://docs.example.com.` };
    expect((await renderWith({ banner })).places, target).toHaveLength(1);
  }
  expect((await renderWith({ banner: { content: 'Or https://claude.ai**!**' } })).places).toHaveLength(1);
  expect(
    (await renderWith({ banner: { content: 'See [it](https://a.example/claude.ai).' } })).places,
  ).toEqual([]);
});

/** Renders an export without an assistant of a site with these fields of the configuration. */
function renderWith(fields: Record<string, unknown>) {
  const config = { name: 'Site', theme: 'mint', colors: { primary: '#0f766e' }, ...fields };
  const navigation = { pages: ['index'] };
  return render(
    { assistant: REASON },
    {
      'docs.json': JSON.stringify({ ...config, navigation }),
      'index.mdx': '---\ntitle: Home\n---\n\nText.\n',
    },
  );
}

test.each([
  ['Ask anything', false],
  ['Search with AI…', false],
  ['Suche oder KI fragen', false],
  ['Chercher ou demander à l’assistant', false],
  ['AIに質問する', false],
  ['搜索或提问', false],
  ['Search the docs', true],
  ['Task, mail or domain', true],
  ['Find a webhook', true],
])('a search field that says "%s": stays %s where assistants are excluded', async (prompt, stays) => {
  const docs = { name: 'Site', search: { prompt }, navigation: { pages: ['index'] } };
  const { all, places } = await render(
    { assistant: REASON },
    { 'docs.json': JSON.stringify(docs), 'index.mdx': files['own.mdx'].replace('grok', 'copy') },
  );
  expect([all.includes(prompt), places]).toEqual([stays, stays ? [] : ['docs.json:1']]);
});

test('an export without search has no way to it and no index', async () => {
  const [{ output: kept }, { output, all }] = [await render(), await render({ search: REASON })];
  const isSearch = (path: string) => /^_offprint\/search/.test(path);
  expect([...kept.keys()].filter(isSearch).length).toBeGreaterThan(1);
  expect([...output.keys()].filter(isSearch)).toEqual([]);
  expect(all).not.toMatch(/id="search-bar-entry|role="search"/);
});
