import { loadConfig } from '../config/config.ts';
import { checkDiagrams, type Diagram } from '../diagrams/check.ts';
import { linkedPages } from '../linked-pages.ts';
import { makeModule } from '../mdx/parse/modules.ts';
import type { PageLink } from '../mdx/write/links.ts';
import { inDescription } from '../nav/generated-warning.ts';
import { buildSiteMap } from '../nav/site-map.ts';
import { type OpenSite, openSite } from '../open-site.ts';
import { createAnchorCheck } from '../output/anchors.ts';
import { isReserved } from '../output/assets.ts';
import { checkAsyncApi } from '../reference/async-schema.ts';
import { checkExamples } from '../reference/examples/check.ts';
import { openLinkPlaces } from '../reference/link-places.ts';
import type { SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { type KnownWarning, SourceError, type Warning } from '../warning.ts';
import { type Finding, type Report, sortFindings } from './finding.ts';
import { checkPage } from './page-rules.ts';
import { checkPages, checkUnusedFiles } from './site-rules.ts';

export interface CheckOptions {
  /** Groups whose restricted pages are checked too; default none. */
  groups?: readonly string[];
  /** Read only the configuration, the front matter and the syntax of pages; do not render pages or check links. */
  parseOnly?: boolean;
  /** Called at the start of each page, with its source file or its path, and with null after the last one. */
  onPage?(file: string | null): void;
}

export interface CheckResult {
  /** Name of the site; null when its configuration cannot be read. */
  name: string | null;
  pageCount: number;
  /** Sorted by file and line. */
  findings: Finding[];
  /** Diagrams of the pages, whose syntax `withDiagrams` checks. */
  diagrams: readonly Diagram[];
  /** The error that would stop an export, beyond which nothing was checked; null: everything was checked. */
  stoppedBy: Warning | null;
}

/**
 * All findings about a source but those of `withDiagrams`, without writing anything. Never throws because of the source:
 * an error that would stop an export is a finding too. Sends no requests to other hosts.
 */
export function checkSite(source: SourceTree, options: CheckOptions = {}): CheckResult {
  const found: Parameters<Report>[0][] = [];
  const report: Report = (one) => void found.push(one);
  const diagrams: Diagram[] = [];
  try {
    const siteMap = options.parseOnly
      ? parsePages(source, options, report)
      : checkWhole(source, options, report, diagrams);
    const { config, pages } = siteMap;
    const placed = openLinkPlaces(source);
    const findings = sortFindings(found.map((one) => placed(inDescription(one, siteMap))));
    return { name: config.name, pageCount: pages.length, findings, diagrams, stoppedBy: null };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const stoppedBy = faultOf(error);
    report(stoppedBy);
    return { name: null, pageCount: 0, findings: sortFindings(found), diagrams: [], stoppedBy };
  }
}

/** The result with the findings about its diagrams: the library that draws them takes longer to load than a small site. */
export async function withDiagrams(result: CheckResult): Promise<CheckResult> {
  const found = await checkDiagrams(result.diagrams);
  return found.length === 0 ? result : { ...result, findings: sortFindings([...result.findings, ...found]) };
}

function parsePages(source: SourceTree, { groups }: CheckOptions, warn: Report): SiteMap {
  const config = loadConfig(source, warn);
  const siteMap = buildSiteMap(source, config, { groups, findLinked: linkedPages(source) }, warn);
  const { variables } = config;
  for (const page of siteMap.pages) {
    const { source: file, bodyLine } = page;
    if (file !== null) makeModule(page.readBody(), file, bodyLine, false, { source, variables, warn });
  }
  return siteMap;
}

function checkWhole(
  source: SourceTree,
  { groups, onPage }: CheckOptions,
  report: Report,
  diagrams: Diagram[],
): SiteMap {
  const site = openSite(
    {
      source,
      siteUrl: 'https://docs.example.com',
      inspect: (page) => checkPage(page, report),
      onDiagram: (diagram) => void diagrams.push(diagram),
      highlight: false,
      ...(groups === undefined ? {} : { groups }),
    },
    report,
  );
  drawPages(site, report, onPage);
  onPage?.(null);
  checkPages(site.siteMap, report);
  checkUnusedFiles(source, site.siteMap, report);
  checkExamples(site.siteMap, source, report);
  const { channels } = site.siteMap.descriptions;
  for (const file of channels.files()) {
    const document = channels.peek(file)?.document;
    if (document !== undefined) for (const finding of checkAsyncApi(source, file, document)) report(finding);
  }
  return site.siteMap;
}

function drawPages(site: OpenSite, report: Report, onPage: CheckOptions['onPage']): void {
  const anchors = createAnchorCheck();
  const links: PageLink[] = [];
  for (const page of site.siteMap.pages) {
    if (isReserved(page.output)) continue;
    onPage?.(page.source ?? page.path);
    const content = site.content(page);
    anchors.add(page, content);
    links.push(...content.links);
    site.document(page, content);
  }
  for (const { page } of site.siteMap.schemaPages.values()) {
    const content = site.content(page);
    anchors.add(page, content);
    links.push(...content.links);
  }
  anchors.settle(links);
  anchors.report(report, site.siteMap);
}

function faultOf({ file, line, code, message }: SourceError): KnownWarning {
  const prefix = `${file}${line === null ? '' : `:${line}`}: `;
  return { file, line, code, message: message.slice(prefix.length) };
}
