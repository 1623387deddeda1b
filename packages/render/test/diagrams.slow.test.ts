import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { type StaticServer, serveStatic } from '../../../test/support/static-server.ts';
import { DIAGRAMS } from './diagram-kinds.ts';
import { type Output, renderFiles, textOf } from './output.ts';

const fence = (source: string, meta = ''): string => `\`\`\`mermaid ${meta}\n${source}\n\`\`\`\n`;
const docs = {
  name: 'T',
  theme: 'mint',
  colors: { primary: '#0f766e' },
  navigation: { pages: ['index', 'one', 'bad', 'plain'] },
};
const FILES: Record<string, string> = {
  'docs.json': JSON.stringify(docs),
  'images/a.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>',
  'index.mdx': Object.entries(DIAGRAMS)
    .map(([name, source]) => `## ${name}\n\n${fence(source)}`)
    .join('\n'),
  'one.mdx': [
    fence(
      'flowchart LR\n  A[Start] --> B[End]\n  click B href "/plain" "go"',
      'placement="top-left" actions={true}',
    ),
    '<Mermaid chart="flowchart TD; X-->Y" />',
  ].join('\n'),
  'bad.mdx': [
    fence('flowchart LR\n  A -->'),
    fence(
      'flowchart LR\n  A["<img src=x onerror=alert(1)>b"] --> B["<script>alert(2)</script>c"]\n' +
        '  click A href "javascript:alert(3)"\n  C@{ img: "https://elsewhere.example/x.png", h: 60 }\n' +
        '  D@{ img: "/images/a.svg", h: 60 }',
    ),
    fence(
      '%%{init: {"securityLevel": "loose", "themeCSS": ".node { background: url(https://elsewhere.example/y.png) }"}}%%\n' +
        'flowchart LR\n  A["<a href=\'javascript:alert(4)\'>x</a>"] --> B\n  click A call alert(5)\n  click B alert "go"',
    ),
  ].join('\n'),
  'plain.mdx': 'No diagram.',
};

describe('pages with diagrams', () => {
  let output: Output;
  beforeAll(async () => {
    output = await renderFiles(FILES);
  });

  test('hold the source as a code block for readers without JavaScript, and load one small script', () => {
    const html = textOf(output, 'one.html');
    expect(html).toContain('A[Start] --&gt; B[End]');
    const path = /src="(_offprint\/diagrams-[0-9a-f]+\.js)" defer/.exec(html)?.[1] ?? '';
    expect(new TextEncoder().encode(textOf(output, path)).length).toBeLessThan(32_000);
    expect(textOf(output, 'plain.html')).not.toContain('diagrams-');
    expect(textOf(output, 'one.md')).toContain('```mermaid');
  });

  test('their links and pictures are resolved; what could run or load from elsewhere is reported and gone', () => {
    expect(textOf(output, 'one.html')).toContain('click B href &quot;plain.html&quot;');
    const data = [...textOf(output, 'bad.html').matchAll(/data-source="([^"]*)"/g)].map((match) => match[1]);
    expect(data).toHaveLength(1);
    expect(data[0]).not.toMatch(/javascript:|onerror|elsewhere/);
    expect(data[0]).toContain('images/a.svg');
    expect(output.result.warnings.map(({ code }) => code).sort()).toEqual([
      'missing-asset',
      'remote-file',
      'unsafe-link',
    ]);
  });

  test('a site without diagrams carries nothing for them', async () => {
    const plain = await renderFiles({ ...FILES, 'index.mdx': 'x', 'one.mdx': 'x', 'bad.mdx': 'x' });
    expect([...plain.files.keys()].filter((path) => path.includes('diagrams'))).toEqual([]);
  });
});

describe('diagrams in a browser with the strict policy', () => {
  let browser: Browser;
  let folder: string;
  let server: StaticServer;
  const faults: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-'));
    const output = await renderFiles(FILES);
    for (const [path, content] of output.files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const policy = /Content-Security-Policy: (.*)/.exec(textOf(output, '_headers'))?.[1] ?? '';
    server = await serveStatic(folder, '/docs', { 'content-security-policy': policy });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (address: string): Promise<Page> => {
    const page = await (await browser.newContext({ colorScheme: 'light' })).newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('dialog', (dialog) => {
      faults.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!/^(?:file:|data:|http:\/\/127\.0\.0\.1:)/.test(request.url())) faults.push(request.url());
    });
    await page.goto(address);
    return page;
  };

  const settle = async (page: Page): Promise<void> => {
    const figures = await page.locator('.op-diagram').all();
    for (const figure of figures) {
      await figure.scrollIntoViewIfNeeded();
      await figure.and(page.locator(':not([data-pending])')).waitFor();
    }
  };

  /** Name and accessible name of each drawing; null without one. */
  const drawings = (page: Page) =>
    page.locator('.op-diagram').evaluateAll((figures) =>
      figures.map((figure) => {
        const svg = figure.querySelector('.op-diagram-host')?.shadowRoot?.querySelector('svg');
        const box = svg?.getBoundingClientRect();
        return svg && box && box.width > 20 && box.height > 20
          ? (svg.getAttribute('aria-label') ?? svg.querySelector('title')?.textContent ?? '')
          : null;
      }),
    );

  test('every kind is drawn and has a name', async () => {
    const page = await open(`${server.url}/index.html`);
    await settle(page);
    const drawn = await drawings(page);
    const failed = Object.keys(DIAGRAMS).filter((_, index) => !drawn[index]);
    expect(failed).toEqual([]);
  });

  test('they follow the theme, also from disk', async () => {
    const page = await open(`file://${folder}/one.html`);
    await settle(page);
    expect(await page.locator('[data-drawn=light]').count()).toBe(2);
    await page.click('#theme-toggle');
    await page.locator('[data-drawn=dark]').nth(1).waitFor();
    expect(await page.locator('.op-diagram pre').first().isVisible()).toBe(false);
  });

  test('zooming and moving works by button and key, and starts again', async () => {
    const page = await open(`${server.url}/one.html`);
    await settle(page);
    const figure = page.locator('.op-diagram').first();
    const scale = () =>
      figure.evaluate((element) => {
        const frame = element
          .querySelector('.op-diagram-host')
          ?.shadowRoot?.querySelector<HTMLElement>('.frame');
        return frame?.style.transform;
      });
    expect(await figure.locator('.op-diagram-actions button').count()).toBe(3);
    await figure.hover();
    await figure.getByRole('button', { name: 'Zoom in' }).click();
    expect(await scale()).toMatch(/scale\(1\.25\)/);
    await figure.locator('.op-diagram-view').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('0');
    expect(await scale()).toBe('');
  });

  test('a faulty one shows the reason and its source; a hostile one runs and loads nothing', async () => {
    const page = await open(`${server.url}/bad.html`);
    await settle(page);
    const first = page.locator('.op-diagram').first();
    expect(await first.locator('.op-diagram-error').innerText()).toContain('Parse error');
    expect(await first.locator('pre').isVisible()).toBe(true);
    expect((await drawings(page)).slice(1)).toEqual(['Diagram', 'Diagram']);
    const last = page.locator('.op-diagram').last();
    await last.locator('.op-diagram-host').click();
    const shown = await last.evaluate(
      (figure) => figure.querySelector('.op-diagram-host')?.shadowRoot?.innerHTML ?? '',
    );
    expect(shown).not.toMatch(/javascript:|onclick|<style|elsewhere/);
  });

  test('nothing was written to the console, asked of another host or refused by the policy', () => {
    expect(faults).toEqual([]);
  });
});
