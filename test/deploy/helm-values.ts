/** Values of the chart without a template engine: merged and checked as Helm does it before it renders. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { chartFolder } from './helm-engine.ts';

export type Values = { [field: string]: unknown };

export const valuesText = readFileSync(join(chartFolder, 'values.yaml'), 'utf8');
export const schema = JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8'));
export const defaults = parseValues(valuesText);

/** Value files that come with the chart, by name. */
export const examples = new Map(
  readdirSync(join(chartFolder, 'examples')).map((file) => [
    file.replace(/\.yaml$/, ''),
    readFileSync(join(chartFolder, 'examples', file), 'utf8'),
  ]),
);

const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema);

export function parseValues(text: string): Values {
  return (parse(text, { version: '1.1', uniqueKeys: true }) ?? {}) as Values;
}

/** Maps are merged, everything else is replaced, and null takes a default away. */
export function mergeValues(under: Values, over: Values): Values {
  const merged = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    if (value === null) delete merged[key];
    else if (isMap(value) && isMap(below)) merged[key] = mergeValues(below, value);
    else merged[key] = value;
  }
  return merged;
}

/** What the schema says of values on top of the defaults: `site.replicas: must be integer`. */
export function schemaFaults(text: string): string[] {
  if (validate(mergeValues(defaults, parseValues(text)))) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, message, params }) => {
    const extra = keyword === 'additionalProperties' ? params.additionalProperty : params.propertyName;
    const path = [...instancePath.split('/').slice(1), ...(extra === undefined ? [] : [extra])].join('.');
    return `${path}: ${message}`;
  });
}

export function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Paths of the fields of values; a map without fields is one itself. */
export function valueFields(values: Values, path = ''): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isMap(value) && Object.keys(value).length > 0 && name !== 'resources'
      ? valueFields(value, `${path}${name}.`)
      : [`${path}${name}`],
  );
}
