import { type ManifestFile, servedLinks } from '@offprint/bundle';
import {
  type BrokenLinkEntry,
  type ChangeReport,
  type CheckLevel,
  checkLevel,
  type ReportCheckName,
} from '@offprint/contract';
import { compareFiles } from './changes.ts';
import type { LinkRecord, RecordedLink } from './link-record.ts';
import { findBrokenLinks, type KnownSite } from './link-site.ts';

/** What is compared of an export. */
export interface ReportSide {
  files: readonly Pick<ManifestFile, 'path' | 'sha256'>[];
  site: KnownSite;
}

/** Pages that a search returns for each query, in the order of the queries. */
export type QueryResults = readonly (readonly string[])[];

/** Broken links that are listed. */
const MAX_LISTED = 1_000;

const DEFAULT_LEVELS: Readonly<Record<ReportCheckName, CheckLevel>> = {
  links: 'fail',
  anchors: 'warn',
  files: 'warn',
  queries: 'warn',
  removed: 'off',
};

/** A report without the exports that it compares. */
export type ReportContent = Omit<ChangeReport, 'jobId' | 'since'>;

/**
 * What changes for readers from one export to another. `record` is what production has served before, null if it is not
 * known; `results` are those of both searches for the queries of `after`.
 */
export async function makeReport(
  before: ReportSide,
  after: ReportSide,
  record: LinkRecord | null,
  results: { before: QueryResults; after: QueryResults },
): Promise<ReportContent> {
  const { pages } = compareFiles(before.files, after.files);
  const broken = await brokenSince(before, after, record);
  const queries = after.site.facts.queries.map(({ query, expect }, at) => ({
    query,
    expect,
    before: placeOf(results.before[at], expect),
    after: placeOf(results.after[at], expect),
  }));
  const counted = broken.filter(({ lastServedAt }) => lastServedAt === null);
  const ofKind = (check: ReportCheckName) => counted.filter((link) => checkOf(link) === check).length;
  const found: Record<ReportCheckName, number> = {
    links: ofKind('links'),
    anchors: ofKind('anchors'),
    files: ofKind('files'),
    queries: queries.filter((one) => one.after !== 1).length,
    removed: pages.removed.length,
  };
  const checks = reportCheckNames.map((check) => ({
    check,
    level: levelOf(after.site, check),
    found: found[check],
  }));
  const isWanted = (link: BrokenLinkEntry) => levelOf(after.site, checkOf(link)) !== 'off';
  const listed = broken.filter(isWanted);
  return {
    failed: checks.some(({ level, found: count }) => level === 'fail' && count > 0),
    checks,
    pages,
    links: {
      hasAnchors: before.site.hasAnchors && after.site.hasAnchors,
      total: listed.length,
      broken: listed.slice(0, MAX_LISTED),
    },
    queries,
  };
}

const reportCheckNames = ['links', 'anchors', 'files', 'queries', 'removed'] as const;

function levelOf({ facts }: KnownSite, check: ReportCheckName): CheckLevel {
  return checkLevel.safeParse(facts.levels.get(check)).data ?? DEFAULT_LEVELS[check];
}

function checkOf({ anchor, kind }: BrokenLinkEntry): ReportCheckName {
  if (anchor !== null) return 'anchors';
  return kind === 'file' || kind === 'copy' ? 'files' : 'links';
}

function placeOf(results: readonly string[] | undefined, expect: string): number | null {
  const at = results?.indexOf(expect) ?? -1;
  return at < 0 ? null : at + 1;
}

/** Broken links that the other export serves, then those that only the record has. */
async function brokenSince(
  before: ReportSide,
  after: ReportSide,
  record: LinkRecord | null,
): Promise<BrokenLinkEntry[]> {
  const served = servedLinks(before.site);
  const hasAnchors = before.site.hasAnchors && after.site.hasAnchors;
  const found = (await findBrokenLinks(served, after.site)).filter(
    ({ anchor }) => anchor === null || hasAnchors,
  );
  const entries = found.map((link) => ({ ...link, lastServedAt: null }));
  if (record === null) return entries;
  const known = new Set(entries.map(keyOf));
  const byUrl = new Map(record.links.map((link): [string, RecordedLink] => [link.url, link]));
  const earlier = (await findBrokenLinks(record.links, after.site)).filter(
    (link) => !known.has(keyOf(link)) && (link.anchor === null || after.site.hasAnchors),
  );
  return [
    ...entries,
    ...earlier.map((link) => {
      const recorded = byUrl.get(link.url);
      const at = recorded?.anchorsServedAt.get(link.anchor ?? '') ?? recorded?.servedAt ?? record.servedAt;
      return { ...link, lastServedAt: new Date(at).toISOString() };
    }),
  ];
}

const keyOf = ({ url, anchor }: Pick<BrokenLinkEntry, 'url' | 'anchor'>): string =>
  JSON.stringify([url, anchor]);
