import { expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

const PAGE = 'api-reference/operation';
const MAX = '9223372036854775807';

const limits = `type: integer, minimum: -${MAX}, maximum: ${MAX}`;
const description = `openapi: 3.1.0
info: {title: API, version: '1'}
paths:
  /things:
    post:
      summary: Operation
      parameters:
        - {name: cursor, in: query, required: true, schema: {${limits}, default: ${MAX}}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                id: {${limits}, example: ${MAX}}
                kind: {type: integer, enum: [${MAX}, 1]}
`;

test('a page and its samples have all digits of integers above 2^53', async () => {
  const output = await renderFiles(apiSite(description, 'api.yaml'));
  const shown = (at: string): string[] => outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, at);
  expect(shown('parameter-cursor')).toEqual([
    `cursor · integer · query · default: ${MAX} · required`,
    `  Range: -${MAX} <= x <= ${MAX}`,
  ]);
  expect(shown('# Request body').slice(1)).toEqual([
    'id · integer',
    `  Range: -${MAX} <= x <= ${MAX}`,
    `  Example: ${MAX}`,
    'kind · enum<integer>',
    `  Allowed values: ${MAX} 1`,
  ]);
  const copy = textOf(output, `${PAGE}.md`);
  expect(copy).toContain(`things?cursor=${MAX}`);
  expect(copy).toContain(`"id": ${MAX},\n  "kind": ${MAX}\n`);
  expect(output.result.warnings).toEqual([]);
});

test('the description in the copy for agents has long integers as integers', async () => {
  const output = await renderFiles(apiSite(description, 'api.yaml'));
  const copy = textOf(output, `${PAGE}.md`);
  for (const part of [`"maximum": ${MAX}`, `"default": ${MAX}`, `"example": ${MAX}`, `[\n ${MAX},\n 1\n ]`])
    expect(copy.replace(/ +/g, ' ')).toContain(part);
  expect(copy).not.toContain(`"${MAX}"`);
});

const whole = (kind: 'openapi' | 'swagger'): string => {
  const example = `{id: ${MAX}, list: [-${MAX}], maximum: ${MAX}}`;
  const schema = `{type: object, properties: {id: {type: integer}}, example: ${example}}`;
  const paths = (request: string, response: string): string => `info: {title: API, version: '1'}
paths:
  /things/{key}:
    post:
      summary: Operation
${request}
      responses: {'200': {description: OK, ${response}}}
`;
  const key = `{name: key, in: path, required: true, ${kind === 'swagger' ? 'type: string' : `schema: {type: string}, example: ${MAX}`}}`;
  if (kind === 'swagger')
    return `swagger: '2.0'\n${paths(
      `      parameters: [${key}, {name: body, in: body, schema: ${schema}}]`,
      `examples: {application/json: ${example}}`,
    )}`;
  return `openapi: 3.0.0\nservers: [{url: 'https://{a}.example.com', variables: {a: {default: ${MAX}, enum: [${MAX}]}}}]\n${paths(
    `      parameters: [${key}]\n      requestBody: {content: {application/json: {schema: ${schema}}}}`,
    `content: {application/json: {examples: {one: {value: ${example}}}}}`,
  )}`;
};

test.each(['openapi', 'swagger'] as const)('whole examples of bodies have all digits in %s', async (kind) => {
  const output = await renderFiles(apiSite(whole(kind), 'api.yaml'));
  const copy = textOf(output, `${PAGE}.md`);
  const shown = `{\n  "id": ${MAX},\n  "list": [\n    -${MAX}\n  ],\n  "maximum": ${MAX}\n}`;
  expect(copy).toContain(`--data-raw '${shown}'`);
  expect(copy).toContain(`200\n${shown}\n`);
  expect(textOf(output, `${PAGE}.html`)).toContain(
    `"example":{"id":${MAX},"list":[-${MAX}],"maximum":${MAX}}`,
  );
  if (kind === 'openapi') expect(copy).toContain(`https://${MAX}.example.com/things/${MAX}`);
  expect(copy).not.toMatch(/\d{16,}0{3}\b|rawJSON/);
  expect(output.result.warnings).toEqual([]);
});

test('an overlay changes a description with long integers', async () => {
  const overlay = `overlay: 1.0.0
info: {title: Overlay, version: '1'}
actions:
  - {target: '$..rawJSON', remove: true}
  - {target: '$.paths.*.*.responses.*.content.*.examples.one.value.id', update: {more: 1}}
`;
  const files = apiSite(whole('openapi'), 'api.yaml');
  const docs = JSON.parse(String(files['docs.json']));
  docs.api = { ...docs.api, openapi: [{ source: 'api.yaml', overlays: ['overlay.yaml'] }] };
  const output = await renderFiles({ ...files, 'docs.json': JSON.stringify(docs), 'overlay.yaml': overlay });
  expect(textOf(output, `${PAGE}.md`)).toContain(`-${MAX}`);
});
