import type { Check } from './check.ts';
import { missing, none, type Row, supported } from './row.ts';

const operation = (summary: string, keys: object = {}): object => ({
  get: { summary, tags: ['pets'], responses: {}, ...keys },
});
const spec = (paths: object, keys: object = {}): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    tags: [{ name: 'pets', 'x-group': 'All pets' }],
    paths,
    ...keys,
  });
const described = (paths: object, check: Check, keys: object = {}): Check => ({
  nav: { pages: ['index'], groups: [{ group: 'API', openapi: 'openapi.json' }] },
  files: { 'openapi.json': spec(paths, keys) },
  ...check,
});
const PETS = { '/pets': operation('List pets') };
const one = (extension: object): object => ({
  '/pets': operation('List pets', extension),
  '/cats': operation('List cats'),
});
const OTHER = 'api-reference/pets/list-cats.html';
const PAGE = 'api-reference/pets/list-pets.html';
const withParameter = (schema: object): object => ({
  '/pets': operation('List pets', {
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', ...schema } }],
  }),
});
const SWAGGER = JSON.stringify({
  swagger: '2.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': {
      get: {
        summary: 'List pets',
        tags: ['pets'],
        parameters: [{ name: 'limit', in: 'query', type: 'integer', description: 'Number of pets' }],
        responses: {},
      },
    },
  },
});

