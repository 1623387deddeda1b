import { expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';

const PAGE = 'api-reference/operation.md';
const TEXT = '{\n  "name": "fern",\n  "tags": ["a"]\n}';

/** The Markdown of an operation whose body and response have this content, and the warnings. */
async function render(media: object, type = 'application/json') {
  const output = await renderFiles(
    apiSite({
      openapi: '3.1.0',
      info: { title: 'API', version: '1' },
      servers: [{ url: 'https://example.com' }],
      paths: {
        '/things': {
          post: {
            summary: 'Operation',
            requestBody: { content: { [type]: media } },
            responses: { 200: { description: 'OK', content: { [type]: media } } },
          },
        },
      },
    }),
  );
  return { text: textOf(output, PAGE), warnings: output.result.warnings.map(({ message }) => message) };
}

const object = { type: 'object', properties: { name: { type: 'string' }, tags: { type: 'array' } } };
const SHOWN = '```json 200\n{\n  "name": "fern",\n  "tags": [\n    "a"\n  ]\n}\n```';
const SENT = `--data-raw '{\n  "name": "fern",`;

test.each([
  ['an example', { schema: object, example: TEXT }],
  ['a value of examples', { schema: object, examples: { one: { value: TEXT } } }],
  ['a serialized value', { schema: object, examples: { one: { serializedValue: TEXT } } }],
  ['an example without a schema', { example: TEXT }],
  ['an example of a schema', { schema: { ...object, example: TEXT } }],
])('%s that is a text of JSON is shown and sent as what it contains', async (_, media) => {
  const { text, warnings } = await render(media);
  expect(text).toContain(SHOWN);
  expect(text).toContain(SENT);
  // Outside of a body, such a text is an example that other programs do not understand.
  expect(warnings).toHaveLength('schema' in media && 'example' in media.schema ? 1 : 0);
});

test('an example of a body that is a string stays a string', async () => {
  const { text } = await render({ schema: { type: 'string' }, example: TEXT });
  expect(text).toContain(`\`\`\`json 200\n${JSON.stringify(TEXT)}\n\`\`\``);
});

test('an example of another content type is the text', async () => {
  const { text } = await render({ example: TEXT }, 'text/plain');
  expect(text).toContain(`\`\`\`text 200\n${TEXT}\n\`\`\``);
});

test('a text that is not JSON is shown as written, and not sent', async () => {
  const written = '{\n  "query": """\n  FROM books\n  """\n}';
  const { text } = await render({ schema: object, example: written });
  expect(text).toContain(`\`\`\`json 200\n${written}\n\`\`\``);
  expect(text.slice(0, text.indexOf('```json OpenAPI'))).not.toContain('\\"query');
  expect(text).toContain(`--data-raw '{\n  "name": "`);
});

test('a text that is nested without end is shown in part', async () => {
  const { text } = await render({ schema: object, example: `${'['.repeat(50_000)}${']'.repeat(50_000)}` });
  expect(text).toContain('[[[[');
  expect(text.length).toBeLessThan(60_000);
});

test('a text of more than 100,000 characters is shown in part, and not sent', async () => {
  const { text } = await render({ schema: object, example: JSON.stringify({ name: 'a'.repeat(100_001) }) });
  expect(text).toContain('```json 200\n{"name":"aaaa');
  expect(text).toContain(`--data-raw '{\n  "name": "<string>`);
});
