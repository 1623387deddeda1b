import { parseDocument } from 'yaml';
import { isObject, type JsonObject } from '../config/json.ts';
import { resolvePath } from '../config/reference.ts';
import type { Operation } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { readTextFile } from '../text-file.ts';
import type { Warn } from '../warning.ts';
import { operationKey } from './operation.ts';
import { operationSlug, slugify } from './slug.ts';

/** Bytes of an API description that are read; the largest known one has 20 MB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Operations of one description; each is a page. */
const MAX_OPERATIONS = 20_000;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** One operation or webhook of an API description, as the navigation needs it. */
export interface DescribedOperation {
  /** Upper case; `WEBHOOK` with the name as path. */
  method: string;
  path: string;
  summary: string | null;
  description: string | null;
  deprecated: boolean;
  /** Segment of the URL for the first tag; null without a tag. */
  tagSlug: string | null;
  /** Label of the group for the first tag. */
  group: string;
  /** Segment of the URL for the operation. */
  slug: string;
  /** `x-hidden`: has a page, but is not in the navigation. */
  hidden: boolean;
  /** `x-excluded`: has no page. */
  excluded: boolean;
  /** `x-mint`, where it is an object. */
  extension: JsonObject;
  /** false where the description cannot be read. */
  isDescribed: boolean;
}

/** An operation of which only its entry in the navigation is known. */
export function undescribed({ method, path }: Pick<Operation, 'method' | 'path'>): DescribedOperation {
  return { ...describe(method, path, {}, new Map()), isDescribed: false };
}

export interface Description {
  /** File of the source. */
  file: string;
  document: JsonObject;
  /** In the order of the file, paths before webhooks. */
  operations: readonly DescribedOperation[];
  /** By `METHOD path`. */
  byKey: ReadonlyMap<string, DescribedOperation>;
}

/** Reads each API description of a source once. */
export interface Descriptions {
  /** The OpenAPI 3 description of a file; null (with one warning) when it is missing, unreadable or another format. */
  read(file: string): Description | null;
  /** The same without a warning, for files that nobody called a description. */
  peek(file: string): Description | null;
}

export function openDescriptions(source: SourceTree, warn: Warn): Descriptions {
  const known = new Map<string, Description | null>();
  const peeked = new Map<string, Description | null>();
  const silent: Warn = () => {};
  return {
    read(file) {
      let description = known.get(file) ?? peeked.get(file);
      if (description === undefined || (description === null && !known.has(file))) {
        description = readDescription(source, file, warn);
        known.set(file, description);
      }
      return description;
    },
    peek(file) {
      let description = known.get(file) ?? peeked.get(file);
      if (description === undefined) {
        description = mentionsOpenapi(source, file) ? readDescription(source, file, silent) : null;
        peeked.set(file, description);
      }
      return description;
    },
  };
}

