import { memorySource, renderSite } from '@offprint/render';
import { expect, test } from 'vitest';
import { has, textsOf, valuesOf } from '../../../test/dom.ts';

async function renderPage(body: string): Promise<{ html: string; codes: string[] }> {
  let html = '';
  const { warnings } = await renderSite({
    source: memorySource({
      'docs.json': JSON.stringify({
        name: 'Docs',
        colors: { primary: '#166e3f' },
        navigation: { pages: ['index'] },
      }),
      'index.mdx': `---\ntitle: Home\n---\n\n${body}`,
    }),
    siteUrl: null,
    emit(path, content) {
      if (path === 'index.html') html = String(content);
    },
  });
  return { html, codes: warnings.map(({ code }) => code) };
}

test('a placeholder behind a URL is text, and the rest of the page keeps its formatting', async () => {
  const { html, codes } = await renderPage(
    '- Open http://localhost:3000/traces?id=<TRACE_ID>\n\n```sh\ncurl http://a.example/<ID>\n```\n\n**Then** read <T_ID>, `<T_ID>` and http://a.example/x/<A>/<B>.\n',
  );
  expect(codes).toEqual(['invalid-tag', 'invalid-tag', 'invalid-tag', 'invalid-tag']);
  const inBody = { within: { id: 'content' } };
  expect(textsOf(html, { ...inBody, role: 'link', text: /^http/ })).toEqual([
    'http://localhost:3000/traces?id=<TRACE_ID>',
    'http://a.example/x/<A>/<B>',
  ]);
  expect(valuesOf(html, 'href', { ...inBody, text: /TRACE/, role: 'link' })).toEqual([
    'http://localhost:3000/traces?id=<TRACE_ID>',
  ]);
  expect(textsOf(html, { ...inBody, tag: 'p' })).toEqual([
    'Then read <T_ID>, <T_ID> and http://a.example/x/<A>/<B>.',
  ]);
  expect(has(html, { ...inBody, role: 'strong', text: 'Then' })).toBe(true);
});

test('a page with too many errors shows placeholders behind URLs as they are written', async () => {
  const others = Array.from({ length: 60 }, (_, at) => `a <bad_${at}> b`).join('\n\n');
  const { html, codes } = await renderPage(`Open http://localhost:3000/?id=<TRACE_ID>\n\n${others}\n`);
  expect(codes).toContain('invalid-mdx');
  const [first, second] = textsOf(html, { within: { id: 'content' }, tag: 'p' });
  expect([first, second]).toEqual(['Open http://localhost:3000/?id=<TRACE_ID>', 'a <bad_0> b']);
});
