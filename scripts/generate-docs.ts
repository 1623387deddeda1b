/**
 * Writes the pages of docs/ that are tables of the code (settings, error codes, roles, values of the chart, conformance,
 * components and keys), the JSON Schema of docs.json, and the description of the API. With --check it writes nothing and
 * exits with 1 if a file is stale.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCodes, includesRole, openApiDocument, type Route, roles, routes } from '@offprint/contract';
import { settings } from '../apps/server/src/config.ts';
import type { Row } from '../packages/render/test/conformance/row.ts';
import { sections } from '../packages/render/test/conformance/sections.ts';
import { chartValues } from './chart-values.ts';
import { componentSections } from './docs/component-reference.ts';
import { docsJsonSchemaText, docsJsonTables, frontMatterTable } from './docs/config-reference.ts';
import { jsonText } from './docs/json-text.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const START = '{/* generated: npm run docs */}';
const END = '{/* end of generated */}';

function cell(text: string): string {
  return text.replace(/[|{}<]/g, (char) => `\\${char}`);
}

/** Long names and URLs as code, which a narrow table may break. */
function prose(text: string): string {
  return text
    .split(' ')
    .map((word) => {
      const [, name = '', end = ''] = /^(.*?)([.,:;]*)$/.exec(word) ?? [];
      return name.length > 16 && /^[\w./:@-]*[./_:@][\w./:@-]*$/.test(name)
        ? `\`${name}\`${end}`
        : cell(word);
    })
    .join(' ');
}

function settingsTable(): string {
  const rows = Object.values(settings).map(({ name, default: fallback, meaning, secret }) => {
    const variable = secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
    const value = fallback === null || fallback === '' ? 'none' : `\`${fallback}\``;
    return `| ${variable} | ${value} | ${prose(meaning)} |`;
  });
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function errorTable(): string {
  const rows = Object.entries(errorCodes).map(([code, status]) => `| \`${code}\` | ${status} |`);
  return ['| code | status |', '| --- | --- |', ...rows].join('\n');
}

/** Every operation that needs a role, with the roles that permit it. */
function roleTable(): string {
  const rows = Object.values(routes).flatMap(({ role, summary }: Route) =>
    role === undefined
      ? []
      : [`| ${summary} | ${roles.map((held) => (includesRole(held, role) ? '✓' : '')).join(' | ')} |`],
  );
  return [`| operation | ${roles.join(' | ')} |`, '| --- | --- | --- | --- |', ...rows].join('\n');
}

function chartTable(): string {
  const rows = chartValues().map(
    ({ name, default: fallback, meaning }) =>
      `| \`${name}\` | ${fallback === '' ? 'none' : `\`${fallback}\``} | ${prose(meaning)} |`,
  );
  return ['| field | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

const STATES: Readonly<Record<Row['state'], string>> = {
  supported: 'supported',
  degraded: 'in part',
  none: 'not applicable',
  missing: 'not yet',
};

/** The rows that tests verify: a table for each part of the format, and the number of rows in each state. */
function conformanceTables(): string {
  const states = Object.keys(STATES) as Row['state'][];
  const counts = sections.map(({ title, rows }) => {
    const numbers = states.map((state) => rows.filter((row) => row.state === state).length);
    return `| [${title}](#${title.replaceAll('.', '-').replaceAll(' ', '-').toLowerCase()}) | ${numbers.join(' | ')} |`;
  });
  const head = `| part | ${states.map((state) => STATES[state]).join(' | ')} |\n| --- |${' --- |'.repeat(states.length)}`;
  const tables = sections.map(({ title, rows }) => {
    const lines = rows.map(
      ({ name, state, note }) => `| \`${name.replaceAll('|', '\\|')}\` | ${STATES[state]} | ${cell(note)} |`,
    );
    return [`## ${title}`, ['| name | state | details |', '| --- | --- | --- |', ...lines].join('\n')].join(
      '\n\n',
    );
  });
  return [[head, ...counts].join('\n'), ...tables].join('\n\n');
}

const pages: [path: string, table: () => string][] = [
  ['docs/operate/settings.mdx', settingsTable],
  ['docs/reference/errors.mdx', errorTable],
  ['docs/reference/conformance.mdx', conformanceTables],
  ['docs/operate/organizations.mdx', roleTable],
  ['docs/deploy/helm-values.mdx', chartTable],
  ['docs/reference/components.mdx', componentSections],
  ['docs/reference/docs-json.mdx', docsJsonTables],
  ['docs/reference/front-matter.mdx', frontMatterTable],
];

for (const [path, table] of pages) {
  const text = readFileSync(join(root, path), 'utf8');
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start < 0 || end < start) throw new Error(`${path} has no generated part`);
  const fresh = `${text.slice(0, start + START.length)}\n\n${table()}\n\n${text.slice(end)}`;
  update(path, text, fresh);
}

/** The description that the API serves at `/openapi.json`: the pages of its endpoints are created from it. */
const apiDescriptionText = (): string => jsonText(openApiDocument());

const files: [path: string, text: () => string][] = [
  ['docs/docs.schema.json', docsJsonSchemaText],
  ['docs/reference/openapi.json', apiDescriptionText],
];
for (const [path, text] of files) {
  const file = join(root, path);
  update(path, existsSync(file) ? readFileSync(file, 'utf8') : '', text());
}

function update(path: string, text: string, fresh: string): void {
  if (fresh === text) return;
  if (process.argv.includes('--check')) {
    process.stderr.write(`${path} is stale: run npm run docs\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(join(root, path), fresh);
  }
}
