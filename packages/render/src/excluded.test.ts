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

async function render(excluded?: Excluded) {
  const output = new Map<string, string>();
  const { warnings } = await renderSite({
    source: memorySource(files),
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

test('an export without assistants and analytics has no trace of them, and says so at the line', async () => {
  const { all, places, warnings } = await render({ assistant: REASON, analytics: REASON });
  expect(all).not.toMatch(LED);
  expect(all).not.toMatch(/G-SECRETKEY|chat-id/);
  expect(all, 'an assistant of their own').toContain('https://assistant.internal/');
  expect(places).toEqual(['docs.json:6', 'docs.json:10', 'index.mdx:5', 'own.mdx:3']);
  for (const { message } of warnings.filter(({ code }) => code === 'feature-excluded'))
    expect(message).toContain(REASON);
});

test('an export without search has no way to it and no index', async () => {
  const [{ output: kept }, { output, all }] = [await render(), await render({ search: REASON })];
  const isSearch = (path: string) => /^_offprint\/search/.test(path);
  expect([...kept.keys()].filter(isSearch).length).toBeGreaterThan(1);
  expect([...output.keys()].filter(isSearch)).toEqual([]);
  expect(all).not.toMatch(/id="search-bar-entry|role="search"/);
});
