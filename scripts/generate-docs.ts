/**
 * Writes the pages of docs/ that are tables of the code: settings and error codes. With --check it writes nothing
 * and ends with 1 when a page is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCodes } from '@offprint/contract';
import { settings } from '../apps/server/src/config.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const START = '{/* generated: npm run docs */}';
const END = '{/* end of generated */}';

function cell(text: string): string {
  return text.replace(/[|{}<]/g, (char) => `\\${char}`);
}

function settingsTable(): string {
  const rows = Object.values(settings).map(({ name, default: fallback, meaning, secret }) => {
    const variable = secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
    const value = fallback === null || fallback === '' ? 'none' : `\`${fallback}\``;
    return `| ${variable} | ${value} | ${cell(meaning)} |`;
  });
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function errorTable(): string {
  const rows = Object.entries(errorCodes).map(([code, status]) => `| \`${code}\` | ${status} |`);
  return ['| code | status |', '| --- | --- |', ...rows].join('\n');
}

const pages: [path: string, table: () => string][] = [
  ['docs/operate/settings.mdx', settingsTable],
  ['docs/reference/errors.mdx', errorTable],
];

for (const [path, table] of pages) {
  const text = readFileSync(join(root, path), 'utf8');
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start < 0 || end < start) throw new Error(`${path} has no generated part`);
  const fresh = `${text.slice(0, start + START.length)}\n\n${table()}\n\n${text.slice(end)}`;
  if (fresh === text) continue;
  if (process.argv.includes('--check')) {
    process.stderr.write(`${path} is stale: run npm run docs\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(join(root, path), fresh);
  }
}
