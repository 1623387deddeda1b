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
const LATER = 'pages of the API reference show title, method and path, description and their own text';

export const api: readonly Row[] = [
  supported('OpenAPI 3.0 and 3.1', described(PETS, { in: { [PAGE]: ['List pets', '/pets'] } })),
  supported(
    'Swagger 2',
    {
      nav: { pages: ['index'], groups: [{ group: 'API', openapi: 'old.json' }] },
      files: { 'old.json': '{"swagger": "2.0", "paths": {}}' },
      warns: ['description-version'],
    },
    'left out, with a warning',
  ),
  missing('overlays', 'overlay files are read and checked, but not applied'),
  supported('pages of a node with openapi', described(PETS, { emits: [PAGE] })),
  supported('pages of several descriptions', {
    nav: { pages: ['index'], groups: [{ group: 'API', openapi: ['a.json', 'b.json'] }] },
    files: { 'a.json': spec(PETS), 'b.json': spec({ '/cats': operation('List cats') }) },
    emits: [PAGE, 'api-reference/pets/list-cats.html'],
  }),
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
  ...['x-mint.pre', 'x-mint.post', 'x-mint.playground.expand', 'x-codeSamples', 'x-default'].map((name) =>
    missing(name, LATER),
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
  ...['playground', 'parameters and schemas', 'code samples', 'callbacks'].map((name) =>
    missing(name, LATER),
  ),
  ...['AsyncAPI 3', 'GraphQL', 'SDK references'].map((name) =>
    missing(name, 'no pages are generated from it; a warning reports it'),
  ),
];
