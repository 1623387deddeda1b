import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../config/json.ts';
import { readOperation } from '../operation.ts';
import { createResolver } from '../resolver.ts';
import { openSchemas } from '../schema.ts';
import { exampleValues } from './build.js';
import { requestForm } from './form.ts';
import { packForm, unpackForm } from './packed.ts';
import type { FormField, RequestForm } from './types.ts';

/** The form of an operation in a description. */
function formOf(operation: JsonObject, components: JsonObject = {}): RequestForm {
  const document = { openapi: '3.1.0', paths: {}, components };
  const resolver = createResolver({ read: () => document, missing: () => {} });
  const item = { value: { post: operation }, file: 'api.json', name: null };
  const place = { document, file: 'api.json', item, method: 'POST', path: '/x', isWebhook: false };
  const read = readOperation(place, resolver);
  if (read === null) throw new Error('The operation was not read.');
  return requestForm(read, openSchemas(resolver));
}

const body = (type: string, schema: unknown, more: JsonObject = {}): JsonObject => ({
  requestBody: { content: { [type]: { schema, ...more } } },
});

const bodyField = (form: RequestForm): FormField | undefined => form.bodies[0]?.field;

function countFields(field: FormField): number {
  const below = [...(field.properties ?? []).map((one) => one.field), ...(field.items ? [field.items] : [])];
  return 1 + below.reduce((sum, one) => sum + countFields(one), 0);
}

