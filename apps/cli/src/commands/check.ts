import type { CheckResult, Finding, Severity } from '@offprint/render';
import type { Command } from 'commander';
import { ownCommand, wantsColor } from '../config.ts';
import { CliError } from '../errors.ts';
import { listing } from '../listing.ts';
import { formatDuration, printJson } from '../output.ts';
import { createPageGuard } from '../process/page-guard.ts';
import { requireDocs } from './docs-folder.ts';

interface CheckOptions {
  json?: boolean;
  strict?: boolean;
  all?: boolean;
  only?: string[];
  ignore?: string[];
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
    .option('--json', 'print the findings as one line of JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint check docs\n  $ offprint check --strict --ignore remote-file,unused-file\n  $ offprint check --only broken-link,anchor-not-found --json',
    )
    .action(check);
}

/** For commander: codes separated by commas, from one or more uses of the option. */
function collectCodes(text: string, before: string[] | undefined): string[] {
  const codes = text.split(',').map((code) => code.trim());
  return [...(before ?? []), ...codes.filter((code) => code !== '')];
}

async function check(dir: string, options: CheckOptions): Promise<void> {
  const started = performance.now();
  requireDocs(dir, (folder) => ownCommand(`check ${folder}`), 2);
  const { checkSite, directorySource, SourceError } = await import('@offprint/render');
  let result: CheckResult;
  const guard = createPageGuard();
  try {
    result = checkSite(directorySource(dir), { onPage: guard.onPage });
  } catch (error) {
    // The folder cannot be read. Problems inside it are findings.
    if (error instanceof SourceError) throw new CliError(2, error.message, { cause: error });
    throw error;
  } finally {
    guard.end();
  }
  const findings = result.findings.filter(({ code }) => isWanted(code, options));
  const counts = countBySeverity(findings);
  if (options.json) printJson(report(result, findings, counts));
  else {
    const shown = findings.filter(({ severity }) => severity !== 'info' || options.all || options.only);
    const color = process.stdout.isTTY === true && wantsColor();
    process.stdout.write(listing(shown, color));
    const took = formatDuration(performance.now() - started);
    process.stdout.write(`${summary(result.pageCount, counts, findings.length - shown.length)} (${took})\n`);
  }
  if (counts.error > 0 || (options.strict === true && counts.warning > 0)) process.exitCode = 1;
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
  const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  const parts = [
    plural(counts.error, 'error'),
    plural(counts.warning, 'warning'),
    plural(counts.info, 'note'),
  ];
  const rest = hidden === 0 ? '' : '; use --all to show the notes';
  return `${plural(pages, 'page')}: ${parts.join(', ')}${rest}`;
}