export const api: readonly Row[] = [
  supported('OpenAPI 3.0 and 3.1', described(PETS, { in: { [PAGE]: ['List pets', '/pets'] } })),
  supported(
    'OpenAPI 3.2',
    described(
      { '/pets': { query: { summary: 'Find pets' } } },
      {
        in: { 'api-reference/find-pets.html': 'QUERY' },
      },
    ),
  ),
  supported('Swagger 2', {
    nav: { pages: ['index'], groups: [{ group: 'API', openapi: 'old.json' }] },
    files: { 'old.json': SWAGGER },
    in: { [PAGE]: ['List pets', 'limit', 'Number of pets'] },
  }),
  supported('overlays', {
    docs: { api: { openapi: [{ source: 'openapi.json', overlays: ['overlay.yaml'] }] } },
    nav: { pages: ['index'], groups: [{ group: 'API', openapi: 'openapi.json' }] },
    files: {
      'openapi.json': spec(one({})),
      'overlay.yaml':
        "overlay: 1.0.0\nactions:\n  - target: $.paths['/pets'].get\n    update: {summary: List animals}\n  - target: $.paths['/cats']\n    remove: true\n",
    },
    emits: ['api-reference/pets/list-animals.html'],
    omits: [OTHER],
  }),
  supported('pages of a node with openapi', described(PETS, { emits: [PAGE] })),
  supported('pages of several descriptions', {
    nav: { pages: ['index'], groups: [{ group: 'API', openapi: ['a.json', 'b.json'] }] },
    files: { 'a.json': spec(PETS), 'b.json': spec({ '/cats': operation('List cats') }) },
    emits: [PAGE, 'api-reference/pets/list-cats.html'],
  }),
  supported(
    'additionalOperations',
    described(
      { '/pets': { additionalOperations: { COPY: { summary: 'Copy pets' } } } },
      { in: { 'api-reference/copy-pets.html': 'COPY' } },
    ),
  ),
  supported(
    'tags with summary, parent and kind',
    described(
      PETS,
      { in: { '*.js': 'All animals' } },
      {
        tags: [
          { name: 'pets', parent: 'animals', kind: 'nav' },
          { name: 'animals', summary: 'All animals' },
        ],
      },
    ),
  ),
  supported(
    'descriptions of other hosts',
    {
      nav: {
        pages: ['index'],
        groups: [{ group: 'API', openapi: 'https://example.com/api.json', pages: ['GET /pets'] }],
      },
      in: { 'api-reference/get-pets.html': ['GET', '/pets'] },
      warns: ['remote-description'],
    },
    'if the export may download files; otherwise, listed operations have method and path, and a warning reports it',
  ),
  supported(
    'examples that do not match their schemas',
    described(withParameter({ example: 'ten' }), { in: { [PAGE]: 'limit' }, warns: ['description-example'] }),
    'a warning reports each with its line',
  ),
  supported(
    'x-hidden',
    described(one({ 'x-hidden': true }), {
      emits: [PAGE],
      lacks: 'List pets',
      notIn: { 'sitemap.xml': 'list-pets' },
    }),
  ),
  supported('x-excluded', described(one({ 'x-excluded': true }), { emits: [OTHER], omits: [PAGE] })),
  supported(
    'x-mint.metadata',
    described(one({ 'x-mint': { metadata: { title: 'All the pets' } } }), { in: { [PAGE]: 'All the pets' } }),
  ),
  supported(
    'x-mint.content',
    described(one({ 'x-mint': { content: '<Note>Read **me**</Note>' } }), {
      in: { [PAGE]: { role: 'note', has: { role: 'strong', text: 'me' } } },
    }),
  ),
  supported('x-mint.href', described(one({ 'x-mint': { href: '/pets/all' } }), { emits: ['pets/all.html'] })),
  supported(
    'x-mint.groups',
    described(one({ 'x-mint': { groups: ['staff'] } }), { emits: [OTHER], omits: [PAGE] }),
    'left out, unless the export names one of the groups',
  ),
  none('x-mint.mcp', 'an export has no server of that protocol'),
  supported(
    'x-group',
    described({ ...PETS, '/pets/{id}': operation('Get a pet') }, { in: { '*.js': 'All pets' } }),
  ),
  supported(
    'x-tagGroups',
    described(
      { ...PETS, '/pets/{id}': operation('Get a pet') },
      { in: { '*.js': 'Animals' } },
      {
        'x-tagGroups': [{ name: 'Animals', tags: ['pets'] }],
      },
    ),
  ),
  ...['pre', 'post'].map((name) =>
    supported(
      `x-mint.${name}`,
      described(withParameter({ 'x-mint': { [name]: ['since 2.1'] } }), { in: { [PAGE]: 'since 2.1' } }),
    ),
  ),
  supported(
    'x-mint.playground.expand',
    described(one({ 'x-mint': { playground: { expand: true } } }), { in: { [PAGE]: '"isExpanded":true' } }),
    'of an operation or a schema: nested fields of the form are open',
  ),
  supported(
    'x-default',
    described(withParameter({ 'x-default': 42 }), { in: { [PAGE]: '"example":42' } }),
    'of a security scheme always, of a schema with `api.examples.prefill`',
  ),
  supported(
    'x-codeSamples',
    described(one({ 'x-codeSamples': [{ lang: 'python', label: 'SDK', source: 'client.pets.list()' }] }), {
      in: { [PAGE]: ['SDK', { tag: 'code', text: 'client.pets.list()' }] },
    }),
  ),
  none('x-mcp', 'an export has no server of that protocol'),
  supported(
    'webhooks',
    described(
      {},
      { emits: ['api-reference/pet-sold.html'] },
      { webhooks: { petSold: { post: { summary: 'Pet sold' } } } },
    ),
  ),
  supported(
    'x-webhooks',
    described(
      {},
      { emits: ['api-reference/pet-sold.html'] },
      { 'x-webhooks': { petSold: { post: { summary: 'Pet sold' } } } },
    ),
  ),
  supported('playground', described(PETS, { in: { [PAGE]: { role: 'button', name: 'Try it' } } })),
  supported('code samples', described(PETS, { in: { [PAGE]: ['curl', 'https://example.com/pets'] } })),
  supported(
    'parameters and schemas',
    described(withParameter({ maximum: 50 }), { in: { [PAGE]: ['limit', 'x &lt;= 50', 'integer'] } }),
  ),
  supported(
    'callbacks',
    described(
      one({ callbacks: { onSale: { '{$request.body#/url}': { post: { summary: 'A pet was sold' } } } } }),
      { in: { [PAGE]: ['onSale', 'A pet was sold'] } },
    ),
  ),
  supported('AsyncAPI 3', {
    nav: {
      groups: [
        { group: 'Start', pages: ['index'] },
        { group: 'Events', asyncapi: 'events.yaml' },
      ],
    },
    files: {
      'events.yaml':
        'asyncapi: 3.0.0\nchannels: {sold: {address: /sold, messages: {pet: {payload: {properties: {name: {type: string}}}}}}}\noperations: {sell: {action: send, channel: {$ref: "#/channels/sold"}}}',
    },
    in: {
      'api-reference/websockets/sold.html': [/action: send/, 'name', 'a client receives them'],
    },
  }),
  ...['GraphQL', 'SDK references'].map((name) =>
    missing(name, 'no pages are generated from it; a warning reports it'),
  ),
];
