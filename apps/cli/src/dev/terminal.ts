/** Messages of the preview on the terminal. */

import { relative } from 'node:path';
import { counted } from '@offprint/contract/counted';
import { severityOf, type Warning } from '@offprint/render';
import { ownCommand } from '../config.ts';
import { formatDuration, printable, type Talk } from '../output.ts';
import { shellWord } from '../printable.ts';
import type { LiveSite } from './live-site.ts';

/** Maximum number of problems to print; the overlay of a page shows all of its problems. */
const MAX_LINES = 12;

/** Prints the URL of the preview and the problems of the configuration. */
export function sayReady(
  talk: Talk,
  site: LiveSite,
  { url, dir, taken, took }: { url: string; dir: string; taken: number | null; took: number },
): void {
  const preview = site.preview();
  if (taken !== null) talk.say(`note: Port ${taken} is in use`);
  if (preview === null) talk.say('The site cannot be shown. It is shown as soon as you fix this error:');
  else
    talk.say(
      `Preview of ${preview.name} (${counted(preview.pageCount, 'page')}, ready in ${formatDuration(took)})`,
    );
  sayError(talk, site);
  talk.say(`\n  ${url}\n`);
  const warnings = preview?.warnings ?? [];
  for (const warning of warnings.slice(0, MAX_LINES)) sayProblem(talk, warning);
  if (warnings.length > MAX_LINES) {
    const where = relative('.', dir) === '' ? '' : ` ${shellWord(dir)}`;
    talk.say(`and ${warnings.length - MAX_LINES} more. Run \`${ownCommand(`check${where}`)}\` to list all`);
  }
  const keys = process.stdin.isTTY
    ? 'Press r to reload every page, o to open the browser, q to quit'
    : 'Press Ctrl-C to stop';
  talk.say(`Watching for changes. ${keys}.`);
}

function sayError(talk: Talk, site: LiveSite): boolean {
  const error = site.error();
  if (error === null) return false;
  sayProblem(talk, error, 'error');
  return true;
}

function sayProblem(talk: Talk, { file, line, code, message }: Warning, severity = severityOf(code)): void {
  const label = (severity === 'info' ? 'note' : severity).padEnd(9);
  talk.say(printable(`${label} ${file}${line === null ? '' : `:${line}`}: ${message}`));
}

/** Prints the changed files, the time of the update, and the problems of these files. */
export function sayChange(talk: Talk, site: LiveSite, paths: readonly string[], took: number): void {
  const names =
    paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ');
  talk.say(printable(`changed   ${names} (${Math.round(took)} ms)`));
  if (sayError(talk, site)) return;
  const preview = site.preview();
  const changed = new Set(paths);
  const warnings = (preview?.warnings ?? []).filter(({ file }) => changed.has(file));
  for (const path of paths.slice(0, MAX_LINES)) {
    const output = preview?.outputOf(path) ?? null;
    if (output !== null) warnings.push(...(preview?.page(output)?.warnings ?? []));
  }
  for (const warning of warnings.slice(0, MAX_LINES)) sayProblem(talk, warning);
  if (warnings.length > MAX_LINES) talk.say(`and ${warnings.length - MAX_LINES} more in these files`);
}

/** Prints the examples in these files that do not match their schemas. */
export function sayExamples(talk: Talk, site: LiveSite, paths: readonly string[]): void {
  const changed = new Set(paths);
  const warnings = (site.preview()?.examples() ?? []).filter(({ file }) => changed.has(file));
  for (const warning of warnings.slice(0, MAX_LINES)) sayProblem(talk, warning);
  if (warnings.length > MAX_LINES) talk.say(`and ${warnings.length - MAX_LINES} more examples`);
}
