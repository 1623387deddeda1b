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
