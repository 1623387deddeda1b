import { describe, expect, test } from 'vitest';
import { findOne } from '../../../test/dom.ts';
import type { ApiServer } from '../operation.ts';
import { unpackForm } from '../request/packed.ts';
import type { FormField, RequestForm } from '../request/types.ts';
import { createPlayground, type PlaygroundOptions } from './embed.ts';

const OPTIONS: PlaygroundOptions = {
  display: 'interactive',
  proxy: null,
  credentials: false,
  prefill: true,
};
const serverAt = (url: string, ...variables: ApiServer['variables']): ApiServer => ({
  url,
  description: 'Where it runs',
  variables,
});
const form = (servers: readonly ApiServer[], field?: FormField): RequestForm => ({
  method: 'POST',
  path: '/pets',
  servers,
  security: [],
  parameters: [],
  bodies: field === undefined ? [] : [{ type: 'application/json', field, encoding: {} }],
  isBodyRequired: true,
});
/** The JSON between the tags of the only script. */
const dataIn = (html: string) =>
  JSON.parse(findOne(html, { tag: 'script' }).source.replace(/^[^>]*>|<[^<]*$/g, ''));
const connectOf = (...servers: ApiServer[]) => createPlayground(form(servers), OPTIONS, 'en').connect;

test('the form of a page has the examples of the description, and none of its texts', () => {
  const example = { description: 'A dog', items: { properties: [{ description: 'x' }] } };
  const property = { name: 'description', isRequired: true };
  const field: FormField = {
    type: 'object',
    format: null,
    values: [],
    example,
    properties: [{ ...property, field: { type: 'string', format: null, values: ['description'] } }],
  };
  const { html } = createPlayground(form([serverAt('https://a.example.com')], field), OPTIONS, 'en');
  const shown = unpackForm(dataIn(html).form);
  expect(shown.bodies[0].field.example).toEqual(example);
  expect(shown.bodies[0].field.properties[0]).toMatchObject({
    name: 'description',
    field: { values: ['description'] },
  });
  expect(html).not.toContain('Where it runs');
});

test('text of a description ends neither the element nor the script', () => {
  const evil = '</script><img src=x onerror=alert(1)>';
  const { html } = createPlayground({ ...form([]), path: evil }, OPTIONS, 'en');
  expect(dataIn(html).form.path).toBe(evil);
});

describe('a page may send requests to', () => {
  test('the origins of its servers, with the values of their variables', () => {
    const region = { name: 'region', default: 'eu', values: ['eu', 'us'], description: null };
    const tenant = { name: 'tenant', default: 'acme', values: [], description: null };
    expect(connectOf(serverAt('https://{region}.example.com/v1', region))).toEqual([
      'https://eu.example.com',
      'https://us.example.com',
    ]);
    expect(connectOf(serverAt('https://{tenant}.example.com', tenant))).toEqual([
      'https://acme.example.com',
      'https://*.example.com',
    ]);
    expect(connectOf(serverAt('http://[::1]:8080/x'), serverAt('https://USER:pw@Api.Example.com/'))).toEqual([
      'http://[::1]:8080',
      'https://api.example.com',
    ]);
  });

  test.each([
    'https://{all}',
    'https://{all}.com',
    'https://a.example.com; script-src *',
    'https://a b.example.com',
    "https://a'.example.com",
    'https://a",evil.example.com',
    'javascript://x',
    '/relative',
    'data:text/html,x',
    `https://${'a.'.repeat(5000)}example.com`,
  ])('nothing that its policy cannot name or that is every host: %s', (url) => {
    const all = { name: 'all', default: '', values: ['*'], description: null };
    expect(connectOf(serverAt(url, all))).toEqual([]);
  });

  test('a bounded number of origins', () => {
    const servers = Array.from({ length: 5000 }, (_, index) => serverAt(`https://h${index}.example.com`));
    expect(connectOf(...servers).length).toBeLessThanOrEqual(40);
  });
});
