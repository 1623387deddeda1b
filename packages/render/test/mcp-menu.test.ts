/** Entries of the page menu that need the MCP server of a served site. */
import { expect, test } from 'vitest';
import { find, has } from './dom.ts';
import { renderFiles, textOf } from './output.ts';

const URL_OF_SERVER = 'https://docs.example.com/docs/mcp';
const OPTIONS = [
  'copy',
  'mcp',
  'add-mcp',
  'cursor',
  'vscode',
  'devin-mcp',
  { title: 'Other', href: { base: 'https://other.example/add', query: [{ key: 'server', value: '$mcp' }] } },
];

async function render(
  options: { services?: { mcp: boolean } },
  display = 'header',
  text = '## One\n\nText.',
) {
  const output = await renderFiles(
    {
      'docs.json': JSON.stringify({
        theme: 'mint',
        name: 'Acme',
        colors: { primary: '#166e3f' },
        navigation: { pages: ['index'] },
        contextual: { options: OPTIONS, display },
      }),
      'index.mdx': `---\ntitle: Start\n---\n\n${text}\n`,
    },
    {
      siteUrl: 'https://docs.example.com/docs',
      ...options,
    },
  );
  const warnings = output.result.warnings.map(({ code }) => code);
  return { html: textOf(output, 'index.html'), warnings };
}

const hrefsOf = (html: string): string[] =>
  find(html, { within: { id: 'page-menu' } }).flatMap(({ attributes }) => attributes.href ?? []);

test('a served site offers its server to copy and to add to applications, without a warning', async () => {
  const { html, warnings } = await render({ services: { mcp: true } });
  expect(warnings).toEqual([]);
  for (const text of [URL_OF_SERVER, `npx add-mcp ${URL_OF_SERVER}`])
    expect(has(html, { tag: 'button', attributes: { 'data-op-copy-text': text } })).toBe(true);
  const [cursor = '', vscode = '', devin = '', other] = hrefsOf(html);
  const config = new URL(cursor).searchParams.get('config') ?? '';
  expect(JSON.parse(Buffer.from(config, 'base64').toString())).toEqual({ url: URL_OF_SERVER });
  expect(JSON.parse(decodeURIComponent(vscode.replace('vscode:mcp/install?', '')))).toEqual({
    name: 'Acme',
    type: 'http',
    url: URL_OF_SERVER,
  });
  expect(new URL(devin).searchParams.get('url')).toBe(URL_OF_SERVER);
  expect(other).toBe(`https://other.example/add?server=${encodeURIComponent(URL_OF_SERVER)}`);
});

test('an export for download has none of them, and a warning names them', async () => {
  const { html, warnings } = await render({});
  expect(warnings).toEqual(['config-no-effect']);
  expect(html).not.toContain('/docs/mcp');
  const off = await render({ services: { mcp: false } });
  expect(off.html).toBe(html);
});

test('below the contents, where nothing is copied, only links are shown', async () => {
  const { html } = await render({ services: { mcp: true } }, 'toc');
  expect(has(html, { attributes: { 'data-op-copy-text': true } })).toBe(false);
  expect(html).toContain('vscode:mcp/install?');
});

test('a link of the text to the server leads there where the site is served with one', async () => {
  const links = async (mcp: boolean) => {
    const { html, warnings } = await render({ services: { mcp } }, 'header', '[Connect](/mcp)');
    return {
      hrefs: find(html, { role: 'link', name: 'Connect' }).map(({ attributes }) => attributes.href),
      isBroken: warnings.includes('broken-link'),
    };
  };
  expect(await links(true)).toEqual({ hrefs: [URL_OF_SERVER], isBroken: false });
  expect(await links(false)).toEqual({ hrefs: ['mcp.html'], isBroken: true });
});
