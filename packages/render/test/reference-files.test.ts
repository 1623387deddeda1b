import { describe, expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';

const PAGE = 'api-reference/operation';

async function copyOf(operation: object, more: object = { openapi: '3.1.0' }): Promise<string> {
  const paths = { '/things': { post: { summary: 'Operation', ...operation } } };
  const output = await renderFiles(apiSite({ info: { title: 'API', version: '1' }, paths, ...more }));
  return textOf(output, `${PAGE}.md`);
}

const curl = (copy: string): string => /```bash cURL\n([\s\S]*?)\n```/.exec(copy)?.[1] ?? '';

const binary = { type: 'string', format: 'binary' };

test('a file whose content type is JSON has no made example in a response', async () => {
  const responses = { 200: { description: 'The file.', schema: { type: 'file' } } };
  const copy = await copyOf({ produces: ['application/json'], responses }, { swagger: '2.0' });
  expect(copy).toContain('string<binary>');
  expect(copy).not.toContain('```json 200');
});

describe('a multipart body that is a list', () => {
  const list = async (type: string, media: object) =>
    curl(await copyOf({ requestBody: { required: true, content: { [type]: media } } }));

  test('of files has a part for each', async () => {
    const schema = { type: 'array', items: binary, minItems: 2 };
    expect(await list('multipart/form-data', { schema })).toContain(
      '--form file=@file \\\n  --form file=@file',
    );
    expect(await list('multipart/mixed', { schema })).toContain("--header 'Content-Type: multipart/mixed'");
  });

  test('of values has a part for each, with the content type of its place', async () => {
    const schema = { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } };
    const sent = await list('multipart/mixed', {
      schema,
      itemEncoding: { contentType: 'application/ld+json' },
    });
    expect(sent).toContain('Content-Type: application/ld+json');
    expect(sent).toContain('"id": 1');
    const usual = await list('multipart/form-data', { schema });
    expect(usual).toContain('part=');
  });
});
