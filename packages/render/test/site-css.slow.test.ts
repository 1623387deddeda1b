import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { placeRules } from '../src/output/user-styles.ts';
import { kitchenSite } from './kitchen.ts';
import { readFolder, renderFiles } from './output.ts';

const THEMES = ['mint', 'maple', 'palm', 'willow', 'linden', 'almond', 'aspen', 'sequoia', 'luma'] as const;
const SEARCH_AT_SIDE: readonly string[] = ['maple', 'willow', 'almond'];

/** Ids and classes that site CSS selects, each with the element around it. */
const NESTING: readonly [string, string][] = [
  ['#navbar', 'body'],
  ['.nav-logo', '#navbar'],
  ['.nav-tabs', 'body'],
  ['.nav-tabs-item', '.nav-tabs'],
  ['#topbar-cta-button', '.topbar-right-container'],
  ['#localization-select-trigger', '.topbar-right-container'],
  ['.nav-dropdown-trigger', '#navbar, #sidebar'],
  ['.nav-dropdown-item', '.nav-dropdown-content'],
  ['.nav-dropdown-item-title', '.nav-dropdown-item'],
  ['.nav-tag-pill', '#navbar, #sidebar'],
  ['.nav-tag-pill-text', '.nav-tag-pill'],
  ['ul#localization-select-content', '.topbar-right-container'],
  ['.nav-dropdown-item-text-container', '.nav-dropdown-item'],
  ['#body-content', 'body'],
  ['#sidebar', '#body-content'],
  ['#sidebar-content', '#sidebar'],
  ['#navigation-items', '#sidebar-content'],
  ['.sidebar-group-header', '#navigation-items > div'],
  ['.sidebar-title', '.sidebar-group-header'],
  ['ul.sidebar-group', '#navigation-items > div'],
  ['#sidebar-content li[data-active]', '.sidebar-group[data-active]'],
  ['.nav-anchor', '#sidebar .nav-anchors'],
  ['#content-container', '#body-content'],
  ['#content-side-layout', '#content-container'],
  ['#table-of-contents-layout', '#content-side-layout'],
  ['#table-of-contents', '#table-of-contents-layout'],
  ['ul#table-of-contents-content.toc', '#table-of-contents'],
  ['.toc-item', '#table-of-contents-content'],
  ['#content-area', '#content-container'],
  ['#header', '#content-area'],
  ['.eyebrow', '#header'],
  ['#page-title', '#header'],
  ['#content.mdx-content[data-page-href="/start"]', '#content-area'],
  ['#pagination', '#content-area'],
  ['.pagination-title', '#pagination :is(.pagination-prev, .pagination-next)'],
  ['#footer.advanced-footer', 'body'],
];

/* These run in the page. */

/** By how many pixels the page is wider than the window. */
const overflow = (): number => document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** Parts of the page that overlap. */
const covered = (): string[] => {
  const selectors = [
    '#navbar',
    '#sidebar',
    '#header',
    '#content',
    '#content-side-layout',
    '#pagination',
    '#footer',
  ];
  const elements = selectors.map((selector) => document.querySelector(selector));
  const shown = elements.filter((element) => element?.checkVisibility() === true);
  const boxes = shown.map((element) => ({
    id: element?.id,
    box: element?.getBoundingClientRect() ?? new DOMRect(),
  }));
  return boxes.flatMap(({ id, box }, at) =>
    boxes
      .slice(at + 1)
      .filter(
        ({ box: other }) =>
          Math.min(box.right, other.right) - Math.max(box.left, other.left) > 1 &&
          Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 1,
      )
      .map((other) => `${id} and ${other.id}`),
  );
};

/** Components whose content does not fit into them. */
const clipped = (): string[] =>
  [...document.querySelectorAll('.card, .callout, .accordion, .step, .update, .frame')]
    .filter((part) => part.scrollHeight > part.clientHeight + 1)
    .map(({ className }) => className);

