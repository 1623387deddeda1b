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

describe('lists of Swagger 2.0', () => {
  const list = (name: string, place: string, collectionFormat?: string) => ({
    ...{ name, in: place, type: 'array', required: true, items: { type: 'string', enum: ['a'] } },
    minItems: 2,
    ...(collectionFormat === undefined ? {} : { collectionFormat }),
  });
  const of = (place: string) => ['ssv', 'tsv', 'pipes', 'csv'].map((format) => list(format, place, format));

  test('in a query are written as their collectionFormat says', async () => {
    const output = await render({ parameters: of('query'), responses: {} });
    expect(shown(output, '# Query parameters').filter((line) => !line.startsWith(' '))).toEqual([
      'ssv · spaceDelimited · string[] · query · required',
      'tsv · tabDelimited · string[] · query · required',
      'pipes · pipeDelimited · string[] · query · required',
      'csv · explode: false · string[] · query · required',
    ]);
    expect(curl(output)).toContain('?ssv=a%20a&tsv=a%09a&pipes=a%7Ca&csv=a,a');
  });

  test('in a header are written as their collectionFormat says', async () => {
    const [spaces, , pipes, commas] = of('header');
    const output = await render({ parameters: [spaces, pipes, commas], responses: {} });
    expect(shown(output, '# Headers')).toContain('pipes · pipeDelimited · string[] · header · required');
    for (const header of ['ssv: a a', 'pipes: a|a', 'csv: a,a']) expect(curl(output)).toContain(header);
  });

  test('in a form are written as their collectionFormat says, by default with commas', async () => {
    const parameters = [...of('formData'), list('usual', 'formData'), list('multi', 'formData', 'multi')];
    const output = await render({ consumes: FORMS.slice(0, 1), parameters, responses: {} });
    for (const pair of ['ssv=a a', 'tsv=a\ta', 'pipes=a|a', 'csv=a,a', 'usual=a,a', 'multi=a'])
      expect(curl(output)).toContain(pair);
    const lines = shown(output, '# Request body');
    expect(lines).toContain('pipes: style: pipeDelimited, explode: false');
    expect(lines).toContain('tsv: style: tabDelimited, explode: false');
  });

  test('in responses and in other lists have their collectionFormat', async () => {
    const [, tabs] = of('header');
    const inner = { type: 'array', collectionFormat: 'pipes', items: { type: 'string' } };
    const output = await render({
      parameters: [{ name: 'rows', in: 'query', type: 'array', items: inner }],
      responses: { 200: { description: 'Done.', headers: { 'X-List': tabs } } },
    });
    expect(shown(output, '# Query parameters')).toContain('  [*] collectionFormat: pipes');
    expect(shown(output, '# Response').join('\n')).toContain('X-List · tabDelimited · string[] · header');
  });
});
