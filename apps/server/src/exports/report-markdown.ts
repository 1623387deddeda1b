import type { BrokenLinkEntry, ChangeReport } from '@offprint/contract';
import { counted } from '@offprint/contract/counted';

/** Rows of each list; a comment of a forge has at most some 65,000 characters. */
const MAX_ROWS = 50;
const MAX_TEXT = 200;

const CAUSES: Readonly<Record<BrokenLinkEntry['cause'], string>> = {
  removed: 'nothing is there',
  moved: 'moved',
  'redirect-removed': 'the redirect was removed',
  'redirect-target': 'the redirect leads to nothing',
  'base-path': 'the base path changed',
  'anchor-removed': 'the anchor was removed',
  'anchor-changed': 'the anchor changed',
};

export interface ReportContext {
  /** Shown as the title. */
  title: string;
  /** URL of the preview; null without one. */
  previewUrl: string | null;
  /** URL of the comparison; null without one. */
  detailsUrl: string | null;
}

/** A change report as the text of a comment on a pull request. Texts of the docs are shown as code, never as markup. */
export function reportMarkdown(
  report: Pick<ChangeReport, 'failed' | 'checks' | 'pages' | 'links' | 'queries'>,
  { title, previewUrl, detailsUrl }: ReportContext,
): string {
  const { pages, links, queries } = report;
  const leads = [
    ...(previewUrl === null ? [] : [`[Preview](${previewUrl})`]),
    ...(detailsUrl === null ? [] : [`[All changes](${detailsUrl})`]),
  ];
  const fresh = links.broken.filter(({ lastServedAt }) => lastServedAt === null);
  const earlier = links.broken.filter(({ lastServedAt }) => lastServedAt !== null);
  const misses = queries.filter(({ after }) => after !== 1);
  return [
    `### ${title}: ${report.failed ? 'failed' : 'passed'}`,
    ...(leads.length === 0 ? [] : [leads.join(' · ')]),
    `${counted(pages.added.length, 'page')} added, ${pages.removed.length} removed, ${pages.edited.length} edited. ${checksText(report)}`,
    ...table('Broken links', ['URL', 'cause', 'where'], fresh.map(brokenRow)),
    ...table('Broken before this change', ['URL', 'cause', 'where'], earlier.map(brokenRow)),
    ...table(
      'Searches that do not find the expected page first',
      ['query', 'expected', 'before', 'now'],
      misses.map(({ query, expect, before, after }) => [
        code(query),
        code(`/${expect}`),
        before === null ? 'not found' : String(before),
        after === null ? 'not found' : String(after),
      ]),
    ),
    ...pageList('Removed pages', pages.removed),
    ...pageList('Added pages', pages.added),
    ...pageList('Edited pages', pages.edited),
  ]
    .join('\n\n')
    .concat('\n');
}

/** The checks that found something, or that none did. */
export function checksText({ checks }: Pick<ChangeReport, 'checks'>): string {
  const found = checks.filter(({ level, found: number }) => level !== 'off' && number > 0);
  if (found.length === 0) return 'All checks passed.';
  return `${found.map(({ check, level, found: number }) => `${check}: ${number} (${level})`).join(', ')}.`;
}

function brokenRow({ url, anchor, cause, place, before, now }: BrokenLinkEntry): string[] {
  const at = place ?? before;
  const where = at === null ? '' : code(`${at.file}${at.line === null ? '' : `:${at.line}`}`);
  const change = now === null ? '' : `, now ${code(now)}`;
  const isOld = place === null && before !== null ? ' (before)' : '';
  return [code(url + (anchor === null ? '' : `#${anchor}`)), CAUSES[cause] + change, where + isOld];
}

function table(title: string, head: readonly string[], rows: readonly string[][]): string[] {
  if (rows.length === 0) return [];
  const lines = rows.slice(0, MAX_ROWS).map((row) => `| ${row.join(' | ')} |`);
  const more = rows.length > MAX_ROWS ? `\n\nand ${rows.length - MAX_ROWS} more.` : '';
  return [
    `**${title}**`,
    `| ${head.join(' | ')} |\n| ${head.map(() => '---').join(' | ')} |\n${lines.join('\n')}${more}`,
  ];
}

function pageList(title: string, pages: readonly string[]): string[] {
  if (pages.length === 0) return [];
  const shown = pages.slice(0, MAX_ROWS).map((page) => `- ${code(`/${page === 'index' ? '' : page}`)}`);
  const more = pages.length > MAX_ROWS ? [`- and ${pages.length - MAX_ROWS} more`] : [];
  return [
    `<details><summary>${title} (${pages.length})</summary>\n\n${[...shown, ...more].join('\n')}\n\n</details>`,
  ];
}

/** A text of strangers as code: on one line, without what could end the code, a cell of a table, or mention somebody. */
export function code(text: string): string {
  const plain = text
    .replace(/\p{Cc}|\p{Cf}/gu, ' ')
    .replaceAll('`', "'")
    .replaceAll('|', '¦')
    .trim();
  return `\`${plain === '' ? ' ' : plain.slice(0, MAX_TEXT).toWellFormed()}\``;
}
