import { expect, test } from 'vitest';
import { type Output, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

/*
 * OpenAPI has references in the place of some objects. Authors who split a description write them in the place of maps and
 * lists, too, and tools that join files follow them.
 */

const FILES = {
  'docs.json': JSON.stringify({
    name: 'Site',
    theme: 'mint',
    colors: { primary: '#166e3f' },
    navigation: {
      groups: [
        { group: 'Start', pages: ['index'] },
        { group: 'API', openapi: 'api/openapi.yaml' },
      ],
    },
  }),
  'index.mdx': 'Text',
  'api/openapi.yaml': `openapi: 3.1.0
info: {title: API, version: '1'}
servers: {$ref: parts.yaml#/servers}
tags: {$ref: parts.yaml#/tags}
security: {$ref: parts.yaml#/security}
paths: {$ref: ./paths/all.yaml}
webhooks: {$ref: parts.yaml#/webhooks}
components:
  schemas: {$ref: ./schemas.yaml}
  securitySchemes: {$ref: parts.yaml#/schemes}
`,
  'api/parts.yaml': `servers: [{url: https://parts.example.com}]
tags: [{name: things, x-group: All things}]
security: [key: []]
schemes: {key: {type: apiKey, in: header, name: X-Key}}
webhooks: {made: {post: {summary: Made, responses: {'200': {description: OK}}}}}
`,
  'api/paths/all.yaml': `/things:
  parameters: {$ref: lists.yaml#/shared}
  post: {$ref: things/post.yaml}
`,
  'api/paths/lists.yaml': `shared: [{name: limit, in: query, schema: {type: integer}}]
own: [{name: sort, in: query, schema: {$ref: ../schemas.yaml#/Kind}}]
headers: {X-Made: {schema: {type: string}}}
links: {next: {operationId: other}}
`,
  'api/paths/things/post.yaml': `summary: Operation
tags: [things]
parameters: {$ref: ../lists.yaml#/own}
requestBody: {content: {$ref: content.yaml}}
responses: {$ref: responses.yaml}
`,
  'api/paths/things/content.yaml': `application/json:
  schema: {$ref: ../../schemas.yaml#/Thing}
  examples: {$ref: examples.yaml}
`,
  'api/paths/things/examples.yaml': `first: {value: {$ref: value.json}}
second: {value: {$ref: '#/third/value'}}
third: {value: {kind: red, none: {$ref: nope.yaml}}}
`,
  'api/paths/things/value.json': '{"kind": "blue"}',
  'api/paths/things/responses.yaml': `'201':
  description: Made.
  headers: {$ref: ../lists.yaml#/headers}
  links: {$ref: ../lists.yaml#/links}
  content: {application/json: {schema: {$ref: '../../openapi.yaml#/components/schemas/Thing'}, example: {$ref: value.json}}}
`,
  'api/schemas.yaml': `Kind: {type: string, enum: {$ref: kinds.yaml}}
Thing: {type: object, required: {$ref: required.yaml}, properties: {$ref: properties.yaml}, example: {$ref: gone.json}}
`,
  'api/kinds.yaml': '- red\n- blue\n',
  'api/required.yaml': '- kind\n',
  'api/properties.yaml': 'kind: {$ref: schemas.yaml#/Kind}\n',
};

const shown = (output: Output, page: string, at?: string): string[] =>
  outline(textOf(output, `${page}.html`), `${page}.html`, at);

test('references in the place of maps and lists are followed', async () => {
  const output = await renderFiles(FILES);
  const page = 'api-reference/things/operation';
  expect(shown(output, page, '# Servers')).toEqual(['https://parts.example.com']);
  expect(shown(output, page, '# Authorization')[0]).toBe('X-Key · API key · header · required');
  expect(shown(output, page, '# Query parameters')).toEqual([
    'limit · integer · query',
    'sort · enum<string> · query',
    '  Allowed values: red blue',
  ]);
  const kind = ['kind · enum<string> · required', '  Allowed values: red blue'];
  expect(shown(output, page, '# Request body')).toEqual([
    'The body is optional.',
    'application/json',
    ...kind,
    '> Example: first',
    '  { "kind": "blue" }',
    '> Example: second',
    '  { "kind": "red", "none": { "$ref": "nope.yaml" } }',
    '> Example: third',
    '  { "kind": "red", "none": { "$ref": "nope.yaml" } }',
  ]);
  expect(shown(output, page, '# Response')).toEqual([
    '201 Made.',
    'application/json',
    ...kind,
    'links:',
    '- next: other',
    '> response headers',
    '  X-Made · string · header',
  ]);
  expect(textOf(output, `${page}.md`)).toContain('```json 201\n{\n  "kind": "blue"\n}\n```');
  expect(shown(output, 'api-reference/made')[1]).toBe('WEBHOOK made');
  expect(output.result.warnings).toEqual([]);
});

test('a schema that is a whole file has the name of the file, and a page', async () => {
  const kinds = ['Cat', 'Dog'].map((name) => [
    `api/schemas/${name}${name === 'Dog' ? '/index' : ''}.yaml`,
    `type: object\nproperties: {own${name}: {type: object, properties: {deep${name}: {type: string}}}}\n`,
  ]);
  const many = Array.from({ length: 60 }, (_, at) => `p${at}: {type: string}`).join(', ');
  const output = await renderFiles({
    ...FILES,
    ...Object.fromEntries(kinds),
    'api/paths/all.yaml': `/a:
  get:
    summary: Operation
    responses:
      200:
        description: OK
        content:
          application/json:
            schema:
              properties: {${many}, cat: {$ref: ../schemas/Cat.yaml}, either: {oneOf: [{$ref: ../schemas/Cat.yaml}, {$ref: ../schemas/Dog/index.yaml}]}}
`,
  });
  const page = textOf(output, 'api-reference/operation.md');
  expect(page).toContain('schemas/cat');
  expect(textOf(output, 'api-reference/schemas/cat.md')).toContain('deepCat');
  expect(textOf(output, 'api-reference/schemas/dog.md')).toContain('deepDog');
});

test('a map that does not exist is reported', async () => {
  const { 'api/paths/all.yaml': _all, 'api/properties.yaml': _properties, ...files } = FILES;
  const { result } = await renderFiles({
    ...files,
    'api/paths/all.yaml': '/a: {get: {responses: {200: {content: {$ref: none.yaml}}}}}\n',
  });
  expect(result.warnings.map(({ file, line, message }) => `${file}:${line} ${message.slice(0, 40)}`)).toEqual(
    ['api/paths/all.yaml:1 The reference "none.yaml" does not exist'],
  );
});
