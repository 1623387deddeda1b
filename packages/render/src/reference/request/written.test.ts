import { expect, test } from 'vitest';
import { element } from '../tree.ts';
import { buildRequest, exampleValues } from './build.js';
import { type WrittenOperation, writtenForm } from './written.ts';

const GET: WrittenOperation = {
  method: 'GET',
  path: '/users/{id}',
  servers: ['https://api.example.com/v1'],
  auth: null,
  contentType: null,
};
const field = (props: Record<string, string | boolean | number>, ...children: ReturnType<typeof element>[]) =>
  element('ParamField', props, children);

test('the fields of a page are the parameters of its operation', () => {
  const form = writtenForm(GET, [
    field({ path: 'id', type: 'string', placeholder: 'u1' }),
    field({ query: 'limit', type: 'integer', default: 20 }),
    field({ header: 'X-Trace', required: true, initialValue: 'on' }),
  ]);
  expect(form.parameters.map(({ in: place, name, isRequired }) => [place, name, isRequired])).toEqual([
    ['path', 'id', true],
    ['query', 'limit', false],
    ['header', 'X-Trace', true],
  ]);
  const request = buildRequest(form, exampleValues(form, { onlyRequired: false }));
  expect(request.url).toBe('https://api.example.com/v1/users/u1?limit=20');
  expect(request.headers).toEqual([['X-Trace', 'on']]);
});

test('a parameter of the path needs no field, and a URL names its server', () => {
  const form = writtenForm({ ...GET, path: 'https://eu.example.com/users/{id}' }, []);
  expect(form.servers.map(({ url }) => url)).toEqual(['https://eu.example.com']);
  expect(form.path).toBe('/users/{id}');
  expect(form.parameters.map(({ name }) => name)).toEqual(['id']);
});

test('fields of the body are properties; those inside another field are part of its value', () => {
  const inner = field({ body: 'city', type: 'string' });
  const form = writtenForm({ ...GET, method: 'POST', path: '/users' }, [
    element('Expandable', {}, [field({ body: 'address', type: 'object' }, inner)]),
    field({ body: 'tags', type: 'string[]', required: true }),
  ]);
  expect(form.bodies).toMatchObject([
    {
      type: 'application/json',
      field: {
        properties: [
          { name: 'address', field: { type: 'object' } },
          { name: 'tags', isRequired: true, field: { type: 'array' } },
        ],
      },
    },
  ]);
  expect(form.isBodyRequired).toBe(true);
});

test.each([
  ['bearer', 'Authorization', /^Bearer /],
  ['basic', 'Authorization', /^Basic /],
  ['key', 'x-api-key', /./],
] as const)('authentication by %s is a header', (method, name, value) => {
  const form = writtenForm({ ...GET, auth: { method, name: null } }, []);
  const { headers } = buildRequest(form, exampleValues(form, { onlyRequired: true }));
  expect(headers).toEqual([[name, expect.stringMatching(value)]]);
});

test('hostile names are data', () => {
  const form = writtenForm(GET, [
    field({ query: '__proto__', type: 'constructor' }),
    field({ query: 'a"<b' }),
  ]);
  expect(form.parameters.map(({ name, field: { type } }) => [name, type])).toEqual([
    ['id', 'string'],
    ['__proto__', 'any'],
    ['a"<b', 'string'],
  ]);
});
