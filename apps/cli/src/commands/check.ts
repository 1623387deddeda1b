import { counted } from '@offprint/contract/counted';
import type { CheckResult, Finding, Severity } from '@offprint/render';
import { suggestName } from '@offprint/render/suggest-name';
import type { ReportContent } from '@offprint/server/change-report';
import type { Command } from 'commander';
import { ownCommand, wantsColor } from '../config.ts';
import { CliError } from '../errors.ts';
import { listing } from '../listing.ts';
import { formatDuration, printJson } from '../output.ts';
import { printable } from '../printable.ts';
import { createPageGuard } from '../process/page-guard.ts';
import { requireDocs } from './docs-folder.ts';

interface CheckOptions {
  json?: boolean;
  strict?: boolean;
  all?: boolean;
  only?: string[];
  ignore?: string[];
  against?: string;
  markdown?: boolean;
}

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description(
      'report broken links, missing files, errors of MDX and configuration, and accessibility problems',
    )
    .argument('[dir]', 'folder that contains docs.json', '.')
    .option('--strict', 'treat warnings as errors')
    .option('--all', 'also show notes')
    .option('--only <codes>', 'report only these codes, separated by commas', collectCodes)
    .option('--ignore <codes>', 'ignore these codes, separated by commas', collectCodes)
    .option(
      '--against <bundle>',
      'also report URLs, anchors and test queries that worked in this bundle and no longer do',
    )
    .option('--markdown', 'print the report of --against as Markdown for a pull request')
    .option('--json', 'print the findings as one line of JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint check docs\n  $ offprint check --strict --ignore remote-file,unused-file\n  $ offprint check --only broken-link,anchor-not-found --json\n  $ offprint check docs --against docs.tar.gz',
    )
    .action(check);
}

/** For commander: codes separated by commas, from one or more uses of the option. */
function collectCodes(text: string, before: string[] | undefined): string[] {
  const codes = text.split(',').map((code) => code.trim());
  return [...(before ?? []), ...codes.filter((code) => code !== '')];
}

/** An unknown code would silently check nothing, or ignore nothing. */
function requireCodes(codes: readonly string[], known: readonly string[]): void {
  const unknown = codes.find((code) => !known.includes(code));
  if (unknown === undefined) return;
  const near = suggestName(unknown, known);
  const hint =
    near === null
      ? 'Run the command without the option to see the codes of findings.'
      : `Did you mean ${near}?`;
  throw new CliError(2, `Unknown code: ${printable(unknown)}. ${hint}`);
}

async function check(dir: string, options: CheckOptions): Promise<void> {
  const started = performance.now();
  requireDocs(dir, (folder) => ownCommand(`check ${folder}`), 2);
  const { checkSite, directorySource, warningCodes, SourceError, withDiagrams } = await import(
    '@offprint/render'
  );
  requireCodes([...(options.only ?? []), ...(options.ignore ?? [])], warningCodes);
  let result: CheckResult;
  let changes: ReportContent | null = null;
  const guard = createPageGuard();
  try {
    const source = directorySource(dir);
    result = await withDiagrams(checkSite(source, { onPage: guard.onPage }));
    if (options.against !== undefined && result.stoppedBy === null) {
      const { reportAgainst } = await import('./check-against.ts');
      changes = await reportAgainst(options.against, source, guard.onPage);
    }
  } catch (error) {
    // The folder cannot be read. Problems inside it are findings.
    if (error instanceof SourceError) throw new CliError(2, error.message, { cause: error });
    throw error;
  } finally {
    guard.end();
  }
  const findings = result.findings.filter(({ code }) => isWanted(code, options));
  const counts = countBySeverity(findings);
  if (options.json)
    printJson({ ...report(result, findings, counts), ...(changes === null ? {} : { changes }) });
  else if (options.markdown && changes !== null) {
    const { reportMarkdown } = await import('@offprint/server/report-markdown');
    const context = { title: 'Changes of the docs', previewUrl: null, detailsUrl: null };
    process.stdout.write(reportMarkdown(changes, context));
  } else {
    const shown = findings.filter(({ severity }) => severity !== 'info' || options.all || options.only);
    const color = process.stdout.isTTY === true && wantsColor();
    process.stdout.write(listing(shown, color));
    const took = formatDuration(performance.now() - started);
    process.stdout.write(`${summary(result.pageCount, counts, findings.length - shown.length)} (${took})\n`);
    if (changes !== null) process.stdout.write(changesText(changes));
  }
  if (changes?.failed) process.exitCode = 1;
  if (counts.error > 0 || (options.strict === true && counts.warning > 0)) process.exitCode = 1;
}

/** The report as lines: each broken URL with its place, then the queries, then what the checks say. */
function changesText({ links, queries, checks, pages, failed }: ReportContent): string {
  const placeText = (place: { file: string; line: number | null } | null): string =>
    place === null ? '' : `${place.file}${place.line === null ? '' : `:${place.line}`}  `;
  const lines = [
    '',
    ...links.broken.map(({ url, anchor, cause, place, before, now }) => {
      const change = now === null ? '' : `, now ${now}`;
      return `  ${placeText(place ?? before)}${url}${anchor === null ? '' : `#${anchor}`}  ${cause}${change}`;
    }),
    ...queries
      .filter(({ after }) => after !== 1)
      .map(({ query, expect, before, after }) => {
        const rank = (at: number | null) => (at === null ? 'not found' : `number ${at}`);
        return `  query "${query}"  /${expect} is ${rank(after)}, was ${rank(before)}`;
      }),
    `${counted(pages.added.length, 'page')} added, ${pages.removed.length} removed, ${pages.edited.length} edited`,
    `${checks.map(({ check, level, found }) => `${check}: ${found} (${level})`).join(', ')}: ${failed ? 'failed' : 'passed'}`,
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

function isWanted(code: string, { only, ignore }: CheckOptions): boolean {
  return (only === undefined || only.includes(code)) && !(ignore ?? []).includes(code);
}

type Counts = Record<Severity, number>;

function countBySeverity(findings: readonly Finding[]): Counts {
  const counts: Counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}

/** The format of docs/write/check.mdx. `version` changes when a field is removed or changes its meaning. */
function report({ name, pageCount }: CheckResult, findings: readonly Finding[], counts: Counts) {
  const { error: errors, warning: warnings, info: notes } = counts;
  return { version: 1, name, pageCount, errors, warnings, notes, findings };
}

function summary(pages: number, counts: Counts, hidden: number): string {
  const parts = [
    counted(counts.error, 'error'),
    counted(counts.warning, 'warning'),
    counted(counts.info, 'note'),
  ];
  const rest = hidden === 0 ? '' : '; use --all to show the notes';
  return `${counted(pages, 'page')}: ${parts.join(', ')}${rest}`;
}
