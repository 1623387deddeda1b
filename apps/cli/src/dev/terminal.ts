/** What the preview says on the terminal. */
import { relative } from 'node:path';
import { severityOf, type Warning } from '@offprint/render';
import { formatDuration, printable, type Talk } from '../output.ts';
import type { LiveSite } from './live-site.ts';

/** Problems of one change that are written out; the overlay shows all of a page. */
const MOST_LINES = 12;

/** Where the preview is, and what is wrong with the configuration. */
export function sayReady(
  talk: Talk,
  site: LiveSite,
  { url, dir, taken, took }: { url: string; dir: string; taken: number | null; took: number },
): void {
  const preview = site.preview();
  if (taken !== null) talk.say(`note: port ${taken} is taken`);
  if (preview === null) talk.say('The site cannot be shown yet; it is as soon as this is mended:');
  else talk.say(`Preview of ${preview.name} (${preview.pageCount} pages, ready in ${formatDuration(took)})`);
  sayFault(talk, site);
  talk.say(`\n  ${url}\n`);
  const warnings = preview?.warnings ?? [];
  for (const warning of warnings.slice(0, MOST_LINES)) sayProblem(talk, warning);
  if (warnings.length > MOST_LINES) {
    const where = relative('.', dir) === '' ? '' : ` ${dir}`;
    talk.say(`and ${warnings.length - MOST_LINES} more; \`offprint check${where}\` lists all`);
  }
  const keys = process.stdin.isTTY ? 'r reloads every page, o opens the browser, q quits' : 'Ctrl-C quits';
  talk.say(`Watching for changes. ${keys}.`);
}

function sayFault(talk: Talk, site: LiveSite): boolean {
  const fault = site.fault();
  if (fault === null) return false;
  sayProblem(talk, fault, 'error');
  return true;
}

function sayProblem(talk: Talk, { file, line, code, message }: Warning, severity = severityOf(code)): void {
  const label = (severity === 'info' ? 'note' : severity).padEnd(9);
  talk.say(printable(`${label} ${file}${line === null ? '' : `:${line}`}: ${message}`));
}

/** What changed, how long it took, and what is wrong with it now. */
export function sayChange(talk: Talk, site: LiveSite, paths: readonly string[], took: number): void {
  const names =
    paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ');
  talk.say(printable(`changed   ${names} (${Math.round(took)} ms)`));
  if (sayFault(talk, site)) return;
  const preview = site.preview();
  const changed = new Set(paths);
  const warnings = (preview?.warnings ?? []).filter(({ file }) => changed.has(file));
  for (const path of paths.slice(0, MOST_LINES)) {
    const output = preview?.outputOf(path) ?? null;
    if (output !== null) warnings.push(...(preview?.page(output)?.warnings ?? []));
  }
  for (const warning of warnings.slice(0, MOST_LINES)) sayProblem(talk, warning);
  if (warnings.length > MOST_LINES) talk.say(`and ${warnings.length - MOST_LINES} more on these files`);
}
