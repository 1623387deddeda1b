import { describe, expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

const PAGE = 'api-reference/operation';

async function render(name: string, schemas: object) {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
  return renderFiles(
    apiSite({
      openapi: '3.0.3',
      info: { title: 'API', version: '1' },
      paths: {
        '/things': {
          post: {
            summary: 'Operation',
            requestBody: { required: true, content },
            responses: { 200: { description: 'Done.', content } },
          },
        },
      },
      components: { schemas },
    }),
  );
}

type Output = Awaited<ReturnType<typeof render>>;
const sent = (output: Output): unknown =>
  JSON.parse(/--data-raw '([\s\S]*?)'\n/.exec(textOf(output, `${PAGE}.md`))?.[1] ?? 'null');
const returned = (output: Output): unknown =>
  JSON.parse(/```json 200\n([\s\S]*?)\n```/.exec(textOf(output, `${PAGE}.md`))?.[1] ?? 'null');

const text = { type: 'string' };
const extend = (name: string, more: object = {}) => ({
  allOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'object', ...more }],
});
const base = (mapping?: object, kind: object = text) => ({
  type: 'object',
  required: ['kind'],
  properties: { kind },
  discriminator: { propertyName: 'kind', ...(mapping === undefined ? {} : { mapping }) },
});

describe('an example of a schema that extends one with a discriminator', () => {
  test('has the value of the mapping', async () => {
    const output = await render('Dog', {
      Pet: base({ dog: '#/components/schemas/Dog', cat: 'Cat' }),
      Dog: extend('Pet', { properties: { bark: { type: 'boolean' } } }),
      Cat: extend('Pet'),
    });
    expect(sent(output)).toEqual({ kind: 'dog', bark: true });
    expect(returned(output)).toEqual({ kind: 'dog', bark: true });
    const shown = outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, 'request-body-kind');
    expect(shown).toEqual(['kind · string · required', '  Example: dog']);
  });

  test('does not need the targets of a mapping where the alternatives are listed', async () => {
    const output = await render('Dog', {
      Pet: { ...base({ dog: 'models/dog.yml#/dog' }), oneOf: [{ $ref: '#/components/schemas/Dog' }] },
      Dog: extend('Pet'),
    });
    expect(returned(output)).toEqual({ kind: 'Dog' });
    expect(output.result.warnings).toEqual([]);
  });

  test('has the name of the schema without a mapping', async () => {
    const schemas = { Pet: base(), Dog: extend('Pet'), Puppy: extend('Dog') };
    expect(returned(await render('Dog', schemas))).toEqual({ kind: 'Dog' });
    expect(returned(await render('Puppy', schemas))).toEqual({ kind: 'Puppy' });
  });

  test('has an allowed value', async () => {
    const schemas = {
      Pet: base(
        { one: '#/components/schemas/Dog', dog: '#/components/schemas/Dog' },
        { enum: ['cat', 'dog'] },
      ),
      Dog: extend('Pet'),
      Own: extend('Pet', { properties: { kind: { enum: ['cat'] } } }),
    };
    expect(returned(await render('Dog', schemas))).toEqual({ kind: 'dog' });
    expect(returned(await render('Own', schemas))).toEqual({ kind: 'cat' });
  });

  test('has the value of an alternative that the base lists', async () => {
    const schemas = {
      Pet: { ...base({ dog: '#/components/schemas/Dog' }), oneOf: [{ $ref: '#/components/schemas/Dog' }] },
      Dog: extend('Pet'),
    };
    expect(returned(await render('Dog', schemas))).toEqual({ kind: 'dog' });
  });

  test('of the base has the value of the first schema that extends it, over others', async () => {
    const schemas = { Pet: base({ puppy: 'Puppy' }), Dog: { ...extend('Pet') }, Puppy: extend('Dog') };
    expect(returned(await render('Pet', schemas))).toEqual({ kind: 'puppy' });
  });
});
