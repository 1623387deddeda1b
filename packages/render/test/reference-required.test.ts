import { describe, expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

const PAGE = 'api-reference/operation';

async function render(schema: unknown) {
  return renderFiles(
    apiSite({
      openapi: '3.1.0',
      info: { title: 'API', version: '1' },
      paths: {
        '/things': {
          post: {
            summary: 'Operation',
            requestBody: { required: true, content: { 'application/json': { schema } } },
            responses: { 200: { description: 'Done.', content: { 'application/json': { schema } } } },
          },
        },
      },
    }),
  );
}

type Output = Awaited<ReturnType<typeof render>>;
const body = (output: Output): string[] =>
  outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, '# Request body').slice(1);
const sent = (output: Output): unknown =>
  JSON.parse(/--data-raw '([\s\S]*?)'\n/.exec(textOf(output, `${PAGE}.md`))?.[1] ?? 'null');
const returned = (output: Output): unknown =>
  JSON.parse(/```json 200\n([\s\S]*?)\n```/.exec(textOf(output, `${PAGE}.md`))?.[1] ?? 'null');

const text = { type: 'string', example: 'x' };

describe('a name that is required and not among the properties', () => {
  test('is shown, and examples have it', async () => {
    const output = await render({ type: 'object', properties: { a: text }, required: ['a', 'b', 'c'] });
    expect(body(output)).toEqual(['required: b, c', 'a · string · required', '  Example: x']);
    expect(sent(output)).toEqual({ a: 'x', b: '<any>', c: '<any>' });
    expect(returned(output)).toEqual({ a: 'x', b: '<any>', c: '<any>' });
  });

  test('has the schema of other properties', async () => {
    const output = await render({ type: 'object', required: ['env'], additionalProperties: text });
    expect(body(output)).toEqual(['body · map of string', '  required: env', '  Example: x']);
    expect(sent(output)).toEqual({ env: 'x' });
    expect(returned(output)).toEqual({ env: 'x' });
  });

  test('of an alternative has the value of the schema around it', async () => {
    const output = await render({
      type: 'object',
      properties: { a: text },
      oneOf: [
        { title: 'One', required: ['a', 'b'] },
        { title: 'Two', required: ['c'] },
      ],
    });
    expect(body(output)).toContain('- any One');
    expect(body(output)).toContain('  required: a, b');
    expect(returned(output)).toEqual({ a: 'x', b: '<any>' });
  });
});
