import { describe, expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

const PAGE = 'api-reference/operation';

async function render(operation: object, more: object = {}) {
  return renderFiles(
    apiSite(
      JSON.stringify(
        {
          swagger: '2.0',
          info: { title: 'API', version: '1' },
          host: 'api.example.com',
          schemes: ['https'],
          paths: { '/things': { post: { summary: 'Operation', ...operation } } },
          ...more,
        },
        null,
        2,
      ),
    ),
  );
}

type Output = Awaited<ReturnType<typeof render>>;
const shown = (output: Output, at: string): string[] =>
  outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, at);
const curl = (output: Output): string =>
  /```bash cURL\n([\s\S]*?)\n```/.exec(textOf(output, `${PAGE}.md`))?.[1] ?? '';

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const title = { name: 'title', in: 'formData', type: 'string' };
const file = { name: 'file', in: 'formData', type: 'file', required: true };

describe('a form of Swagger 2.0', () => {
  test('with a file is sent as multipart', async () => {
    for (const [operation, more] of [
      [{ consumes: FORMS, parameters: [title, file] }, {}],
      [
        { parameters: [title, { $ref: '#/parameters/File' }] },
        { consumes: FORMS, parameters: { File: file } },
      ],
    ] as const) {
      const output = await render({ ...operation, responses: {} }, more);
      expect(curl(output)).toContain('--form file=@file');
      expect(shown(output, '# Request body')[0]).toBe(
        'multipart/form-data, application/x-www-form-urlencoded',
      );
    }
  });

  test('without a file is sent as its first type', async () => {
    expect(curl(await render({ consumes: FORMS, parameters: [title], responses: {} }))).toContain(
      "--data-urlencode 'title=",
    );
  });

  test('is optional only if all of its fields are', async () => {
    const optional = await render({ consumes: FORMS, parameters: [title], responses: {} });
    expect(shown(optional, '# Request body')).toContain('The body is optional.');
    const required = await render({
      consumes: FORMS,
      parameters: [{ ...title, required: true }],
      responses: {},
    });
    expect(shown(required, '# Request body')).not.toContain('The body is optional.');
  });
});

test('a reference without a target is reported as it is written, with its line', async () => {
  const output = await render({
    parameters: [{ $ref: '#/parameters/Gone' }],
    responses: {
      200: { description: 'Done.', schema: { $ref: '#/definitions/Missing' } },
      404: { $ref: '#/responses/None' },
    },
  });
  const lines = textOf(output, 'api.json').split('\n');
  const lineOf = (text: string): number => lines.findIndex((line) => line.includes(`"${text}"`)) + 1;
  const reports = output.result.warnings.map(
    ({ line, message }) => `${line} ${/^The reference "[^"]*"/.exec(message)?.[0]}`,
  );
  expect(reports).toEqual(
    ['#/parameters/Gone', '#/definitions/Missing', '#/responses/None'].map(
      (reference) => `${lineOf(reference)} The reference "${reference}"`,
    ),
  );
});