describe('the style sheet of a site in each of the nine layouts', () => {
  let browser: Browser;
  let folder: string;
  let page: Page;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-'));
    const styled = readFolder(new URL('./fixtures/site-css/', import.meta.url).pathname);
    for (const theme of THEMES) {
      for (const [variant, more] of [
        [theme, {}],
        [`styled/${theme}`, styled],
      ] as const) {
        const { files } = await renderFiles({ ...kitchenSite(theme), ...more });
        for (const [path, content] of files) {
          mkdirSync(dirname(join(folder, variant, path)), { recursive: true });
          writeFileSync(join(folder, variant, path), content);
        }
      }
    }
    browser = await launchBrowser();
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (path: string, width: number, css = '', height = 900): Promise<void> => {
    await page.setViewportSize({ width, height });
    await page.goto(`file://${folder}/${path}`);
    if (css !== '') await page.addStyleTag({ content: css });
  };
  const box = (selector: string): Promise<DOMRect> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);

  test.each(THEMES)('finds its ids and classes where the reference product has them, %s', async (theme) => {
    await open(`${theme}/start.html`, 1440);
    const misplaced = await page.evaluate(
      (nesting) =>
        nesting.filter(([inner, outer]) => {
          const found = [...document.querySelectorAll(inner)];
          if (found.length === 0 || (/^#[\w-]+$/.test(inner) && found.length > 1)) return true;
          return !found.every((element) => element.parentElement?.closest(outer));
        }),
      NESTING,
    );
    expect(misplaced).toEqual([]);
    // Neither is inside the other, so that the width of one does not narrow the other.
    expect(await page.locator('#content-area #table-of-contents').count()).toBe(0);
  });

  test.each(THEMES)('gives the text the width of #content-area beside the contents, %s', async (theme) => {
    await open(`${theme}/start.html`, 1440, '#content-area { max-width: 40rem }');
    const area = await box('#content-area');
    const title = await box('#page-title');
    const contents = await box('#table-of-contents');
    expect(area.width).toBe(640);
    expect(title.width).toBeGreaterThan(400);
    expect(contents.left).toBeGreaterThanOrEqual(area.right);
    expect(contents.top).toBeLessThan(title.bottom);

    await open(`${theme}/start.html`, 1440, '#content-area { max-width: 48rem }');
    expect((await box('#content-area')).width).toBeGreaterThan(
      theme === 'almond' || theme === 'aspen' ? 690 : 740,
    );
    expect(await page.evaluate(overflow)).toBe(0);
  });

  test.each(THEMES)('has the contents between title and text on smaller screens, %s', async (theme) => {
    for (const width of [390, 1100]) {
      await open(`${theme}/start.html`, width);
      // What a script of the site appends comes last and covers nothing.
      await page.evaluate("document.querySelector('#content-area').append(document.createElement('hr'))");
      const order = ['#header', '#table-of-contents', '#content', '#pagination', '#content-area > hr'];
      const boxes = await Promise.all(order.map((selector) => box(selector)));
      for (const [at, { top }] of boxes.entries())
        if (at > 0)
          expect(top, `${order[at]} at ${width}`).toBeGreaterThanOrEqual(boxes[at - 1]?.bottom ?? 0);
    }
  });

  test('leaves the main button readable when it colors every element of the bar', async () => {
    await open('mint/start.html', 1440, '#navbar div { background: #fff }');
    const order = await page.locator('#topbar-cta-button a > div > span').evaluate((text) => {
      const { left, top, width, height } = text.getBoundingClientRect();
      return document.elementsFromPoint(left + width / 2, top + height / 2).map(({ className }) => className);
    });
    const at = (part: string): number => order.findIndex((name) => name.split(' ').includes(part));
    expect(order[0]).toBe('');
    expect(at('op-button-ground')).toBe(1);
    expect(at('op-button-label')).toBeGreaterThan(1);
    const colors = await page
      .locator('.op-button-ground, .op-button-primary')
      .evaluateAll((parts) => parts.map((part) => getComputedStyle(part).backgroundColor));
    expect(new Set(colors).size).toBe(1);
  });

  test.each(THEMES)('keeps the search in view while a long sidebar is scrolled, %s', async (theme) => {
    for (const [width, height] of [
      [1440, 900],
      [1024, 600],
      [800, 900],
      [390, 844],
    ] as const) {
      await open(`${theme}/many/page-75.html`, width, '', height);
      const isAtSide = SEARCH_AT_SIDE.includes(theme) && width >= 1024;
      const entry = page.locator('#search-bar-entry, #search-bar-entry-mobile').filter({ visible: true });
      expect(await entry.count(), `${width}`).toBe(1);
      expect(await entry.evaluate((button) => button.closest('#sidebar') !== null)).toBe(isAtSide);
      const isSeen = (element: Element): boolean => {
        const { left, top, width: across, height: down } = element.getBoundingClientRect();
        const at = document.elementFromPoint(left + across / 2, top + down / 2);
        return at !== null && element.contains(at);
      };
      expect(await entry.evaluate(isSeen), `search at ${width}`).toBe(true);
      if (width < 1024) continue;
      // The whole sidebar comes when the page is idle.
      const scrolled = () => page.locator('#sidebar-content').evaluate(({ scrollTop }) => scrollTop);
      await expect.poll(scrolled).toBeGreaterThan(200);
      expect(await page.locator('#navigation-items [aria-current]').evaluate(isSeen)).toBe(true);
      if (!isAtSide) continue;
      // The order of the Tab key is the visual one.
      await entry.focus();
      await page.keyboard.press('Tab');
      const next = "document.activeElement.closest('#sidebar-content') !== null";
      expect(await page.evaluate(next)).toBe(true);
    }
  });

  test.each(THEMES)(
    'sets the space between groups of the sidebar by the usual classes, %s',
    async (theme) => {
      const space = (): Promise<number> =>
        page.evaluate(() => {
          const [above, below] = document.querySelectorAll('#navigation-items > div');
          if (above === undefined || below === undefined) throw new Error('The sidebar has no groups.');
          return below.getBoundingClientRect().top - above.getBoundingClientRect().bottom;
        });
      await open(`${theme}/start.html`, 1440);
      expect(await space()).toBe(32);
      await open(
        `${theme}/start.html`,
        1440,
        '#sidebar li, #sidebar ul, #sidebar a { margin: 0; padding: 0 }',
      );
      expect(await space()).toBe(32);
      await open(`${theme}/start.html`, 1440, '#sidebar-content .mt-6 { margin-top: 11px }');
      expect(await space()).toBe(11);
    },
  );

  test.each(THEMES)('covers, clips and widens nothing when it selects every name, %s', async (theme) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1440, 390]) {
        await open(`styled/${theme}/start.html`, width);
        const faults = [
          await page.evaluate(overflow),
          await page.evaluate(covered),
          await page.evaluate(clipped),
        ];
        expect(faults, `${colorScheme}, ${width}`).toEqual([0, [], []]);
      }
    }
    await page.emulateMedia({ colorScheme: null });
  });

  test.each(SEARCH_AT_SIDE)('has the search above the pickers of the sidebar, %s', async (theme) => {
    const pages = Array.from({ length: 60 }, (_each, at) => `page-${at}`);
    const { files } = await renderFiles({
      'docs.json': JSON.stringify({
        name: 'Site',
        theme,
        colors: { primary: '#166e3f' },
        navigation: {
          dropdowns: [
            { dropdown: 'Guides', groups: [{ group: 'All', pages }] },
            { dropdown: 'Reference', pages: ['other'] },
          ],
        },
      }),
      ...Object.fromEntries([...pages, 'other'].map((path) => [`${path}.mdx`, '## One\n\nText.'])),
    });
    for (const [path, content] of files) {
      mkdirSync(dirname(join(folder, 'pickers', theme, path)), { recursive: true });
      writeFileSync(join(folder, 'pickers', theme, path), content);
    }
    await open(`pickers/${theme}/page-0.html`, 1440);
    const picker = page.locator('#sidebar .nav-dropdown-trigger');
    expect((await box('#search-bar-entry')).bottom).toBeLessThan(
      (await box('#sidebar .nav-dropdown-trigger')).top,
    );
    await picker.click();
    expect(await page.locator('#sidebar .nav-dropdown-item').last().isVisible()).toBe(true);
    await open(`pickers/${theme}/page-59.html`, 1440);
    const { top, bottom } = await box('#search-bar-entry');
    expect(top).toBeGreaterThanOrEqual((await box('#navbar')).bottom);
    expect(bottom).toBeLessThanOrEqual((await box('#sidebar-content')).top);
  });

  test('leaves the columns of a table aligned as its Markdown says', async () => {
    await open('styled/mint/start.html', 1440);
    const sides = await page
      .locator('#content td')
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).textAlign));
    expect(sides).toEqual(['start', 'center', 'right']);
  });

  test('leaves the elements of authors alone, whatever class of ours they have without the prefix', async () => {
    await open('mint/start.html', 1440);
    const sheet =
      readdirSync(join(folder, 'mint/_offprint')).find((name) => /^site-\w+\.css$/.test(name)) ?? '';
    const css = readFileSync(join(folder, 'mint/_offprint', sheet), 'utf8');
    const names = new Set([...css.matchAll(/\.op-([\w-]+)/g)].map(([, name = '']) => name));
    const changed = await page.evaluate(
      (names) => {
        const content = document.querySelector('#content');
        const look = (name: string): string => {
          const element = document.createElement('div');
          element.className = name;
          element.innerHTML = '<span>Text</span>';
          content?.append(element);
          const styles = [element, element.firstElementChild ?? element].map((each) =>
            getComputedStyle(each),
          );
          const text = styles.map((style) =>
            [...style].map((key) => `${key}:${style.getPropertyValue(key)}`).join(';'),
          );
          element.remove();
          return text.join('|');
        };
        const plain = look('nothing-of-ours');
        return names.filter((name) => look(name) !== plain);
      },
      [...names],
    );
    expect(names.size).toBeGreaterThan(200);
    expect(changed).toEqual([]);
  });

  test('gives code in a callout one background, with tabs and without', async () => {
    await open('mint/start.html', 1440);
    const grounds = await page.evaluate(() => {
      const callout = document.createElement('div');
      callout.innerHTML =
        '<div class="op-callout-content"><div class="op-code-block"><b class="op-copy"></b></div><div class="op-code-group"><div class="op-code-block"><b class="op-copy"></b></div></div></div>';
      document.querySelector('#content')?.append(callout);
      const blocks = callout.querySelectorAll('.op-callout-content > *, .op-copy');
      return [...blocks].map((block) => getComputedStyle(block).backgroundColor);
    });
    expect(grounds).toHaveLength(4);
    expect(new Set(grounds).size).toBe(1);
  });

  test.each([
    ['navy', 'white'],
    ['rgb(250 250 230)', 'black'],
    ['hsl(240, 50%, 20%)', 'white'],
    ['oklch(0.9 0.05 250)', 'black'],
    ['oklch(0.3 0.1 250)', 'white'],
    ['#0f0f0f', 'white'],
  ])('gives a banner that a site colors %s the text color %s', async (ground, expected) => {
    await page.setContent(
      `<style>${placeRules(`#banner { background: ${ground} }`)}</style><p id="banner">x`,
    );
    const shown = await page.locator('#banner').evaluate((banner, color) => {
      const canvas = new OffscreenCanvas(1, 1).getContext('2d');
      const pixel = (fill: string): string => {
        if (canvas === null) return '';
        canvas.fillStyle = fill;
        canvas.fillRect(0, 0, 1, 1);
        return canvas.getImageData(0, 0, 1, 1).data.join();
      };
      return pixel(getComputedStyle(banner).color) === pixel(color);
    }, expected);
    expect(shown).toBe(true);
  });

  test('colors nothing for a word that is not a color', async () => {
    await page.setContent(
      `<style>p { color: red }${placeRules('#banner { background: inherit }')}</style><p id="banner">x`,
    );
    const color = await page.locator('#banner').evaluate((banner) => getComputedStyle(banner).color);
    expect(color).toBe('rgb(255, 0, 0)');
  });
});
