import type { Check } from './check.ts';
import { docsRow } from './defined-keys.ts';
import type { Row } from './row.ts';

const SPEC = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example.com/v1' }],
  paths: {
    '/pets': {
      get: {
        summary: 'List pets',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', example: 20, 'x-tier': 'gold' } },
          {
            name: 'filter',
            in: 'query',
            required: true,
            schema: { type: 'object', properties: { kind: { type: 'string', example: 'cat' } } },
          },
        ],
        responses: {},
      },
    },
  },
});
const OVERLAY =
  "overlay: 1.0.0\nactions:\n  - target: $.paths['/pets'].get\n    update: {description: From an overlay}\n";
const PAGE = 'api-reference/list-pets.html';
const api = (value: unknown, check: Check): Check => ({
  docs: { api: value },
  files: { 'openapi.json': SPEC, 'specs/overlay.yaml': OVERLAY, 'asyncapi.yaml': 'asyncapi: 3.0.0' },
  ...check,
});
/** A row with a page that describes an operation by hand; its sample contains `shown`. */
const written = (key: string, mdx: object, shown: RegExp): Row =>
  docsRow(
    `api.mdx.${key}`,
    api({ mdx }, { front: 'title: Home\napi: GET /pets', shows: { tag: 'code', text: shown } }),
  );

/** A row with the page of an operation. */
const onPage = (key: string, value: object, check: Check): Row =>
  docsRow(
    `api.${key}`,
    api({ openapi: 'openapi.json', ...value }, { nav: { pages: ['index', 'GET /pets'] }, ...check }),
  );

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
  onPage(
    'openapi.overlays',
    { openapi: { source: 'openapi.json', overlays: ['specs/overlay.yaml'] } },
    { in: { [PAGE]: 'From an overlay' } },
  ),
  docsRow(
    'api.asyncapi',
    api(
      { asyncapi: 'events/asyncapi.yaml' },
      {
        files: {
          'asyncapi.yaml': 'asyncapi: 3.0.0\nchannels: {sold: {address: /other}}',
          'events/asyncapi.yaml': 'asyncapi: 3.0.0\nchannels: {sold: {address: /sold}}',
        },
        front: 'asyncapi: sold',
        shows: '/sold',
      },
    ),
  ),
  onPage('playground.display', { playground: { display: 'none' } }, { notIn: { [PAGE]: 'playground' } }),
  onPage(
    'playground.proxy',
    { playground: { proxy: 'https://proxy.example.com' } },
    {
      in: { [PAGE]: 'https://proxy.example.com' },
    },
  ),
  onPage(
    'playground.credentials',
    { playground: { credentials: true } },
    { in: { [PAGE]: '"credentials":true' } },
  ),
  onPage(
    'params.expanded',
    { params: { expanded: 'all' } },
    { in: { [PAGE]: { attributes: { open: '' } } } },
  ),
  onPage('params.post', { params: { post: ['x-tier'] } }, { in: { [PAGE]: 'gold' } }),
  onPage('url', { url: 'full' }, { in: { [PAGE]: 'https://pets.example.com/v1/pets' } }),
  onPage('examples.languages', { examples: { languages: ['go'] } }, { in: { [PAGE]: 'net/http' } }),
  onPage('examples.defaults', { examples: { defaults: 'required' } }, { notIn: { [PAGE]: 'limit=20' } }),
  onPage('examples.prefill', { examples: { prefill: true } }, { in: { [PAGE]: '"prefill":true' } }),
  onPage('examples.autogenerate', { examples: { autogenerate: false } }, { notIn: { [PAGE]: 'curl' } }),
  written(
    'server',
    { server: ['https://a.example.com', 'https://b.example.com'] },
    /https:\/\/a\.example\.com\/pets/,
  ),
  written('auth.method', { auth: { method: 'bearer' } }, /Authorization: Bearer/),
  written('auth.name', { auth: { method: 'key', name: 'x-key' } }, /x-key: /),
  docsRow('markdown.schema', {
    ...api({ openapi: 'openapi.json' }, { nav: { pages: ['index', 'GET /pets'] } }),
    docs: { api: { openapi: 'openapi.json' }, markdown: { schema: false } },
    in: { 'api-reference/list-pets.md': 'limit' },
    notIn: { 'api-reference/list-pets.md': '"paths"' },
  }),
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
