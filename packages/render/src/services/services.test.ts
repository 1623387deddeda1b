import { expect, test } from 'vitest';
import { renderSite } from '../render.ts';
import { memorySource } from '../source.ts';
import type { WantedServices } from './services.ts';

const docs = { name: 'A', navigation: { pages: ['index'] } };

async function render(
  services: WantedServices | undefined,
  more: object = {},
  excluded: Record<string, string> = {},
): Promise<{ files: Map<string, string>; services: unknown }> {
  const files = new Map<string, string>();
  const result = await renderSite({
    source: memorySource({
      'docs.json': JSON.stringify({ ...docs, ...more }),
      'index.mdx': '---\ntitle: Start\n---\nText',
    }),
    siteUrl: 'https://docs.example.com',
    excluded,
    ...(services === undefined ? {} : { services }),
    emit(path, content) {
      files.set(path, Buffer.from(content).toString('utf8'));
      return undefined;
    },
  });
  return { files, services: result.services };
}

/** Parts of pages with analytics. The bytes of pages without are the guarantee. */
const EVENTS = 'service-events-';
const FEEDBACK = '<form class="op-feedback" hidden>';

const scriptOf = (files: Map<string, string>) =>
  [...files.keys()].find((path) => path.startsWith(`_offprint/${EVENTS}`));

test('with all services off, no byte of a site changes', async () => {
  const plain = await render(undefined);
  const off = await render({ analytics: false, assistant: false });
  expect([...off.files]).toEqual([...plain.files]);
  expect(off.services).toMatchObject({ analytics: false, assistant: false });
  for (const part of [EVENTS, FEEDBACK]) expect(plain.files.get('index.html')).not.toContain(part);
});

test('with analytics, each page loads the script of the events after all others, and asks for feedback', async () => {
  const { files, services } = await render({ analytics: true });
  const script = scriptOf(files);
  expect(services).toMatchObject({ analytics: true, assistant: false });
  const tag = (path: string) => `<script src="${path}" defer></script>`;
  const [head = ''] = files.get('index.html')?.split('</head>') ?? [];
  expect(head.slice(head.lastIndexOf('<script src='))).toContain(`src="${script}" defer`);
  expect(files.get('index.html')).toContain(FEEDBACK);
  expect(files.get('404.html')).toContain(tag(`/${script}`));
  expect(files.get('_headers')).toContain(`/${script}\n  Cache-Control: public, max-age=31536000, immutable`);
});

test('the script of the events has at most 2,048 bytes', async () => {
  const { files } = await render({ analytics: true });
  const bytes = Buffer.byteLength(files.get(scriptOf(files) ?? '') ?? '');
  expect(bytes).toBeGreaterThan(500);
  expect(bytes).toBeLessThanOrEqual(2048);
});

test('docs.json with `telemetry.enabled: false`, and an excluded feature, switch the analytics off', async () => {
  const plain = await render(undefined);
  const refused = await render({ analytics: true }, { integrations: { telemetry: { enabled: false } } });
  expect(refused.services).toMatchObject({ analytics: false, assistant: false });
  expect(refused.files.get('index.html')).toBe(plain.files.get('index.html'));
  const allowed = await render({ analytics: true }, { integrations: { telemetry: { enabled: true } } });
  expect(allowed.services).toMatchObject({ analytics: true, assistant: false });
  const excluded = await render({ analytics: true }, {}, { analytics: 'Switched off.' });
  expect([...excluded.files]).toEqual([...plain.files]);
});
