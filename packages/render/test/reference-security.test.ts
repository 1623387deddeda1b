import { describe, expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

const PAGE = 'api-reference/operation';

async function render(operation: object, components: object, files: Record<string, string> = {}) {
  return renderFiles({
    ...apiSite(
      JSON.stringify(
        {
          openapi: '3.1.0',
          info: { title: 'API', version: '1', description: 'A jwt is needed.' },
          servers: [{ url: 'https://api.example.com' }],
          paths: { '/things': { get: { summary: 'Operation', ...operation } } },
          components,
        },
        null,
        2,
      ),
    ),
    ...files,
  });
}

type Output = Awaited<ReturnType<typeof render>>;
const shown = (output: Output): string[] =>
  outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, '# Authorization');
const warnings = ({ result }: Output): string[] =>
  result.warnings.map(({ code, file, line, message }) => `${code} ${file}:${line} ${message}`);

describe('a security scheme without a definition', () => {
  const operation = { security: [{ jwt: [] }] };

  test('is shown by its name', async () => {
    expect(shown(await render(operation, {}))).toEqual(['jwt · required']);
  });

  test('is reported with the line of its requirement', async () => {
    const output = await render(operation, {});
    const line =
      textOf(output, 'api.json')
        .split('\n')
        .findIndex((one) => one.includes('"jwt": [')) + 1;
    expect(warnings(output)).toEqual([
      `description-reference api.json:${line} The security scheme "jwt" is not defined, so the page shows only its name. Correct the name, or define it in "components.securitySchemes" (Swagger 2.0: "securityDefinitions").`,
    ]);
  });

  test('is an alternative beside one that is defined', async () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } };
    const output = await render({ security: [{ key: [] }, { jwt: [] }] }, components);
    expect(shown(output)).toEqual([
      '[key]',
      '  X-Key · API key · header · required',
      '    The API key.',
      '[jwt]',
      '  jwt · required',
    ]);
  });

  test('is left out of requests', async () => {
    const copy = textOf(await render(operation, {}), `${PAGE}.md`);
    expect(copy).toContain('curl --request GET');
    expect(/```bash cURL\n([\s\S]*?)\n```/.exec(copy)?.[1]).not.toContain('jwt');
  });
});

test('a security scheme of a kind that OpenAPI does not have is shown with its kind and description', async () => {
  const components = { securitySchemes: { sign: { type: 'signature', description: 'Sign the body.' } } };
  const output = await render({ security: [{ sign: [] }] }, components);
  expect(shown(output)).toEqual(['sign · signature · required', '  Sign the body.']);
  expect(warnings(output)).toEqual([]);
});

test('security schemes in another file, named by a reference to all of them, are shown', async () => {
  const schemes = { key: { type: 'apiKey', in: 'header', name: 'X-Key' } };
  const output = await render(
    { security: [{ key: [] }] },
    { securitySchemes: { $ref: 'schemes.json' } },
    { 'schemes.json': JSON.stringify(schemes) },
  );
  expect(shown(output)).toEqual(['X-Key · API key · header · required', '  The API key.']);
  expect(warnings(output)).toEqual([]);
});
