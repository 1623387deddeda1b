/** Components that a browser runs, in places where HTML allows parts of tables only. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { renderFiles } from './output.ts';

const PAGE = `export const Row = ({ name, children }) => {
  const [count, setCount] = useState(0);
  return (
    <tr>
      <th>{name}</th>
      {children}
      <td><button onClick={() => setCount(count + 1)}>{count} clicks</button></td>
    </tr>
  );
};

<table>
  <tbody>
    <tr><th>Plain</th><td>first</td><td>none</td></tr>
    <Row name="One"><td>**second**</td></Row>
    <Row name="Two"><td>third</td></Row>
    <tr onClick={() => {}}><th>Last</th><td>fourth</td><td>none</td></tr>
  </tbody>
</table>
`;

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-'));
  const { files } = await renderFiles({
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: { pages: ['index'] },
    }),
    'index.mdx': PAGE,
  });
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const rows = `[...document.querySelectorAll('#content tr')].map((row) =>
  [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim()).join(' | '))`;
const EXPECTED = [
  'Plain | first | none',
  'One | second | 0 clicks',
  'Two | third | 0 clicks',
  'Last | fourth | none',
];

test('rows stay in their table without scripts', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`file://${folder}/index.html`);
  const names = await page.locator('#content table tr > :first-child').allTextContents();
  expect(names).toEqual(['Plain', 'One', 'Two', 'Last']);
  await context.close();
});

test('rows stay in their table and come to life', async () => {
  const page = await browser.newPage();
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  await page.goto(`file://${folder}/index.html`);
  await expect
    .poll(() => page.evaluate("document.querySelectorAll('offprint-island[data-mounted]').length"))
    .toBe(3);
  expect(await page.evaluate(rows)).toEqual(EXPECTED);
  await page.getByRole('button', { name: '0 clicks' }).first().click();
  await expect.poll(() => page.evaluate(rows)).toContain('One | second | 1 clicks');
  const left = `new Set([...document.querySelectorAll('#content tr > :first-child')].map((cell) => cell.getBoundingClientRect().x)).size`;
  expect(await page.evaluate(left)).toBe(1);
  expect(messages).toEqual([]);
  await page.close();
});
