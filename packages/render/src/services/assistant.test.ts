import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { renderFiles, textOf } from '../../test/output.ts';
import { type RenderOptions, renderSite } from '../render.ts';
import { memorySource } from '../source.ts';
import type { WantedServices } from './services.ts';

async function render(services: WantedServices, language?: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const pages = { pages: ['index'] };
  const navigation = language === undefined ? pages : { languages: [{ language, ...pages }] };
  await renderSite({
    source: memorySource({
      'docs.json': JSON.stringify({ name: 'A', navigation }),
      'index.mdx': '---\ntitle: Start\n---\nText',
    }),
    siteUrl: 'https://docs.example.com',
    services,
    emit(path, content) {
      files.set(path, Buffer.from(content).toString('utf8'));
      return undefined;
    },
  });
  return files;
}

const named = (files: Map<string, string>, start: string, end: string): string[] =>
  [...files.keys()].filter((path) => path.startsWith(`_offprint/${start}-`) && path.endsWith(end));

test('with the assistant, pages load a small script, which knows the files of the panel', async () => {
  const files = await render({ assistant: true });
  const [script = ''] = named(files, 'service-assistant', '.js');
  const [panel = ''] = named(files, 'assistant-panel', '.js');
  const [sheet = ''] = named(files, 'assistant-panel', '.css');
  const html = files.get('index.html') ?? '';
  const element = `<script src="${script}" defer></script>`;
  expect(html).toContain(element);
  expect(html).not.toContain('assistant-panel');
  for (const path of [panel, sheet]) expect(files.get(script)).toContain(path.replace('_offprint/', ''));
});

test('the panel has at most 15 kB, compressed and with its styles', async () => {
  const files = await render({ assistant: true });
  const paths = [...named(files, 'assistant-panel', '.js'), ...named(files, 'assistant-panel', '.css')];
  const bytes = paths.reduce((sum, path) => sum + gzipSync(files.get(path) ?? '').length, 0);
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThanOrEqual(15_000);
});

test('without the assistant, there is nothing of it', async () => {
  const files = await render({ assistant: false });
  expect([...files.keys()].filter((path) => /assistant/.test(path))).toEqual([]);
  expect([...files.values()].join('').includes('op-assistant')).toBe(false);
});

test('the menu of pages has an entry that opens the assistant, where the site has one', async () => {
  const site = { name: 'A', colors: { primary: '#166e3f' }, contextual: { options: ['copy', 'assistant'] } };
  const show = async (options: Partial<RenderOptions>) => {
    const { files, result } = await renderFiles(
      {
        'docs.json': JSON.stringify({ ...site, navigation: { pages: ['index', 'own'] } }),
        'index.mdx': '---\ntitle: Start\n---\nText',
        'own.mdx': '---\ntitle: Own\ncontextual:\n  options: ["assistant"]\n---\nText',
      },
      options,
    );
    const has = (path: string): boolean => textOf({ files }, path).includes('data-op-assistant>');
    return [has('index.html'), has('own.html'), result.warnings.map(({ code }) => code)];
  };
  expect(await show({ services: { assistant: true } })).toEqual([true, true, []]);
  const omitted = [false, false, ['config-no-effect', 'config-no-effect']];
  expect(await show({})).toEqual(omitted);
  expect(await show({ services: { assistant: false, mcp: true } })).toEqual(omitted);
  const excluded = { assistant: 'The project has no assistant.' };
  expect(await show({ services: { assistant: true }, excluded })).toEqual(omitted);
});
