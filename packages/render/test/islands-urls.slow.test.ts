import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { type StaticServer, serveStatic } from '../../../test/support/static-server.ts';
import { renderFiles, textOf } from './output.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path id="p" d="M0 0h8v8z"/></svg>';

/** Every place of a component that has a URL, for the file `name`. */
const COMPONENT = `
export const Urls = () => {
  const [name, setName] = useState('a');
  const file = '/images/' + name + '.svg';
  return (
    <div className="urls">
      <button onClick={() => setName('b')}>change</button>
      <i data-style="backgroundImage" style={{ backgroundImage: 'url(' + file + ')' }} />
      <i data-style="backgroundImage" style={\`background: url("\${file}") no-repeat\`} />
      <i data-style="backgroundImage" style={{ '--picture': 'url(' + file + ')', backgroundImage: 'var(--picture)' }} />
      <i data-style="backgroundImage" style={{ background: '\\\\75rl(' + file + ')' }} />
      <i data-style="backgroundImage" style={{ background: 'image-set("' + file + '" 1x)' }} />
      <i data-style="maskImage" style={{ maskImage: "url('" + file + "')" }} />
      <i data-style="listStyleImage" style={{ listStyle: 'square url(' + file + ')' }} />
      <i data-style="cursor" style={{ cursor: 'url(' + file + '), auto' }} />
      <i data-style="filter" style={{ filter: 'url(' + file + '#p)' }} />
      <style>{'.from-sheet { background-image: url(' + file + ') }'}</style>
      <i data-style="backgroundImage" className="from-sheet" />
      <div dangerouslySetInnerHTML={{ __html: '<i data-style="backgroundImage" style="background: url(' + file + ')"></i><img data-file="src" src="' + file + '">' }} />
      <img data-file="src" src={file} />
      <img data-file="currentSrc" srcSet={file + ' 1x, ' + file + ' 2x'} />
      <video data-file="poster" poster={file} />
      <object data-file="data" data={file} type="image/svg+xml" />
      <a data-file="href" href={file}>file</a>
      <svg><use data-file="href" xlinkHref={file + '#p'} /><image data-file="href" href={file} /></svg>
      <i className="kept" style={{ background: 'url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)', filter: 'url(#own)' }} />
    </div>
  );
};

<Urls />
`;

let browser: Browser;
let folder: string;
let server: StaticServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-'));
  const output = await renderFiles({
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: 'x',
      colors: { primary: '#0f766e' },
      navigation: { pages: ['index', 'guides/deep/page'] },
    }),
    'index.mdx': COMPONENT,
    'guides/deep/page.mdx': COMPONENT,
    'images/a.svg': SVG,
    'images/b.svg': SVG,
  });
  for (const [path, content] of output.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const policy = /Content-Security-Policy: (.*)/.exec(textOf(output, '_headers'))?.[1] ?? '';
  server = await serveStatic(folder, '/some/path', { 'content-security-policy': policy });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Each place with the URL that the browser uses there. */
const READ = `[...document.querySelectorAll('.urls [data-style], .urls [data-file]')].map((element) => {
  const { style, file } = element.dataset;
  if (style) return style + ' ' + (/url\\("(.*?)"\\)/.exec(getComputedStyle(element)[style])?.[1] ?? getComputedStyle(element)[style]);
  const value = element[file]?.baseVal ?? element[file];
  return element.localName + ' ' + (value === '' ? element.outerHTML : new URL(value, document.baseURI).href);
})`;

describe.each([
  ['from a server, below a path', () => server.url],
  ['from files', () => `file://${folder}`],
])('URLs in a component %s', (_, base) => {
  test.each(['index', 'guides/deep/page'])('lead to the files of the docs on the page %s', async (path) => {
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.goto(`${base()}/${path}.html`);
    await page.waitForSelector('offprint-island[data-mounted]', { state: 'attached' });
    const check = async (file: string): Promise<void> => {
      const expected = new RegExp(` ${base()}/images/${file}\\.svg(?:#p)?$`);
      // Which file of a srcset is used is known once the browser has chosen it.
      const other = async (): Promise<string[]> =>
        ((await page.evaluate(READ)) as string[]).filter((place) => !expected.test(place));
      await expect.poll(other).toEqual([]);
      expect(await page.evaluate(READ)).toHaveLength(19);
    };
    await check('a');
    await page.getByRole('button', { name: 'change' }).click();
    await check('b');
    expect(await page.locator('.kept').getAttribute('style')).toContain(
      'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
    );
    expect(await page.locator('.kept').getAttribute('style')).toContain('url("#own")');
    await page.waitForLoadState('networkidle');
    for (const url of asked.filter((it) => !it.startsWith('data:'))) {
      expect(url).toMatch(new RegExp(`^${base()}/`));
      const file = url.slice(base().length + 1).replace(/[?#].*$/, '');
      expect(existsSync(join(folder, decodeURI(file))), url).toBe(true);
    }
    await page.close();
  });
});
