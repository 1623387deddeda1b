import { isObject } from '../config/json.ts';
import type { At } from './resolver.ts';

export interface Condition {
  /** `if` or `dependentSchemas`. */
  readonly keyword: string;
  /** The schema of `if`; undefined if the labels are names of properties. */
  readonly value: unknown;
  readonly parts: readonly { readonly label: string; readonly schema: At }[];
}

/** Conditions of one schema; hostile descriptions have thousands. */
export const MAX_CONDITIONS = 20;

/** Keywords whose value says all. */
const RULES = ['dependentRequired', 'propertyNames', 'contains'];

/** What applies to a value only in some cases. Later drafts have two keywords for `dependencies`. */
export function conditionsOf({ value: written, file }: At): Condition[] {
  if (!isObject(written)) return [];
  const at = (schema: unknown): At => ({ value: schema, file, name: null });
  const conditions: Condition[] = [];
  const parts = ['then', 'else'].flatMap((label) => {
    const schema = written[label];
    return isObject(schema) && Object.keys(schema).length > 0 ? [{ label, schema: at(schema) }] : [];
  });
  if (written.if !== undefined && parts.length > 0)
    conditions.push({ keyword: 'if', value: written.if, parts });
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    const schemas = isObject(written[keyword]) ? Object.entries(written[keyword]) : [];
    const dependent = schemas
      .filter(([, schema]) => isObject(schema))
      .slice(0, MAX_CONDITIONS)
      .map(([label, schema]) => ({ label, schema: at(schema) }));
    if (dependent.length > 0) conditions.push({ keyword, value: undefined, parts: dependent });
  }
  return conditions;
}

export function rulesOf({ value: written }: At): [string, unknown][] {
  if (!isObject(written)) return [];
  const rules: [string, unknown][] = RULES.flatMap((keyword): [string, unknown][] =>
    isObject(written[keyword]) && Object.keys(written[keyword]).length > 0
      ? [[keyword, written[keyword]]]
      : [],
  );
  const { dependencies, collectionFormat } = written;
  // Of lists in lists of Swagger 2.0.
  if (typeof collectionFormat === 'string') rules.push(['collectionFormat', collectionFormat]);
  const names = Object.entries(isObject(dependencies) ? dependencies : {}).filter(([, one]) =>
    Array.isArray(one),
  );
  if (names.length > 0) rules.push(['dependencies', Object.fromEntries(names)]);
  return rules;
}