/** A cheap check of the start of a file, so that data files are not parsed. */
function mentionsOpenapi(source: SourceTree, file: string): boolean {
  if (!source.has(file) || source.size(file) > MAX_BYTES) return false;
  return /["']?openapi["']?\s{0,20}:/.test(source.readText(file).slice(0, 20_000));
}

/** File of the source that a written path of a description means: from the root, also without extension. */
export function findDescription(source: SourceTree, written: string): string | null {
  const path = resolvePath('', written);
  if (path === null) return null;
  return [path, `${path}.json`, `${path}.yaml`, `${path}.yml`].find((file) => source.has(file)) ?? null;
}

function readDescription(source: SourceTree, file: string, warn: Warn): Description | null {
  const refuse = (code: string, message: string, line: number | null = null): null => {
    warn({ file, line, code, message });
    return null;
  };
  if (source.size(file) > MAX_BYTES)
    return refuse(
      'description-too-large',
      `The API description is larger than ${MAX_BYTES} bytes. Split it.`,
    );
  const parsed = parseDescription(readTextFile(source, file, warn), file);
  if ('fault' in parsed) return refuse('description-invalid', parsed.fault, parsed.line);
  const { document } = parsed;
  if (!isObject(document)) return refuse('description-invalid', 'The API description must be an object.');
  if (typeof document.openapi !== 'string' || !document.openapi.startsWith('3.')) {
    return refuse(
      'description-version',
      'Not an OpenAPI 3.0 or 3.1 description, so no pages are created. Convert it to OpenAPI 3.',
    );
  }
  const operations = listOperations(document);
  if (operations.length > MAX_OPERATIONS) {
    return refuse(
      'description-too-large',
      `The API description has more than ${MAX_OPERATIONS} operations. Split it.`,
    );
  }
  const byKey = new Map<string, DescribedOperation>();
  for (const operation of operations) {
    const key = operationKey(operation.method, operation.path);
    if (!byKey.has(key)) byKey.set(key, operation);
  }
  return { file, document, operations, byKey };
}

/**
 * The value of an API description, JSON by its ending and content, else YAML 1.2 without tags and with few aliases; or
 * why it cannot be read. Its size is the caller's to bound.
 */
export function parseDescription(
  text: string,
  file: string,
): { document: unknown } | { fault: string; line: number | null } {
  try {
    if (/^\s*\{/.test(text.slice(0, 1000)) && file.endsWith('.json')) return { document: JSON.parse(text) };
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      uniqueKeys: false,
      logLevel: 'silent',
    });
    const [error] = document.errors;
    if (error !== undefined)
      return { fault: error.message.split('\n', 1)[0] ?? '', line: error.linePos?.[0].line ?? null };
    return { document: document.toJS({ maxAliasCount: 1000 }) };
  } catch (fault) {
    return {
      fault: `Cannot be parsed: ${fault instanceof Error ? fault.message.slice(0, 200) : 'unknown format'}`,
      line: null,
    };
  }
}

function listOperations(document: JsonObject): DescribedOperation[] {
  const groups = tagGroups(document.tags);
  const found: DescribedOperation[] = [];
  for (const [path, item] of entries(document.paths)) {
    for (const method of Object.keys(item)) {
      const operation = item[method];
      if (METHODS.includes(method) && isObject(operation)) {
        found.push(describe(method.toUpperCase(), path, operation, groups));
      }
    }
  }
  for (const [name, item] of [...entries(document.webhooks), ...entries(document['x-webhooks'])]) {
    const method = METHODS.find((candidate) => isObject(item[candidate]));
    const operation = method === undefined ? undefined : item[method];
    if (isObject(operation)) found.push(describe('WEBHOOK', name, operation, groups));
  }
  return found;
}

function entries(value: unknown): [string, JsonObject][] {
  if (!isObject(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}

/** Labels of tags: `x-group`, else the name. */
function tagGroups(tags: unknown): Map<string, string> {
  const groups = new Map<string, string>();
  for (const tag of Array.isArray(tags) ? tags : []) {
    if (isObject(tag) && typeof tag.name === 'string') {
      groups.set(tag.name, typeof tag['x-group'] === 'string' ? tag['x-group'] : tag.name);
    }
  }
  return groups;
}

function describe(
  method: string,
  path: string,
  operation: JsonObject,
  groups: Map<string, string>,
): DescribedOperation {
  const [first] = Array.isArray(operation.tags) ? operation.tags : [];
  const tag = typeof first === 'string' && first.trim() !== '' ? first : null;
  const summary = nonEmpty(operation.summary);
  return {
    method,
    path,
    summary,
    description: nonEmpty(operation.description),
    deprecated: operation.deprecated === true,
    tagSlug: tag === null ? null : slugify(tag),
    group: tag === null ? 'API Reference' : (groups.get(tag) ?? tag),
    slug: operationSlug(method, path, summary),
    hidden: operation['x-hidden'] === true,
    excluded: operation['x-excluded'] === true,
    extension: isObject(operation['x-mint']) ? operation['x-mint'] : {},
    isDescribed: true,
  };
}

const nonEmpty = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
