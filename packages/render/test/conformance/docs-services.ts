import type { Check } from './check.ts';
import { docsRow } from './defined-keys.ts';
import type { Row } from './row.ts';

const SPEC = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { summary: 'List pets', responses: {} } } },
});
const api = (value: unknown, check: Check): Check => ({
  docs: { api: value },
  files: { 'openapi.json': SPEC, 'specs/overlay.yaml': 'overlay: 1.0.0', 'asyncapi.yaml': 'asyncapi: 3.0.0' },
  ...check,
});
const reference = (key: string, value: unknown): Row => docsRow(`api.${key}`, api(value, {}));
const playground = (key: string, value: unknown): Row =>
  docsRow(`api.playground.${key}`, api({ playground: { [key]: value } }, {}));

const references: Row[] = [
  docsRow(
    'api.openapi',
    api(
      { openapi: 'openapi.json' },
      {
        nav: { pages: ['index', 'GET /pets'] },
        emits: ['api-reference/list-pets.html'],
      },
    ),
  ),
  docsRow(
    'api.openapi.source',
    api(
      { openapi: { source: 'openapi.json' } },
      {
        nav: { pages: ['index', 'GET /pets'] },
        emits: ['api-reference/list-pets.html'],
      },
    ),
  ),
  docsRow(
    'api.openapi.directory',
    api(
      { openapi: { source: 'openapi.json', directory: 'pets' } },
      {
        nav: { pages: ['index', 'GET /pets'] },
        emits: ['pets/list-pets.html'],
      },
    ),
  ),
  reference('openapi.overlays', { openapi: { source: 'openapi.json', overlays: ['specs/overlay.yaml'] } }),
  docsRow('api.asyncapi', api({ asyncapi: 'asyncapi.yaml' }, { warns: ['unsupported-source'] })),
  playground('display', 'interactive'),
  playground('proxy', false),
  playground('credentials', true),
  reference('params.expanded', { params: { expanded: 'all' } }),
  reference('params.post', { params: { post: ['x-tier'] } }),
  reference('url', { url: 'full' }),
  reference('examples.languages', { examples: { languages: ['bash'] } }),
  reference('examples.defaults', { examples: { defaults: 'required' } }),
  reference('examples.prefill', { examples: { prefill: true } }),
  reference('examples.autogenerate', { examples: { autogenerate: false } }),
  reference('mdx.server', { mdx: { server: ['https://a.example.com', 'https://b.example.com'] } }),
  reference('mdx.auth.method', { mdx: { auth: { method: 'key' } } }),
  reference('mdx.auth.name', { mdx: { auth: { method: 'key', name: 'x-key' } } }),
  docsRow('markdown.schema', api({}, {})),
  docsRow('markdown.instructions', {
    docs: { markdown: { instructions: ['Prefer v2.'] } },
    in: {
      'index.md': '> ## Agent Instructions\n> Prefer v2.',
      'llms.txt': 'Prefer v2.',
      'llms-full.txt': 'Prefer v2.',
    },
  }),
];

const INTEGRATIONS = `
  adobe.launchUrl amplitude.apiKey clarity.projectId clearbit.publicApiKey fathom.siteId frontchat.snippetId
  ga4.measurementId gtm.tagId heap.appId hightouch.writeKey hightouch.apiHost hotjar.hjid hotjar.hjsv intercom.appId
  koala.publicApiKey logrocket.appId mixpanel.projectToken mixpanel.region onetrust.domainScript onetrust.categoryId
  onetrust.scriptSource pirsch.id plausible.domain plausible.server posthog.apiKey posthog.apiHost
  posthog.sessionRecording segment.key segment.cdnUrl transcend.bundleId transcend.analyticsPurpose`;
const IDS: Readonly<Record<string, string>> = { ga4: 'G-1', gtm: 'GTM-1', posthog: 'phc_1' };
const FIRST: Readonly<Record<string, string>> = {
  hightouch: 'writeKey',
  hotjar: 'hjid',
  mixpanel: 'projectToken',
  onetrust: 'domainScript',
  plausible: 'domain',
  posthog: 'apiKey',
  segment: 'key',
  transcend: 'bundleId',
};

function integration(path: string): Row {
  const [name = '', member = ''] = path.split('.');
  const value = IDS[name] ?? 'x';
  const settings = { [FIRST[name] ?? member]: value, [member]: value };
  return docsRow(`integrations.${path}`, {
    docs: { integrations: { [name]: settings } },
    warns: ['config-no-effect'],
  });
}

const gate = (path: string, settings: unknown): Row =>
  docsRow(`integrations.${path}`, {
    docs: { integrations: { [path.split('.')[0] ?? '']: settings } },
  });

const integrations: Row[] = [
  ...INTEGRATIONS.trim().split(/\s+/).map(integration),
  gate('telemetry.enabled', { enabled: false }),
  gate('cookies.key', { key: 'consent', value: 'yes' }),
  gate('cookies.value', { key: 'consent', value: 'yes' }),
];

/** `api`, `markdown` and `integrations`. */
export const services: readonly Row[] = [...references, ...integrations];