/** Values at all levels, in the examples of all fields. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + countValues(one), 1);
}

function examplesIn(field: FormField): unknown[] {
  const below = [...(field.properties ?? []).map((one) => one.field), ...(field.items ? [field.items] : [])];
  return [field.example, ...below.flatMap(examplesIn)].filter((one) => one !== undefined);
}

describe('forms of requests', () => {
  it('makes examples of at most 300 values for all that is entered as JSON, however it is nested', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `S${at}`,
        {
          type: 'object',
          properties: Object.fromEntries([
            ...Array.from({ length: 15 }, (__, field) => [`f${field}`, { type: 'integer' }]),
            ...['left', 'right'].map((side, more) => [
              side,
              { $ref: `#/components/schemas/S${Math.min(2 * at + 1 + more, 29)}` },
            ]),
          ]),
        },
      ]),
    );
    const form = formOf(body('application/json', { $ref: '#/components/schemas/S0' }), { schemas });
    const field = bodyField(form)!;
    const examples = examplesIn(field);
    expect(examples.length).toBeGreaterThan(100);
    expect(examples.reduce((sum: number, one) => sum + countValues(one), 0)).toBeLessThanOrEqual(
      300 + examples.length,
    );
  });

  it('has parameters with their styles and examples', () => {
    const form = formOf({
      parameters: [
        { name: 'id', in: 'path', schema: { type: 'string', format: 'uuid' } },
        { name: 'tags', in: 'query', explode: false, schema: { type: 'array', items: { enum: ['a', 'b'] } } },
        { name: 'q', in: 'query', schema: { type: 'string' }, example: 'given' },
        { name: 'text', in: 'query', schema: { type: 'string' } },
      ],
    });
    expect(
      form.parameters.map(({ name, style, explode, field }) => [name, style, explode, field.type]),
    ).toEqual([
      ...[
        ['id', 'simple', false, 'string'],
        ['tags', 'form', false, 'array'],
        ['q', 'form', true, 'string'],
      ],
      ['text', 'form', true, 'string'],
    ]);
    expect(form.parameters[1]?.field.items?.values).toEqual(['a', 'b']);
    expect(form.parameters[2]?.field.example).toBe('given');
    expect(form.parameters[3]?.field).not.toHaveProperty('example');
  });

  it('has examples of texts in a body that their schemas allow, where the usual text is not allowed', () => {
    const properties = {
      code: { type: 'string', pattern: '^[A-Z]{2}$' },
      short: { type: 'string', maxLength: 2 },
      long: { type: 'string', minLength: 15 },
      free: { type: 'string', maxLength: 500 },
      unknown: { type: 'string', pattern: '^(?=.*x)' },
    };
    const form = formOf({
      parameters: [{ name: 'id', in: 'path', schema: properties.code }],
      ...body('application/json', { type: 'object', properties }),
    });
    const examples = bodyField(form)?.properties?.map(({ name, field }) => [name, field.example]);
    expect(Object.fromEntries(examples ?? [])).toEqual({ code: 'ST', short: 'xx', long: 'x'.repeat(15) });
    expect(form.parameters[0]?.field.example).toBeUndefined();
  });

  it('has no examples inside of a value that has one, which they could not change', () => {
    const inner = { type: 'object', properties: { a: { type: 'string', example: 'x' } } };
    const schema = { type: 'object', properties: { given: { ...inner, example: { a: 'y' } }, own: inner } };
    const examples = (field: FormField | undefined) =>
      field?.properties?.map((one) => [one.field.example, one.field.properties?.[0]?.field.example]);
    expect(examples(bodyField(formOf(body('application/json', schema))))).toEqual([
      [{ a: 'y' }, undefined],
      [undefined, 'x'],
    ]);
    const whole = { example: { own: { a: 'z' } } };
    expect(examples(bodyField(formOf(body('application/json', schema, whole))))).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('starts with x-default of a schema instead of its default', () => {
    const name = { type: 'string', default: 'a', example: 'b', 'x-default': 'c' };
    const list = { type: 'array', items: { type: 'string' }, 'x-default': ['d'] };
    const form = formOf(body('application/json', { properties: { name, list } }));
    const properties = bodyField(form)?.properties ?? [];
    expect(properties.map(({ field }) => field.example)).toEqual(['c', ['d']]);
  });

  it('has open fields where x-mint.playground.expand of the operation or the schema is true', () => {
    const expand = { 'x-mint': { playground: { expand: true } } };
    const inner = { type: 'object', properties: { a: { type: 'string' } } };
    const schema = { properties: { open: { ...inner, ...expand }, closed: inner } };
    const form = formOf({ ...body('application/json', schema), ...expand });
    expect(form.isExpanded).toBe(true);
    const properties = bodyField(form)?.properties ?? [];
    expect(properties.map(({ field }) => field.isExpanded)).toEqual([true, undefined]);
    expect(formOf(body('application/json', schema))).not.toHaveProperty('isExpanded');
  });

  it('leaves out read-only properties, in examples as well', () => {
    const schema = {
      ...{ type: 'object', example: { id: 1, name: 'Ann' } },
      properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
    };
    const field = bodyField(formOf(body('application/json', schema)));
    expect(field?.properties?.map(({ name }) => name)).toEqual(['name']);
    expect(field?.example).toEqual({ name: 'Ann' });
  });

  it('ends where a schema contains itself', () => {
    const node = {
      type: 'object',
      properties: { name: { type: 'string' }, child: { $ref: '#/components/schemas/Node' } },
    };
    const form = formOf(body('application/json', { $ref: '#/components/schemas/Node' }), {
      schemas: { Node: node },
    });
    const child = bodyField(form)?.properties?.[1]?.field;
    expect(child).toMatchObject({ type: 'object' });
    expect(child).not.toHaveProperty('properties');
  });

  it('has a bounded number of fields', () => {
    const schemas: JsonObject = {};
    for (let level = 0; level < 9; level++) {
      const properties: JsonObject = {};
      for (let index = 0; index < 12; index++)
        properties[`p${index}`] = { $ref: `#/components/schemas/L${level + 1}` };
      schemas[`L${level}`] = { type: 'object', properties };
    }
    schemas.L9 = { type: 'string' };
    const field = bodyField(
      formOf(body('application/json', { $ref: '#/components/schemas/L0' }), { schemas }),
    );
    expect(isObject(field) && countFields(field)).toBeLessThanOrEqual(400);
  });

  it('recognizes files', () => {
    const properties = {
      ...{ old: { type: 'string', format: 'binary' }, typed: { contentMediaType: 'image/png' } },
      ...{ listed: { type: 'array', items: { type: 'string', format: 'binary' } }, encoded: {} },
      ...{ json: { type: 'string', contentMediaType: 'application/json' }, text: { type: 'string' } },
    };
    const encoding = { encoded: { contentType: 'application/zip' } };
    const field = bodyField(
      formOf(body('multipart/form-data', { type: 'object', properties }, { encoding })),
    );
    expect(field?.properties?.map((one) => [one.name, one.field.type, one.field.items?.type])).toEqual([
      ...[
        ['old', 'file', undefined],
        ['typed', 'file', undefined],
        ['listed', 'array', 'file'],
      ],
      ...[
        ['encoded', 'file', undefined],
        ['json', 'string', undefined],
        ['text', 'string', undefined],
      ],
    ]);
    expect(bodyField(formOf(body('image/png', {})))?.type).toBe('file');
    expect(bodyField(formOf(body('text/csv', { type: 'string', format: 'binary' })))?.type).toBe('file');
    expect(bodyField(formOf(body('text/plain', { type: 'string' })))?.type).toBe('string');
    expect(bodyField(formOf(body('application/json', { type: 'string', format: 'binary' })))?.type).toBe(
      'string',
    );
  });

  it('has the lines of a table as text', () => {
    const properties = { id: { type: 'integer', example: 1 }, name: { type: 'string', example: 'fern' } };
    const schema = { type: 'array', items: { type: 'object', properties } };
    expect(bodyField(formOf(body('text/csv', schema)))?.example).toBe('id,name\n1,fern');
    expect(bodyField(formOf(body('text/tab-separated-values', schema)))?.example).toBe('id\tname\n1\tfern');
  });

  it('has XML as text', () => {
    const schema = {
      ...{ type: 'object', xml: { name: 'pet' } },
      properties: {
        id: { type: 'integer', example: 1, xml: { attribute: true } },
        name: { type: 'string', example: 'a < b' },
        tags: {
          type: 'array',
          items: { type: 'string', example: 'x', xml: { name: 'tag' } },
          xml: { wrapped: true },
        },
      },
    };
    expect(bodyField(formOf(body('application/xml', schema)))).toEqual({
      ...{ type: 'string', format: null, values: [] },
      example: `<?xml version="1.0" encoding="UTF-8"?>
<pet id="1">
  <name>a &lt; b</name>
  <tags>
    <tag>x</tag>
  </tags>
</pet>`,
    });
  });

  it('makes lists with as many items as they need', () => {
    const list = {
      type: 'array',
      minItems: 2,
      items: { type: 'array', minItems: 2, items: { type: 'number' } },
    };
    const form = formOf({
      ...body('application/json', { type: 'object', properties: { list } }),
      parameters: [
        { name: 'box', in: 'query', required: true, schema: { type: 'array', minItems: 4, items: {} } },
      ],
    });
    const unpacked = unpackForm(packForm(form));
    const { body: made, parameters } = exampleValues(unpacked, { onlyRequired: false });
    expect(made?.value).toEqual({
      list: [
        [1.5, 1.5],
        [1.5, 1.5],
      ],
    });
    expect(parameters).toEqual({ 'query:box': ['string', 'string', 'string', 'string'] });
  });

  it('repeats no item of lists in lists that would be long together', () => {
    let schema: JsonObject = { type: 'string' };
    for (let depth = 0; depth < 9; depth++) schema = { type: 'array', minItems: 20, items: schema };
    const form = formOf(body('application/json', schema));
    const { body: made } = exampleValues(unpackForm(packForm(form)), { onlyRequired: false });
    expect(JSON.stringify(made?.value).length).toBeLessThan(500);
  });

  it('have required properties of any type, also in samples', () => {
    const properties = { value: {}, other: {} };
    const form = formOf(body('application/json', { type: 'object', required: ['value'], properties }));
    expect(exampleValues(form, { onlyRequired: false }).body?.value).toEqual({ value: '<any>' });
  });

  it('are without properties that are not allowed beside others in samples', () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } };
    const made = (more: JsonObject): unknown => {
      const form = formOf(body('application/json', { type: 'object', properties, ...more }));
      return exampleValues(unpackForm(packForm(form)), { onlyRequired: false }).body?.value;
    };
    expect(made({ not: { required: ['a', 'b'] } })).toEqual({ b: '<string>', c: '<string>' });
    expect(made({ oneOf: [{ required: ['b'] }, { required: ['a'] }] })).toEqual({
      ...{ b: '<string>', c: '<string>' },
    });
  });
});
