import { expect, test } from 'vitest';
import { checkSite } from '../src/check/check-site.ts';
import { memorySource } from '../src/index.ts';
import { apiSite, renderFiles } from './output.ts';

const YAML = `openapi: 3.1.0
info: {title: API, version: '1'}
paths:
  /things:
    get:
      summary: Operation
      description: |
        A text about nope.

        - See [all things](/nope).
      responses:
        '200':
          description: See <a href="/nope/deep">their names</a>, [fields](#fields) and [other fields](/index#none).
          content:
            application/json:
              schema:
                type: object
                properties:
                  id: {type: string, description: 'As [id](./ids "Ids") and [unsafe](vbscript:run).'}
`;

const JSON_TEXT = JSON.stringify(
  {
    openapi: '3.1.0',
    info: { title: 'API', version: '1' },
    paths: {
      '/things': {
        get: { summary: 'Operation', description: 'See [all things](/nope)\nand\n![that](/a.png).' },
      },
    },
  },
  null,
  2,
);

const placesOf = (warnings: readonly { file: string; line: number | null; code: string }[]): string[] =>
  warnings.map(({ file, line, code }) => `${file}:${line} ${code}`);

test('a link of a description is reported with its line', async () => {
  const { result } = await renderFiles(apiSite(YAML, 'api.yaml'));
  const expected = [
    'api.yaml:10 broken-link',
    'api.yaml:13 anchor-not-found',
    'api.yaml:13 broken-link',
    'api.yaml:19 broken-link',
    'api.yaml:19 unsafe-link',
  ];
  expect(placesOf(result.warnings)).toEqual(expected);
  const { findings } = checkSite(memorySource(apiSite(YAML, 'api.yaml')), {});
  expect(placesOf(findings.filter(({ file }) => file === 'api.yaml'))).toEqual(expected);
});

test('a link of a description in JSON is reported with its line', async () => {
  const { result } = await renderFiles(apiSite(JSON_TEXT, 'api.json'));
  expect(placesOf(result.warnings)).toEqual(['api.json:11 broken-link', 'api.json:11 missing-asset']);
});
