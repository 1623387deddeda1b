import { describe, expect, test } from 'vitest';
import { corpora, NO_CORPORA } from '../../../test/support/corpora.ts';
import { loadConfig } from '../src/config/config.ts';
import { createSiteContext, type RenderedPage, renderPageContent } from '../src/mdx/page.ts';
import { compileRedirects } from '../src/nav/follow-redirects.ts';
import { buildSiteMap } from '../src/nav/site-map.ts';
import type { Page } from '../src/site.ts';
import { directorySource } from '../src/source-directory.ts';
import type { Warning } from '../src/warning.ts';

const sites = corpora();

/** Warnings that a page may have: every kind was checked in these sites and is a defect of the source. */
const known = new Set([
  'broken-link',
  'unclosed-fence',
  'missing-asset',
  'remote-file',
  'remote-frame',
  'unresolved-import',
  'unknown-component',
  'unknown-icon',
  'icon-substituted',
  'unknown-name',
  'client-component',
  'removed-element',
  'reserved-name',
  'invalid-expression',
]);

interface Rendered {
  pages: Map<Page, RenderedPage>;
  warnings: Warning[];
}

let last: { folder: string; rendered: Rendered } | undefined;

/** Renders a site once for the tests that follow one another with it. */
function renderOnce(folder: string): Rendered {
  if (last?.folder !== folder) last = { folder, rendered: renderAll(folder) };
  return last.rendered;
}

function renderAll(folder: string): Rendered {
  const source = directorySource(folder);
  const siteMap = buildSiteMap(
    source,
    loadConfig(source, () => undefined),
    {},
    () => undefined,
  );
  const warnings: Warning[] = [];
  const context = createSiteContext({
    source,
    siteMap,
    redirects: compileRedirects(siteMap.config.redirects),
    warn: (warning) => warnings.push(warning),
  });
  const pages = new Map<Page, RenderedPage>();
  for (const page of siteMap.pages) pages.set(page, renderPageContent(page, context));
  return { pages, warnings };
}

/** Content that only people or only agents see is in one of the two outputs. */
const audience = /<(Visibility)[\s>][\s\S]*?<\/\1>/g;

/** Lines of plain words outside fences, tags, lists and tables: they must come out as they are. */
function proseOf(body: string): string[] {
  const prose = body
    .replace(/^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t]*\1[`~]*[ \t]*$/gm, '')
    .replace(/<!--[\s\S]*?-->|\{\/\*[\s\S]*?\*\/\}/g, '')
    .replace(audience, '');
  return prose
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^[A-Z][A-Za-z0-9 ,;'()-]{30,}\.$/.test(line));
}

describe.skipIf(sites.length === 0)(sites.length === 0 ? NO_CORPORA : 'page content of the corpora', () => {
  describe.each(sites)('$name', ({ folder }) => {
    test('every page comes out, with defects of the source as the only warnings', () => {
      const { pages, warnings } = renderOnce(folder);
      for (const [page, rendered] of pages) {
        if (page.readBody().trim() !== '' && page.mode !== 'custom')
          expect({
            page: page.path,
            empty:
              rendered.html === '' &&
              rendered.side === null &&
              !/^(?:import|export)\b/.test(page.readBody().trim()),
          }).toEqual({ page: page.path, empty: false });
      }
      expect(warnings.filter((warning) => !known.has(warning.code))).toEqual([]);
      expect(warnings.filter((warning) => warning.code.startsWith('invalid-')).length).toBeLessThanOrEqual(1);
      expect(warnings.filter((warning) => warning.line === null)).toEqual([]);
    });

    test('prose comes out word for word in search text and Markdown', () => {
      const { pages } = renderOnce(folder);
      const missing: string[] = [];
      let checked = 0;
      for (const [page, rendered] of pages) {
        const text = rendered
          .sections()
          .map((section) => `${section.title}\n${section.text}`)
          .join('\n');
        for (const line of proseOf(page.readBody())) {
          checked++;
          if (!text.includes(line) || !rendered.markdown.includes(line))
            missing.push(`${page.path}: ${line}`);
        }
      }
      expect(checked).toBeGreaterThan(20);
      expect(missing).toEqual([]);
    });
  });
});
