import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renderBody } from './mdx-page.ts';

const folder = new URL('./fixtures/mdx/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.mdx'));

const files = {
  'images/a.png': 'png',
  'snippets/part.mdx':
    '---\ntitle: x\n---\nimport Inner from "./inner.mdx"\n\nPart of {product} ({props.count}): {children}\n\n```sh\ninstall {product} {other}\n```\n\n<Inner value={product} />\n',
  'snippets/inner.mdx': 'Inner *{value}*\n',
  'snippets/named.mdx':
    'export const shared = { value: "shared" };\n\nexport const Box = ({ label, children }) => <section title={label}>{children}</section>;\n',
  'snippets/widgets.jsx':
    'import { useState } from "react";\nexport const Static = ({ name }) => <b>static {name}</b>;\nexport const Counter = () => { const [n, set] = useState(0); return <i>{n}</i>; };\n',
};
const site = { files, pages: ['index', 'guide', 'docs/other'] };

/** One tag or text a line, so that a change shows where it is. */
function lines(html: string): string {
  return html
    .replace(
      /(<\/?(?:p|div|h[1-6]|ul|ol|li|table|thead|tbody|tr|t[hd]|blockquote|section|pre|hr)\b)/g,
      '\n$1',
    )
    .trim();
}

describe('pages', () => {
  test.each(names)('%s gives the HTML, Markdown and warnings that were reviewed', async (name) => {
    const page = renderBody(readFileSync(new URL(name, folder), 'utf8'), site);
    const warnings = page.warnings.map(
      ({ file, line, code, message }) => `${file}:${line} ${code} ${message}`,
    );
    const report = [
      lines(page.html),
      '---- contents',
      ...page.toc.map((entry) => `${entry.depth} ${entry.id} ${entry.html}`),
      '---- markdown',
      page.markdown.trim(),
      '---- warnings',
      ...warnings,
      '',
    ].join('\n');
    await expect(report).toMatchFileSnapshot(`./fixtures/mdx/${name.replace('.mdx', '.txt')}`);
  });
});
