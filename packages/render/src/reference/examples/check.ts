import { isObject } from '../../config/json.ts';
import { channelOf, operationPlace } from '../../nav/page-operation.ts';
import type { Page, SiteMap } from '../../site.ts';
import type { SourceTree } from '../../source.ts';
import type { Warn } from '../../warning.ts';
import type { Resolver } from '../resolver.ts';
import { scalarText } from '../values.ts';
import { createCollector, type Example } from './collect.ts';
import { findLines } from './lines.ts';
import { isMismatch, type Match, type MatchOptions, type Mismatch, matchSchema } from './match.ts';
import { type Path, pathWords } from './words.ts';

/** Warnings for one description file; the other errors are counted. */
const MAX_WARNINGS = 50;
/** Steps of the check of all examples of a site. */
const MAX_STEPS = 5_000_000;
/** Objects of one file among which the places of examples are found. */
const MAX_SEARCHED = 3_000_000;
const MAX_TEXT = 100_000;

/** Examples with the same error in the same schema. */
interface Group {
  readonly example: Example;
  readonly mismatch: Mismatch;
  count: number;
}

/** Reports the examples of the descriptions of pages that do not match their schemas, with file and line. */
export function checkExamples(
  siteMap: SiteMap,
  source: SourceTree,
  warn: Warn,
  pages: readonly Page[] = siteMap.pages,
): void {
  const { schemas } = siteMap.descriptions;
  const collector = createCollector(schemas);
  for (const page of pages) {
    const place = operationPlace(page, siteMap);
    const channel = place === null ? channelOf(page, siteMap) : null;
    schemas.trim();
    if (place !== null) collector.operation(place);
    if (channel !== null) collector.channel(channel);
  }
  const byFile = new Map<string, Group[]>();
  const groups = new Map<object, Map<string, Group>>();
  const budget = { steps: MAX_STEPS };
  for (const example of collector.examples) {
    schemas.trim();
    const { direction, ignoresSiblings } = example;
    const match = matchExample(example, { schemas, direction, ignoresSiblings, budget });
    if (isMismatch(match)) addToGroup(example, match, groups, byFile);
  }
  for (const [file, found] of byFile) reportFile(file, found, source, schemas.resolver, warn);
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** Checks an example. A text may be a value in the form in which it is sent. */
export function matchExample({ value, schema, text }: Example, options: MatchOptions): Match {
  const match = matchSchema(schema, value, options);
  if (!isMismatch(match) || text === null) return match;
  if (typeof value === 'number' || typeof value === 'boolean' || JSON.isRawJSON(value)) {
    const other = text === 'parameter' ? matchSchema(schema, scalarText(value), options) : match;
    return isMismatch(other) ? match : other;
  }
  if (typeof value !== 'string') return match;
  const parsed = parse(value);
  if (text === 'json') return parsed === undefined ? match : matchSchema(schema, parsed, options);
  if (typeof parsed !== 'object') {
    const other = matchSchema(schema, parsed, options);
    if (!isMismatch(other)) return other;
  }
  // Lists and objects are written by rules of the parameter, and forms by those of their content type.
  const { types, variants } = options.schemas.read(schema);
  const isScalar = types.length > 0 && types.every((type) => SCALARS.has(type)) && variants.length === 0;
  return isScalar ? match : 'unknown';
}

/** A value of JSON; undefined for other texts. */
function parse(text: string): unknown {
  if (text.length > MAX_TEXT) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function addToGroup(
  example: Example,
  mismatch: Mismatch,
  groups: Map<object, Map<string, Group>>,
  byFile: Map<string, Group[]>,
): void {
  const { file } = example.holder;
  const messages = groups.get(mismatch.schema) ?? new Map<string, Group>();
  groups.set(mismatch.schema, messages);
  const key = `${file}\n${mismatch.message}`;
  const known = messages.get(key);
  if (known !== undefined) {
    known.count++;
    return;
  }
  const group = { example, mismatch, count: 1 };
  messages.set(key, group);
  const list = byFile.get(file) ?? [];
  byFile.set(file, list);
  list.push(group);
}

function reportFile(
  file: string,
  groups: readonly Group[],
  source: SourceTree,
  resolver: Resolver,
  warn: Warn,
): void {
  const shown = groups.slice(0, MAX_WARNINGS);
  const places = findPlaces(
    resolver.resolve({ value: { $ref: '#' }, file, name: null })?.value,
    new Set(shown.map(({ example }) => example.holder.value)),
  );
  const paths = shown.map(({ example: { holder, keys } }) => {
    const place = places.get(holder.value);
    return place === undefined ? null : [...place, ...keys];
  });
  const lines = linesOf(source, file, paths);
  for (const [index, group] of shown.entries())
    warn({ file, line: lines[index] ?? null, code: 'description-example', message: messageOf(group) });
  const rest = groups.slice(MAX_WARNINGS).reduce((sum, { count }) => sum + count, 0);
  if (rest === 0) return;
  const message = `${rest} other examples of this file do not match their schemas either. Correct the reported ones first.`;
  warn({ file, line: null, code: 'description-example', message });
}

function messageOf({ mismatch: { path, message }, count }: Group): string {
  const subject = path.length === 0 ? 'it' : pathWords(path);
  const others =
    count === 1 ? '' : ` ${count - 1} other ${count === 2 ? 'example has' : 'examples have'} the same error.`;
  return `This example does not match its schema: ${subject} ${message}.${others} Correct the example or the schema.`;
}

/** Keys that lead to objects of a description. */
function findPlaces(document: unknown, wanted: ReadonlySet<object>): Map<object, Path> {
  const found = new Map<object, Path>();
  const path: (string | number)[] = [];
  let left = MAX_SEARCHED;
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || found.size === wanted.size || --left < 0) return;
    if (wanted.has(value) && !found.has(value)) found.set(value, [...path]);
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const member: unknown = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : null;
      if (typeof member !== 'object') continue;
      path.push(key);
      visit(member);
      path.pop();
    }
  };
  visit(document);
  return found;
}

function linesOf(source: SourceTree, file: string, paths: readonly (Path | null)[]): (number | null)[] {
  const known = paths.filter((path) => path !== null);
  if (!source.has(file) || known.length === 0) return paths.map(() => null);
  const found = findLines(source, file, known);
  const isConverted = found.some(
    (place, index) => place !== null && place.depth < (known[index]?.length ?? 0),
  );
  const older = isConverted ? findLines(source, file, known.map(asSwagger)) : [];
  const lines = new Map(
    known.map((path, index) => {
      const [own, other] = [found[index], older[index]];
      const isDeeper = own != null && other != null && other.depth > own.depth;
      return [path, (isDeeper ? other : own)?.line ?? null];
    }),
  );
  return paths.map((path) => (path === null ? null : (lines.get(path) ?? null)));
}

/** The place of a part in the Swagger 2.0 description from which it was converted. */
function asSwagger(path: Path): Path {
  const [first, second, ...rest] = path;
  const place =
    first === 'components' ? [second === 'schemas' ? 'definitions' : (second ?? ''), ...rest] : [...path];
  const at = place.indexOf('content');
  if (at < 0) return place;
  const [type = '', member = '', ...inside] = place.slice(at + 1);
  const shown = member === 'example' ? ['examples', type, ...inside] : [member, ...inside];
  return [...place.slice(0, at), ...shown];
}
