import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import { hostsWarning, namedHosts } from './hosts.ts';
import { definesNodeNames, nodeUse } from './node-script.ts';
import { syntaxErrorOf } from './syntax-error.ts';

const MAX_SHOWN = 5;

/**
 * Files of the source that browsers can run, of those that pages would load. Reports the others once, and each file
 * that names other hosts, whose requests the policy of the pages blocks, or that is not valid.
 */
export function runnableScripts(
  files: readonly string[],
  source: SourceTree,
  siteUrl: string | null,
  warn: Warn,
): string[] {
  const texts = new Map(files.map((file) => [file, source.readText(file)]));
  const uses = new Map([...texts].map(([file, text]) => [file, nodeUse(text)]));
  // A script of browsers may give `module` or `require` to the others.
  const isGiven = files.some((file) => uses.get(file) === null && definesNodeNames(texts.get(file) ?? ''));
  const left = files.filter(
    (file) => uses.get(file) === 'module' || (uses.get(file) === 'names' && !isGiven),
  );
  const [first] = left;
  if (first !== undefined) {
    const shown = left.slice(0, MAX_SHOWN).map((file) => `\`${file}\``);
    const rest = left.length - shown.length;
    const list = `${shown.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
    const message = `Pages do not load ${left.length === 1 ? 'this script' : `${left.length} scripts`}, because browsers cannot run scripts for Node and modules: ${list}. If the site does not need ${left.length === 1 ? 'it' : 'them'}, add ${left.length === 1 ? 'it' : 'them'} to \`.mintignore\`.`;
    warn({ file: first, line: null, code: 'node-script', message });
  }
  const skipped = new Set(left);
  const loaded = files.filter((file) => !skipped.has(file));
  for (const file of loaded) {
    const text = texts.get(file) ?? '';
    const warning = hostsWarning(file, namedHosts(text, siteUrl));
    if (warning !== null) warn(warning);
    const error = syntaxErrorOf(text);
    if (error === null) continue;
    const message = `Browsers do not run this script, because its JavaScript is not valid: ${error.reason}. Correct it, or add it to \`.mintignore\`.`;
    warn({ file, line: error.line, code: 'invalid-script', message });
  }
  return loaded;
}
