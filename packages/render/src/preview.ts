import type { RenderedPage } from './mdx/page.ts';
import { openSite, type SiteOptions } from './open-site.ts';
import { assetContent, isReserved } from './output/assets.ts';
import { markdownTwin } from './output/llms.ts';
import { homeStub } from './output/redirects.ts';
import { fieldsScript } from './output/write-pages.ts';
import { addAsset, type PageAsset } from './page-asset.ts';
import { checkExamples } from './reference/examples/check.ts';
import { createRemoteFiles } from './remote/remote-files.ts';
import { renderSite } from './render.ts';
import type { Page, Redirect } from './site.ts';
import { markdownOutput } from './theme/head.ts';
import type { ThemeFile } from './theme/index.ts';
import { sortWarnings, type Warning } from './warning.ts';

/** A page as it is now, with the defects that rendering it showed. */
export interface PreviewPage {
  html: string;
  /** File in the source; null for a page that an API operation generates. */
  source: string | null;
  /** The script with its whole sidebar, whose name stays the same when the navigation changes; null without one. */
  navigation: string | null;
  warnings: readonly Warning[];
}

/** One state of a source, of which any output file can be had at any time. Make another one when a file changes. */
export interface Preview {
  name: string;
  pageCount: number;
  /** Defects of the configuration, the navigation and the front matter. */
  warnings: readonly Warning[];
  /** Output paths that are known without rendering: pages, their Markdown twins, files beside them, theme files. */
  outputs: readonly string[];
  redirects: readonly Redirect[];
  /** The page of an output path, rendered at its first use; null for any other path. */
  page(output: string): PreviewPage | null;
  /**
   * Examples of API descriptions that do not match their schemas: those of the page of an output path, or of all pages.
   * Checked at the first use.
   */
  examples(output?: string): readonly Warning[];
  /** Output path of the page that a source file is; null for other files. */
  outputOf(source: string): string | null;
  /**
   * Any other file of the output; null when it does not exist. What is made from all pages (search index, feeds, lists)
   * is made at the first use of such a file.
   */
  file(output: string): Promise<string | Uint8Array | null>;
  /** Page for URLs that are not found. */
  notFound(): string;
}

interface Shown extends PreviewPage {
  content: RenderedPage;
}

/** Opens a source for a preview. Throws SourceError when it cannot be rendered at all. */
export function openPreview(options: SiteOptions): Preview {
  const { source } = options;
  let sink: Warning[] = [];
  const opening = sink;
  const remote = createRemoteFiles(undefined);
  const site = openSite(options, (warning) => void sink.push(warning));
  const { siteMap, theme } = site;
  const pages = new Map<string, Page>();
  for (const page of siteMap.pages) if (!isReserved(page.output)) pages.set(page.output, page);
  const bySource = new Map(siteMap.pages.map((page) => [page.source, page.output]));
  const twins = new Map([...pages.values()].map((page) => [markdownOutput(page), page]));
  const assets = new Set(siteMap.assets.filter((path) => !isReserved(path)));
  const shown = new Map<Page, Shown>();
  const pageAssets = new Map<string, PageAsset>();
  const examples = new Map<string | undefined, readonly Warning[]>();
  let themeFiles: Map<string, ThemeFile> | null = null;
  let derived: Promise<Map<string, string | Uint8Array>> | null = null;

  /** Warnings of `act`; defects shown by several pages belong to the first one. */
  const collect = <T>(act: () => T): [T, Warning[]] => {
    const before = sink;
    sink = [];
    try {
      return [act(), sink];
    } finally {
      sink = before;
    }
  };
  const themeFile = (path: string): string | Uint8Array | null => {
    themeFiles ??= new Map(collect(() => site.themeFiles())[0].map((file) => [file.path, file]));
    return themeFiles.get(path)?.content ?? null;
  };
  const show = (page: Page): Shown => {
    let known = shown.get(page);
    if (known !== undefined) return known;
    const [[html, content], warnings] = collect(() => {
      const rendered = site.content(page);
      return [site.document(page, rendered), rendered] as const;
    });
    for (const asset of content.assets) addAsset(pageAssets, asset);
    const script = theme.sidebarScripts.get(theme.placeOf(page).sidebar);
    const navigation = script === undefined ? null : String(themeFile(script) ?? '');
    known = { html, content, source: page.source, navigation, warnings: sortWarnings(warnings) };
    shown.set(page, known);
    return known;
  };
  const twin = (page: Page): string => {
    const { markdown, description } = show(page).content;
    return markdownTwin(theme, { page, markdown, description: page.description ?? description });
  };
  const ownFile = async (path: string): Promise<string | Uint8Array | null> => {
    for (const asset of pageAssets.values()) {
      if (asset.path === path) return asset.content();
      const file = asset.files?.find((each) => each.path === path);
      if (file !== undefined) return file.content();
    }
    return null;
  };
  const isOnDemand = (path: string): boolean => pages.has(path) || twins.has(path) || assets.has(path);

  return {
    name: siteMap.config.name,
    pageCount: siteMap.pages.length,
    warnings: sortWarnings(opening),
    outputs: [
      ...new Set([
        ...pages.keys(),
        ...assets,
        ...twins.keys(),
        ...(pages.has('index.html') ? [] : ['index.html']),
      ]),
    ],
    redirects: [...site.redirects.exact, ...site.redirects.patterns],
    page(output) {
      const page = pages.get(output) ?? siteMap.schemaPages.get(output.replace(/\.html$/, ''))?.page;
      return page === undefined ? null : show(page);
    },
    examples(output) {
      let known = examples.get(output);
      if (known === undefined) {
        const page = output === undefined ? undefined : pages.get(output);
        const checked = output === undefined ? siteMap.pages : page === undefined ? [] : [page];
        const found: Warning[] = [];
        checkExamples(siteMap, source, (warning) => void found.push(warning), checked);
        known = sortWarnings(found);
        examples.set(output, known);
      }
      return known;
    },
    outputOf: (file) => bySource.get(file) ?? null,
    async file(output) {
      const schema = siteMap.schemaPages.get(output.replace(/\.js$/, ''));
      if (schema !== undefined) return fieldsScript(site.content(schema.page));
      if (assets.has(output))
        return collect(() =>
          assetContent(
            output,
            source,
            remote,
            (path) => assets.has(path),
            () => {},
          ),
        )[0];
      const page = twins.get(output) ?? siteMap.schemaPages.get(output.replace(/\.md$/, ''))?.page;
      if (page !== undefined) return twin(page);
      if (output === 'index.html') return homeStub(theme);
      const own = themeFile(output) ?? (await ownFile(output));
      if (own !== null) return own;
      derived ??= renderDerived(options, isOnDemand);
      return (await derived).get(output) ?? null;
    },
    notFound: () => collect(() => site.notFound().html)[0],
  };
}

/** The output files that an export makes from all pages. */
async function renderDerived(
  options: SiteOptions,
  isKnown: (path: string) => boolean,
): Promise<Map<string, string | Uint8Array>> {
  const files = new Map<string, string | Uint8Array>();
  const emit = (path: string, content: string | Uint8Array): undefined => {
    if (!isKnown(path)) files.set(path, content);
  };
  await renderSite({ ...options, emit });
  return files;
}
