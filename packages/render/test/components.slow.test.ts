import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriousFindings } from '../../../test/support/axe.ts';
import { launchBrowser } from '../../../test/support/browser.ts';
import { readFolder, renderFiles } from './output.ts';

const GALLERY = new URL('./fixtures/gallery/', import.meta.url).pathname;
const ORIGIN = 'http://localhost';
const TYPES: Record<string, string> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};
const PAGES =
  'index callouts inline cards code media colors tabs more-tabs accordions steps trees views variations changelog panel request fields foreign ar';

describe('the gallery of components in a browser, under the policy of exported sites', () => {
  let browser: Browser;
  let files: Map<string, string | Uint8Array>;
  let policy: string;
  const faults: string[] = [];

  beforeAll(async () => {
    const { files: rendered, result } = await renderFiles(readFolder(GALLERY));
    expect(result.warnings).toEqual([]);
    files = rendered;
    policy = /Content-Security-Policy: (.*)/.exec(String(files.get('_headers')))?.[1] ?? '';
    expect(policy).toContain("script-src 'self'");
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      permissions: options.javaScriptEnabled === false ? [] : ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    await context.route('**/*', (route) => {
      const { pathname, protocol } = new URL(route.request().url());
      const path = decodeURIComponent(pathname.slice(1));
      const content = files.get(path);
      if (protocol !== 'http:' || content === undefined) {
        faults.push(`asked for ${route.request().url()}`);
        return route.fulfill({ status: 404 });
      }
      return route.fulfill({
        body: typeof content === 'string' ? content : Buffer.from(content),
        contentType: TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
        headers: { 'Content-Security-Policy': policy },
      });
    });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    return page;
  };
  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await newPage(options);
    await go(page, path);
    return page;
  };
  const go = async (page: Page, path: string): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${ORIGIN}/${path}`);
  };
  const hash = (page: Page): string => decodeURIComponent(new URL(page.url()).hash);
  const focused = (page: Page, expression = 'at.id'): Promise<unknown> =>
    page.evaluate(`(() => { const at = document.activeElement; return ${expression}; })()`);
  const inWindow = (page: Page, selector: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const { top, left, right, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return top >= 0 && left >= 0 && right <= innerWidth && top < innerHeight && bottom > 0;
    })()`);

  describe('tabs', () => {
    test('arrows, Home and End move and open; one tab is a stop; the address names it', async () => {
      const page = await open('tabs.html');
      await page.focus('#first-tab');
      await page.keyboard.press('ArrowRight');
      expect(await focused(page)).toBe('second-tab');
      expect(await page.isVisible('text=Panel of the second tab')).toBe(true);
      expect(await page.isVisible('text=Panel of the first tab')).toBe(false);
      expect(hash(page)).toBe('#second-tab');
      await page.keyboard.press('End');
      expect(await focused(page)).toBe('third-tab');
      await page.keyboard.press('ArrowRight');
      expect(await focused(page)).toBe('first-tab');
      await page.keyboard.press('ArrowLeft');
      expect(await focused(page)).toBe('third-tab');
      await page.keyboard.press('Home');
      expect(await focused(page)).toBe('first-tab');
      expect(
        await page
          .locator(
            '.tabs:first-of-type [role=tab][tabindex="0"], .tabs:first-of-type [role=tab]:not([tabindex])',
          )
          .count(),
      ).toBe(1);
      await page.context().close();
    });

    test('a hash opens a tab, a heading in a closed one, and what is closed inside of it', async () => {
      const page = await open('tabs.html#second-tab');
      expect(await page.isVisible('text=Panel of the second tab')).toBe(true);
      await go(page, 'tabs.html#inside-the-second');
      expect(await inWindow(page, '#inside-the-second')).toBe(true);
      await go(page, 'tabs.html#deep-inside');
      expect(await page.isVisible('text=Hidden twice.')).toBe(true);
      await page.context().close();
    });

    test('groups follow each other by label, on the next page too; those with sync={false} do not', async () => {
      const page = await open('tabs.html');
      expect(await page.isVisible('text=Use pnpm.')).toBe(true);
      await page.click('.code-group [role=tab] >> text=pnpm');
      await page.click('.op-tabs-bordered [role=tab] >> text=npm');
      expect(await page.getAttribute('.code-group [data-label=npm]', 'aria-selected')).toBe('true');
      await page.click('.op-tabs-bordered [data-label=pnpm]');
      expect(await page.getAttribute('.code-group [data-label=pnpm]', 'aria-selected')).toBe('true');
      expect(await page.isVisible('text=On its own, npm.')).toBe(true);
      await go(page, 'more-tabs.html');
      expect(await page.isVisible('text=Again pnpm.')).toBe(true);
      expect(await page.locator('.code-group select').inputValue()).toMatch(/pnpm/);
      await page.selectOption('.code-group select', { label: 'npm' });
      expect(await page.isVisible('text=Again npm.')).toBe(true);
      await page.context().close();
    });

    test('without JavaScript every panel follows its label', async () => {
      const page = await open('tabs.html', { javaScriptEnabled: false });
      for (const text of [
        'Panel of the first tab.',
        'Panel of the second tab.',
        'Panel of the third tab.',
        'Use npm.',
      ])
        expect(await page.isVisible(`text=${text}`), text).toBe(true);
      expect(await page.locator('[role=tablist]').first().isVisible()).toBe(false);
      await page.context().close();
    });

    test('what is closed can be found by the search of the browser', async () => {
      const page = await open('tabs.html');
      const states = await page.evaluate(
        "[...document.querySelectorAll('.op-tab-panel[hidden]')].map((panel) => panel.getAttribute('hidden'))",
      );
      expect(states).toEqual(Array((states as string[]).length).fill('until-found'));
      await page.evaluate(
        `document.getElementById('second-tab-panel').dispatchEvent(new Event('beforematch', { bubbles: true }))`,
      );
      expect(await page.getAttribute('#second-tab', 'aria-selected')).toBe('true');
      await page.context().close();
    });
  });

  test('accordions: Enter opens and writes the address, which opens it with its parents; closing takes it away', async () => {
    const page = await open('accordions.html');
    await page.focus('#a-question > summary');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#a-question$/);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#a-question:a-smaller-question$/);
    const address = page.url().split('/').at(-1) ?? '';
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.hash === '');
    await go(page, address);
    expect(await page.isVisible('text=The smaller answer.')).toBe(true);
    await go(page, 'accordions.html#a-heading-inside');
    expect(await inWindow(page, '#a-heading-inside')).toBe(true);
    await go(page, 'accordions.html#mine');
    expect(await page.isVisible('text=Found by its id.')).toBe(true);
    await go(page, 'accordions.html#param-closed');
    expect(await page.isVisible('text=Without a title.')).toBe(true);
    await page.context().close();
  });

  test('trees: arrows, Home, End, Enter, *, letters; one stop for Tab', async () => {
    const page = await open('trees.html');
    const name = () =>
      focused(page, "at.matches('[role=treeitem]') && at.querySelector('.op-tree-name').textContent");
    await page.focus('#content-area');
    for (let stop = 0; stop < 20 && (await name()) !== 'app'; stop++) await page.keyboard.press('Tab');
    const visit = async (keys: string, ...names: string[]): Promise<void> => {
      for (const expected of names) {
        await page.keyboard.press(keys);
        expect(await name()).toBe(expected);
      }
    };
    await visit('ArrowDown', 'layout.tsx', 'page.tsx', 'api', 'components');
    await visit('ArrowUp', 'api');
    await visit('ArrowRight', 'api', 'auth', 'auth', 'route.ts');
    await visit('ArrowLeft', 'auth', 'auth', 'api', 'api', 'app');
    await visit('End', 'package.json');
    await visit('Home', 'app');
    await visit('p', 'page.tsx', 'package.json', 'page.tsx');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    expect(await focused(page, "at.getAttribute('aria-expanded')")).toBe('false');
    await visit('ArrowDown', 'fixed');
    await visit('ArrowUp', 'app');
    await page.keyboard.press('*');
    expect(await focused(page, "at.getAttribute('aria-expanded')")).toBe('true');
    await page.keyboard.press('Tab');
    expect(await name()).toBe('docs');
    await page.click('text=guides');
    expect(await page.isVisible('text=configuration.mdx')).toBe(false);
    expect(
      await page.evaluate(
        "getComputedStyle(document.querySelector('#files .op-tree-highlight .op-icon')).color",
      ),
    ).toBe('rgb(225, 29, 72)');
    await page.context().close();
  });

  test('hints: on hover and focus, inside the window, away by Escape, with a link to follow', async () => {
    const page = await open('inline.html', { viewport: { width: 390, height: 844 } });
    const tip = page.locator('.op-tooltip-content');
    await page.focus('.op-tooltip-trigger >> nth=0');
    expect(await tip.first().isVisible()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await focused(page, 'at.className')).toBe('op-tooltip-cta');
    expect(await tip.first().isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await tip.first().isVisible()).toBe(false);
    await page.hover('.op-tooltip-trigger >> nth=2');
    expect(await tip.nth(2).isVisible()).toBe(true);
    expect(
      await page.evaluate(`(() => {
      const { top, left, right } = document.querySelectorAll('.op-tooltip-content')[2].getBoundingClientRect();
      return top >= 0 && left >= 0 && right <= innerWidth;
    })()`),
    ).toBe(true);
    await page.hover('.op-tooltip-content >> nth=2');
    expect(await tip.nth(2).isVisible()).toBe(true);
    await page.mouse.move(5, 5);
    await tip.nth(2).waitFor({ state: 'hidden' });
    expect(await page.locator('#table-of-contents').textContent()).not.toContain('Not in the contents');
    await page.context().close();
  });

  test('hints open by touch and close by a touch beside them', async () => {
    const page = await open('inline.html', { hasTouch: true, viewport: { width: 390, height: 844 } });
    await page.tap('.op-tooltip-trigger >> nth=1');
    expect(await page.locator('.op-tooltip-content').nth(1).isVisible()).toBe(true);
    await page.tap('#icons');
    expect(await page.locator('.op-tooltip-content').nth(1).isVisible()).toBe(false);
    await page.context().close();
  });

  test('views: the chooser, the contents, the next visit, a hash into another view', async () => {
    const page = await open('views.html');
    const contents = () => page.locator('#table-of-contents .toc-item:visible').allInnerTexts();
    expect(await contents()).toEqual(['Install with npm', 'For all of them']);
    await page.focus('#multi-view-dropdown select');
    await page.keyboard.press('ArrowDown');
    expect(await page.isVisible('text=More for Python.')).toBe(true);
    expect(await page.isVisible('text=Hello from JavaScript')).toBe(false);
    expect(await contents()).toEqual(['Install with pip', 'For all of them']);
    await go(page, 'views.html');
    expect(await page.isVisible('text=More for Python.')).toBe(true);
    await go(page, 'views.html#install-with-npm');
    expect(await inWindow(page, '#install-with-npm')).toBe(true);
    const plain = await open('views.html', { javaScriptEnabled: false });
    expect(await plain.isVisible('text=Hello from JavaScript')).toBe(true);
    expect(await plain.isVisible('text=More for Python.')).toBe(true);
    await page.context().close();
    await plain.context().close();
  });

  test('variations: the first shows, the chooser changes all of them and is remembered', async () => {
    const page = await open('variations.html');
    expect(await page.isVisible('text=Only in the cloud.')).toBe(true);
    expect(await page.isVisible('text=Only on your own servers.')).toBe(false);
    await page.selectOption('.op-view-choice select', { label: 'Self-hosted' });
    expect(await page.isVisible('text=Only on your own servers.')).toBe(true);
    expect(await page.isVisible('text=your address')).toBe(true);
    expect(await page.isVisible('text=our address >> visible=true')).toBe(true);
    expect(await page.isVisible('text=For both.')).toBe(true);
    await go(page, 'variations.html');
    expect(await page.isVisible('text=Only in the cloud.')).toBe(false);
    const plain = await open('variations.html', { javaScriptEnabled: false });
    expect(await plain.isVisible('text=Only in the cloud.')).toBe(true);
    expect(await plain.isVisible('text=Only on your own servers.')).toBe(false);
    await page.context().close();
    await plain.context().close();
  });

  test('updates: filters keep updates that have every chosen tag, are stored in the URL, and apply to the table of contents', async () => {
    const page = await open('changelog.html');
    const shown = () => page.locator('.update:visible .op-update-label').allInnerTexts();
    expect(await shown()).toEqual(['March 2026', 'February 2026', 'January 2026', 'December 2025']);
    await page.focus('[data-tag=Spearmint]');
    await page.keyboard.press('Space');
    expect(await shown()).toEqual(['March 2026', 'February 2026', 'January 2026']);
    await page.click('[data-tag=Peppermint]');
    expect(await shown()).toEqual(['January 2026']);
    expect(new URL(page.url()).search).toBe('?tags=Spearmint,Peppermint');
    expect(await page.locator('.toc-item:visible').allInnerTexts()).toEqual(['January 2026']);
    await page.click('[data-tag=Wintergreen]');
    await page
      .getByRole('status')
      .filter({ hasText: 'No update has all of these tags.' })
      .waitFor({ state: 'attached' });
    await page.click('[data-clear]');
    expect(await shown()).toHaveLength(4);
    expect(new URL(page.url()).search).toBe('');
    await go(page, 'changelog.html?tags=Wintergreen');
    expect(await shown()).toEqual(['March 2026']);
    await go(page, 'changelog.html?tags=Peppermint#february');
    expect(await page.isVisible('text=More mint.')).toBe(true);
    await page.context().close();
  });

  test('images open by keyboard and by click, close by Escape and by click, and give the focus back', async () => {
    const page = await open('media.html');
    const zoomed = page.locator('dialog.op-zoom-dialog');
    const image = page.locator('img[alt="A picture"]');
    await image.focus();
    await page.keyboard.press('Enter');
    expect(await zoomed.isVisible()).toBe(true);
    expect(await focused(page, 'at.className')).toBe('op-zoom-close');
    await page.keyboard.press('Escape');
    expect(await zoomed.isVisible()).toBe(false);
    expect(await focused(page, 'at.alt')).toBe('A picture');
    await page.click('img[alt="A framed picture"]');
    expect(await zoomed.locator('p').innerText()).toContain('A caption with Markdown');
    await zoomed.click();
    expect(await zoomed.isVisible()).toBe(false);
    for (const alt of ['Not to enlarge', 'Inside a link'])
      expect(await page.getAttribute(`img[alt="${alt}"]`, 'data-op-zoom'), alt).toBeNull();
    await page.context().close();
  });

  test('the actions of an image copy and download it; pairs for light and dark show one', async () => {
    const page = await open('media.html', { colorScheme: 'dark' });
    await page.hover('img[alt="With actions"]');
    await page.click('.op-image-box >> nth=0 >> [data-op-copy-image]');
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
    const types = await page.evaluate('navigator.clipboard.read().then((items) => items[0].types)');
    expect(types).toEqual(['image/png']);
    expect(await page.getAttribute('.op-image-box >> nth=1 >> a', 'href')).toBe('images/picture.svg');
    expect(await page.locator('.op-image-box').nth(1).locator('[data-op-copy-image]').count()).toBe(0);
    expect(await page.isVisible('.frame img[alt=Dark]')).toBe(true);
    expect(await page.isVisible('.frame img[alt=Light]')).toBe(false);
    await page.context().close();
  });

  test('a film in a frame that plays by itself is silent and stays; who asks for less motion starts it', async () => {
    const read =
      "[...document.querySelectorAll('video')].map((film) => [film.autoplay, film.muted, film.loop, film.playsInline, film.controls])";
    const page = await open('media.html', { reducedMotion: 'no-preference' });
    expect(await page.evaluate(read)).toEqual([
      [true, true, true, true, false],
      [false, false, false, false, true],
    ]);
    const calm = await open('media.html');
    expect(await calm.evaluate(read)).toEqual([
      [false, true, true, true, true],
      [false, false, false, false, true],
    ]);
    await page.context().close();
    await calm.context().close();
  });

  test('copy buttons copy their own content and confirm it', async () => {
    const page = await open('code.html');
    const copied = async (selector: string): Promise<unknown> => {
      await page.click(selector);
      await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
      return page.evaluate('navigator.clipboard.readText()');
    };
    expect(await copied('.code-block:has-text("removed") .op-copy')).toBe(
      "const kept = 'as it was';\nconst added = 'new'; \nexport { kept, added };".replace('; \n', ';\n'),
    );
    expect(await copied('.code-group >> nth=0 >> .op-copy >> visible=true')).toBe('npm install my-package');
    expect(await copied('.prompt >> nth=0 >> [data-op-copy]')).toContain(
      'You are a **technical writer**.\n\n- Use the second person.',
    );
    expect(await page.locator('.code-block:has-text("Without a copy button") .op-copy').count()).toBe(0);
    await page.click('[data-expand]');
    expect(await page.getAttribute('[data-expand]', 'aria-expanded')).toBe('true');
    await go(page, 'colors.html');
    expect(await copied('.color-item:has-text("bg-primary")')).toBe('#FFFFFF');
    await page.evaluate("document.documentElement.classList.add('dark')");
    await page.click('.color-item:has-text("bg-primary")');
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText().then((text) => text === '#000000')"))
      .toBeTruthy();
    await page.context().close();
  });

  test('panels and examples are in the side column on wide screens, in the text on phones', async () => {
    const wide = await open('request.html');
    const left = (page: Page, selector: string): Promise<unknown> =>
      page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().left`);
    expect(Number(await left(wide, '#request-example'))).toBeGreaterThan(
      Number(await left(wide, '#content')) + 400,
    );
    expect(await wide.locator('#panel .op-api-example').count()).toBe(2);
    expect(await wide.locator('.step .op-api-example').count()).toBe(1);
    expect(await wide.evaluate("document.querySelectorAll('#request-example').length")).toBe(1);
    const phone = await open('request.html', { viewport: { width: 390, height: 844 } });
    expect(await left(phone, '#request-example')).toBe(await left(phone, '#content'));
    await go(wide, 'panel.html');
    expect(await wide.locator('#table-of-contents .toc-item').count()).toBe(0);
    expect(await wide.isVisible('#panel >> text=Pinned to the side.')).toBe(true);
    await wide.context().close();
    await phone.context().close();
  });

  test('attributes of the page itself that look like ours break nothing', async () => {
    const page = await open('foreign.html');
    await page.hover('[data-tooltip]');
    await page.click('[data-expand]');
    await page.click('.tabs [role=tab] >> nth=1');
    expect(await page.isVisible('text=Second panel')).toBe(true);
    await page.selectOption('.op-view-choice select', { label: 'B' });
    expect(await page.isVisible('text=The second view')).toBe(true);
    expect(await page.isVisible('text=A grid of its own')).toBe(true);
    await page.context().close();
  });

  test('from right to left, arrows lead the other way', async () => {
    const page = await open('ar.html');
    await page.focus('#one');
    await page.keyboard.press('ArrowLeft');
    expect(await focused(page)).toBe('two');
    await page.focus('[role=treeitem]');
    await page.keyboard.press('ArrowLeft');
    expect(await focused(page, "at.getAttribute('aria-expanded')")).toBe('true');
    expect(await page.evaluate("getComputedStyle(document.querySelector('.code-block pre')).direction")).toBe(
      'ltr',
    );
    expect(
      await page.evaluate(`(() => {
      const block = [...document.querySelectorAll('.code-block')].find((one) => !one.querySelector('.op-code-header'));
      const { left, width } = block.getBoundingClientRect();
      const code = document.createElement('code');
      document.querySelector('#content p').append(code);
      return [block.querySelector('.op-copy').getBoundingClientRect().left > left + width / 2, getComputedStyle(code).unicodeBidi];
    })()`),
    ).toEqual([true, 'plaintext']);
    await page.context().close();
  });

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)(
    'no serious finding of axe and nothing that scrolls sideways, %d px, %s',
    async (width, colorScheme) => {
      const page = await newPage({ viewport: { width, height: 900 }, colorScheme });
      for (const path of PAGES.split(' ')) {
        await go(page, `${path}.html`);
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        const serious = await seriousFindings(page, {
          colors: colorScheme === 'dark',
          within: '#content-area',
        });
        expect(serious, path).toEqual([]);
      }
      await page.context().close();
    },
    180_000,
  );

  test('no page broke the policy, failed or asked for what is not there', () => {
    expect(faults).toEqual([]);
  });
});
