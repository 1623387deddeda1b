import type { Component } from '../../src/components/component.ts';
import { definitions } from '../../src/components/index.ts';
import { degraded, type Row, supported } from './row.ts';

/** What examples link to and show. */
const FILES = {
  'quickstart.mdx': 'Text.',
  'logo/mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"></svg>',
};

/** Names of all components and of their properties, from the definitions. */
export const definedNames: readonly string[] = definitions.flatMap(({ name, aliases = [], props }) => [
  ...[name, ...aliases],
  ...Object.keys(props).map((prop) => `${name}.${prop}`),
]);

/** Rows of what the definitions have and `rows` do not: the example is exported, with and without each property. */
export function definedRows(rows: readonly Row[]): Row[] {
  const written = new Set(rows.map(({ name }) => name));
  return definitions.flatMap(rowsOf).filter(({ name }) => !written.has(name));
}

function rowsOf(component: Component): Row[] {
  const { name, aliases = [], example, props } = component;
  return [
    ...[name, ...aliases].map((alias) =>
      supported(
        alias,
        { body: renamed(example, name, alias), shows: { component: alias }, files: FILES },
        noteOf(name, alias),
      ),
    ),
    ...Object.keys(props).map((prop) => propRow(component, prop)),
  ];
}

function renamed(example: string, from: string, to: string): string {
  return example.replace(new RegExp(`(</?)${from.replace('.', '\\.')}(?=[\\s/>])`, 'g'), `$1${to}`);
}

function noteOf(name: string, alias: string): string {
  return name === alias ? '' : `another name of ${name}`;
}

function propRow({ name, example, props }: Component, prop: string): Row {
  const { values = '', about = '' } = props[prop] ?? {};
  const title = `${name}.${prop}`;
  if (values === 'any') return degraded(title, about);
  const [, other = prop] = /^another name of `(\w+)`/.exec(about) ?? [];
  const bare = without(other, without(prop, example));
  // The style of an icon shows in an icon only.
  const base = prop === 'iconType' ? withProp(without('icon', bare), name, 'icon="star"') : bare;
  const body = withProp(base, name, `${prop}${prop === 'iconType' ? '="regular"' : sampleOf(values)}`);
  return supported(title, { body, unlike: base, files: FILES }, other === prop ? '' : about);
}

/** A value of the kind that the reference names. */
function sampleOf(values: string): string {
  if (values.startsWith('flag')) return '';
  if (values === 'icon') return '="star"';
  if (values === 'page or URL') return '="https://example.com"';
  if (values === 'path') return '="/logo/mark.svg"';
  if (values === 'a CSS color') return '="#d97706"';
  if (values.startsWith('list')) return '={["Sample"]}';
  const [, highest] = /^number from \d+ to (\d+)$/.exec(values) ?? [];
  if (highest !== undefined) return `={${highest}}`;
  const [, last] = /`([^`]+)`$/.exec(values) ?? [];
  if (last === undefined) return '="sample"';
  return last.startsWith('{') ? `=${last}` : `="${last}"`;
}

function withProp(example: string, name: string, prop: string): string {
  return example.replace(new RegExp(`<${name.replace('.', '\\.')}(?=[\\s/>])`), `$& ${prop}`);
}

function without(prop: string, example: string): string {
  return example.replace(new RegExp(`\\s${prop}(?:="[^"]*"|=\\{[^{}]*\\})?(?=[\\s/>])`, 'g'), '');
}
