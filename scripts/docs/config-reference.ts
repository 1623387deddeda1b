/** The reference of docs.json and front matter, and the JSON Schema for editors, from the keys that the renderer reads. */
import { docsJsonSchema } from '../../packages/render/src/config/docs-schema.ts';
import type { Key, Keys } from '../../packages/render/src/config/key.ts';
import { docsKeys, docsSections } from '../../packages/render/src/config/keys/index.ts';
import { nodeKeys } from '../../packages/render/src/config/keys/navigation.ts';
import { pageKeys } from '../../packages/render/src/config/keys/page.ts';
import { cell } from './cell.ts';
import { jsonText } from './json-text.ts';

const SERVED =
  'An export has no server and no sign-in, and loads nothing from other hosts. These keys are read and checked, but change nothing. In `contextual.options`, the same applies to `devin-desktop`, and except on sites that the platform serves to `assistant`, `mcp`, `add-mcp`, `devin-mcp`, `cursor` and `vscode`.';
const HEAD = '| key | value | default | meaning |\n| --- | --- | --- | --- |';

/** Markdown of the tables of docs.json: a section for each part, and the keys without effect. */
export function docsJsonTables(): string {
  const parts = docsSections.map(({ title, about, keys }) => {
    const table = keys === nodeKeys ? nodeTable() : keyTable(keys);
    return [`## ${title}`, ...(about === undefined ? [] : [about]), table].join('\n\n');
  });
  return [...parts, `## Without effect\n\n${SERVED}\n\n${unusedTable(docsKeys)}`].join('\n\n');
}

/** Markdown of the table of front matter, and of its keys without effect. */
export const frontMatterTable = (): string =>
  `${keyTable(pageKeys)}\n\n## Without effect\n\nThese keys are read and checked, but change nothing in an export.\n\n${unusedTable(pageKeys)}`;

/** The JSON Schema of docs.json as a file, formatted like the other files of the project. */
export const docsJsonSchemaText = (): string => jsonText(docsJsonSchema());

interface Row {
  name: string;
  key: Key<unknown>;
  value: string;
}

const isShown = ({ isOlder, isIgnored }: Key<unknown>): boolean => isOlder !== true && isIgnored !== true;

const hasNoEffect = ({ noEffect, unused }: Key<unknown>): boolean =>
  noEffect !== undefined || unused !== undefined;

/** A row for each key that has a value of its own; objects with the keys of another object refer to it. */
function rowsOf(keys: Keys, parent: string, owners: Map<Key<unknown>, string>): Row[] {
  return Object.entries(keys).flatMap(([last, key]) => {
    if (!isShown(key)) return [];
    const name = `${parent}${last}`;
    const { values, members, isBrief, isList } = key.type;
    if (members === undefined || isBrief === true || hasNoEffect(key)) return [{ name, key, value: values }];
    const own = Object.values(members);
    const [first] = own;
    const owner = first === undefined ? undefined : owners.get(first);
    if (owner !== undefined) return [{ name, key, value: `object with the keys of \`${owner}\`` }];
    for (const member of own) owners.set(member, name);
    const rows = rowsOf(members, `${name}${isList === true ? '[]' : ''}.`, owners);
    return values === 'object' ? rows : [{ name, key, value: values }, ...rows];
  });
}

function keyTable(keys: Keys): string {
  const rows = rowsOf(keys, '', new Map()).filter(({ key }) => !hasNoEffect(key));
  return [
    HEAD,
    ...rows.map(({ name, key, value }) => line(name, value, defaultOf(key), meaningOf(key))),
  ].join('\n');
}

function nodeTable(): string {
  const rows = Object.entries<Key<unknown>>(nodeKeys).filter(([, key]) => isShown(key) && !hasNoEffect(key));
  const lines = rows.map(([name, key]) => {
    const owners = key.on?.map((list) => `\`${list}\``).join(', ') ?? 'any';
    return line(name, owners, key.type.values, defaultOf(key), meaningOf(key));
  });
  return ['| key | on | value | default | meaning |\n| --- | --- | --- | --- | --- |', ...lines].join('\n');
}

const line = (name: string, ...cells: readonly string[]): string =>
  `| ${[`\`${name}\``, ...cells.map(cell)].join(' | ')} |`.replaceAll('|  |', '| |');

/** Keys that change nothing in an export, by reason. */
function unusedTable(keys: Keys): string {
  const byReason = new Map<string, string[]>();
  for (const { name, key } of rowsOf(keys, '', new Map())) {
    const reason = key.noEffect ?? key.unused;
    if (reason !== undefined) byReason.set(reason, [...(byReason.get(reason) ?? []), `\`${name}\``]);
  }
  const rows = [...byReason].map(([reason, names]) => `| ${names.join(', ')} | ${cell(reason)} |`);
  return ['| keys | reason |', '| --- | --- |', ...rows].join('\n');
}

function defaultOf({ default: value, otherwise }: Key<unknown>): string {
  if (otherwise !== undefined) return otherwise;
  return value === undefined || value === null ? '' : `\`${String(value)}\``;
}

const meaningOf = ({ about, partial }: Key<unknown>): string =>
  partial === undefined ? about : `${about}. Supported in part: ${partial}`;
