/** The reference of the built-in components: a section for each, from the definition that the renderer uses. */
import type { Component } from '../../packages/render/src/components/component.ts';
import { definitions } from '../../packages/render/src/components/index.ts';
import { cell } from './cell.ts';

/** Markdown of all sections, in the order of the definitions. */
export function componentSections(): string {
  return definitions.map(section).join('\n\n');
}

function section(component: Component): string {
  const { name, about, aliases = [], isOlder, example, changesPage } = component;
  const parts = [`## ${name}`, `${about}.`];
  if (isOlder === true) parts.push('Supported for older sites.');
  if (aliases.length > 0) parts.push(`Other names: ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`);
  if (changesPage !== true) parts.push(example);
  parts.push(`\`\`\`\`mdx wrap\n${example}\n\`\`\`\``, propsTable(component));
  return parts.filter((part) => part !== '').join('\n\n');
}

function propsTable({ props }: Component): string {
  const rows = Object.entries(props).map(
    ([name, { values, about }]) => `| \`${name}\` | ${cell(values)} | ${cell(about)} |`,
  );
  return rows.length === 0
    ? ''
    : ['| property | values | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}
