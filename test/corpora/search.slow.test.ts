/** What readers of the real docs sites type, and the page that they look for: among the first three results. */
import { gzipSync } from 'node:zlib';
import { directorySource, renderSite } from '@offprint/render';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSearch } from '../../packages/render/test/search-site.ts';
import { corpora, NO_CORPORA } from '../support/corpora.ts';

/** By site: what is typed, then a part of the output path that is wanted. */
const QUERIES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  mintlify__docs: [
    ['authentication', 'deploy/authentication-setup'],
    ['authentcation', 'deploy/authentication-setup'],
    ['custom domain', 'customize/custom-domain'],
    ['code block line highlighting', 'create/code'],
    ['openapi setup', 'api-playground/openapi-setup'],
    ['redirects', 'create/redirects'],
    ['add a banner', 'components/banner'],
    ['mermaid', 'components/mermaid'],
    ['deploy to vercel', 'deploy/vercel'],
    ['favicon', 'organize/settings-appearance'],
    ['hide page from navigation', 'organize/hidden-pages'],
    ['google analytics', 'integrations/analytics/google-analytics'],
    ['sso', 'dashboard/sso'],
    ['llms.txt', 'ai/llmstxt'],
    ['preview deploymnets', 'deploy/preview-deployments'],
    ['api playgrond', 'api-playground/overview'],
    ['image zoom', 'create/image-embeds'],
    ['keyboard shortc', 'editor/keyboard-shortcuts'],
  ],
  mem0ai__mem0: [
    ['add memory', 'memory-operations/add'],
    ['delete all memories', 'delete'],
    ['qdrant', 'vectordbs/dbs/qdrant'],
    ['webhooks', 'platform/features/webhooks'],
    ['openai embedder', 'embedders/models/openai'],
    ['graph memory', 'features/graph-memory'],
    ['python quickstart', 'python-quickstart'],
    ['self host docker', 'open-source/setup'],
    ['AsyncMemory', 'async-memory'],
    ['metadata filtering', 'metadata-filtering'],
  ],
  jlowin__fastmcp: [
    ['oauth prxy', 'auth/oauth-proxy'],
    ['middleware', 'servers/middleware'],
    ['resource templates', 'servers/resources'],
    ['mount server', 'providers/mounting'],
    ['http deployment', 'deployment/http'],
    ['install claude code', 'claude-code'],
    ['testing', 'patterns/testing'],
  ],
};
const SPANISH = [
  ['autenticacion', 'es/deploy/authentication-setup'],
  ['imágenes', 'es/create/image-embeds'],
] as const;

const sites = corpora().filter(({ name }) => QUERIES[name] !== undefined);

describe.skipIf(sites.length === 0)(`search of real sites (${NO_CORPORA})`, () => {
  const exports = new Map<string, Map<string, string | Uint8Array>>();

  beforeAll(async () => {
    for (const { name, folder } of sites) {
      const files = new Map<string, string | Uint8Array>();
      await renderSite({
        source: directorySource(folder),
        siteUrl: 'https://docs.example.com',
        emit: (path, content) => {
          if (path.startsWith('_offprint/search')) files.set(path, content);
        },
      });
      exports.set(name, files);
    }
  });

  const open = (name: string, language?: string) =>
    openSearch({ files: exports.get(name)! }, language ?? (name === 'mintlify__docs' ? 'en' : undefined));

  for (const { name } of sites) {
    test.each(QUERIES[name]!)(`${name}: %s`, async (query, wanted) => {
      const { pages } = await open(name).find(query);
      expect(pages.slice(0, 3)).toEqual(expect.arrayContaining([expect.stringContaining(wanted)]));
    });

    test(`${name}: no query fetches more than 60 kB, script apart`, async () => {
      const sizes = QUERIES[name]!.map(async ([query]) => {
        const { engine, files } = open(name);
        const { results } = await engine.search(query);
        for (const { sections } of results.slice(0, 6))
          for (const section of sections) await engine.entry(section);
        const all = exports.get(name)!;
        const directories = [...all.keys()].filter((path) => /^_offprint\/search(\.en)?\.js$/.test(path));
        const paths = files.map((file) => `_offprint/search/${file}.js`);
        return [...directories, ...paths].reduce((sum, path) => sum + gzipSync(all.get(path)!).length, 0);
      });
      for (const size of await Promise.all(sizes)) expect(size).toBeLessThan(60_000);
    });
  }

  test.skipIf(!sites.some(({ name }) => name === 'mintlify__docs')).each(SPANISH)(
    'mintlify__docs in Spanish: %s',
    async (query, wanted) => {
      const { pages } = await open('mintlify__docs', 'es').find(query);
      expect(pages.slice(0, 3)).toEqual(expect.arrayContaining([expect.stringContaining(wanted)]));
    },
  );
});
