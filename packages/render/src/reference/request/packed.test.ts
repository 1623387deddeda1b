import { expect, test } from 'vitest';
import { packForm, unpackForm } from './packed.ts';
import type { FormField, FormParameter, RequestForm } from './types.ts';

const text: FormField = { type: 'string', format: null, values: [] };
const parameter: FormParameter = {
  ...{ name: 'q', in: 'query', isRequired: false, style: 'form', explode: true, allowReserved: false },
  ...{ contentType: null, field: text },
};
const form: RequestForm = {
  method: 'POST',
  path: '/pets',
  servers: [{ url: 'https://a.example.com', description: null, variables: [] }],
  security: [[{ type: 'mutualTLS', name: 'tls', description: null, scopes: [], initial: null }]],
  parameters: [
    parameter,
    { ...parameter, name: 'id', in: 'path', isRequired: true, style: 'simple', explode: false },
    { ...parameter, in: 'header', style: 'simple', explode: true, field: { ...text, format: 'uuid' } },
    { ...parameter, in: 'cookie', style: 'form', explode: false, allowReserved: true },
    { ...parameter, style: 'deepObject', explode: false, contentType: 'application/json' },
    { ...parameter, style: 'pipeDelimited', explode: true },
  ],
  bodies: [
    {
      type: 'application/json',
      encoding: { name: { style: 'form' } },
      field: {
        type: 'object',
        format: null,
        values: [],
        isExpanded: true,
        properties: [
          { name: '__proto__', isRequired: true, field: { ...text, example: null } },
          { name: 'size', isRequired: false, field: { ...text, values: ['s', null], example: 's' } },
          { name: 'none', isRequired: false, field: { ...text, type: 'object', properties: [] } },
          {
            name: 'lists',
            isRequired: false,
            field: { ...text, type: 'array', items: { ...text, type: 'array', items: text } },
          },
        ],
      },
    },
  ],
  isBodyRequired: false,
};

test('a form is the same after it was written into a page', () => {
  expect(unpackForm(JSON.parse(JSON.stringify(packForm(form))))).toEqual(form);
});

test('an optional text without an example is only its name', () => {
  const body: FormField = {
    ...text,
    type: 'object',
    properties: [{ name: 'city', isRequired: false, field: text }],
  };
  const packed = packForm({ ...form, bodies: [{ type: 'application/json', field: body, encoding: {} }] });
  expect(packed.bodies[0]?.field).toEqual({ type: 'object', properties: [['city', {}]] });
  expect(packed.parameters[0]).toEqual({ name: 'q', in: 'query', field: {} });
});
