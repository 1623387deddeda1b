import { isObject, type JsonObject } from '../config/json.ts';
import { resolvePath } from '../config/reference.ts';
import { type DescriptionUse, unnotedUse } from '../reference/description-use.ts';
import { type ApiDocuments, MAX_BYTES, openDocuments } from '../reference/documents.ts';
import { METHODS, type OperationPlace } from '../reference/operation.ts';
import { type At, containerAt, isReference, type Resolver } from '../reference/resolver.ts';
import type { Schemas } from '../reference/schema.ts';
import { copyOfTarget } from '../reference/swagger.ts';
import { textOf } from '../reference/values.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import { type ChannelDescriptions, openChannels } from './channel.ts';
import type { DescribedPage } from './described-page.ts';
import { type Operation, operationKey } from './operation.ts';
import { operationSlug, slugify } from './slug.ts';
import { readTags, type Tags } from './tags.ts';

/** Operations of one description; each is a page. */
const MAX_OPERATIONS = 20_000;

/** One operation or webhook of an API description, as the navigation needs it. */
export interface DescribedOperation extends DescribedPage {
  /** Upper case; `WEBHOOK` with the name as path. */
  method: string;
  path: string;
  summary: string | null;
  description: string | null;
  deprecated: boolean;
  /** Where it is in the description; null where that cannot be read. */
  place: OperationPlace | null;
}

/** An operation of which only its entry in the navigation is known. */
export function undescribed({ method, path }: Pick<Operation, 'method' | 'path'>): DescribedOperation {
  return describe(method, path, {}, readTags({}), null);
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
  /** The OpenAPI or Swagger description of a file; null (with one warning) when it is missing, unreadable or another format. */
  read(file: string): Description | null;
  /** The same without a warning, for files that nobody called a description. */
  peek(file: string): Description | null;
  /** AsyncAPI descriptions. */
  readonly channels: ChannelDescriptions;
  /** Reads the schemas of all descriptions. */
  readonly schemas: Schemas;
}

export function openDescriptions(
  written: SourceTree,
  overlays: ReadonlyMap<string, readonly string[]>,
  warn: Warn,
  use: DescriptionUse = unnotedUse,
): Descriptions {
  const source = use.of(written);
  const known = new Map<string, Description | null>();
  const peeked = new Map<string, Description | null>();
  const documents = openDocuments(source, overlays, use, warn);
  const readDescription = (file: string, report: Warn): Description | null => {
    const document = documents.read(file);
    if ('code' in document) {
      report({ file, ...document });
      return null;
    }
    return describeDocument(file, document.document, documents.resolver, report);
  };
  const silent: Warn = () => {};
  return {
    schemas: documents.schemas,
    channels: openChannels(source, documents, use, warn),
    read(file) {
      use.used(file);
      let description = known.get(file);
      if (description === undefined) {
        description = peeked.get(file) ?? readDescription(file, warn);
        known.set(file, description);
        if (description !== null) reportEmpty(description, documents, warn);
      }
      return description;
    },
    peek(file) {
      use.used(file);
      let description = known.get(file) ?? peeked.get(file);
      if (description === undefined) {
        description = mentionsOpenapi(source, file) ? readDescription(file, silent) : null;
        peeked.set(file, description);
      }
      return description;
    },
  };
}

/** A cheap check of the start of a file, so that data files are not parsed. */
function mentionsOpenapi(source: SourceTree, file: string): boolean {
  if (!source.has(file) || source.size(file) > MAX_BYTES) return false;
  return /["']?(?:openapi|swagger)["']?\s{0,20}:/.test(source.readText(file).slice(0, 20_000));
}

/** File of the source that a written path of a description means: from the root, also without extension. */
export function findDescription(source: SourceTree, written: string): string | null {
  const path = resolvePath('', written);
  if (path === null) return null;
  return [path, `${path}.json`, `${path}.yaml`, `${path}.yml`].find((file) => source.has(file)) ?? null;
}

function describeDocument(
  file: string,
  document: JsonObject,
  resolver: Resolver,
  report: Warn,
): Description | null {
  const operations = listOperations(file, document, resolver);
  if (operations.length > MAX_OPERATIONS) {
    const message = `The API description has more than ${MAX_OPERATIONS} operations. Split it.`;
    report({ file, line: null, code: 'description-too-large', message });
    return null;
  }
  const byKey = new Map<string, DescribedOperation>();
  for (const operation of operations) {
    const key = operationKey(operation.method, operation.path);
    if (!byKey.has(key)) byKey.set(key, operation);
  }
  return { file, document, operations, byKey };
}

/**
 * Reports methods of a path that have no operation: a key without a value, or with a list. Tools write null for every
 * method that a path does not have.
 */
function reportEmpty({ file, document }: Description, { lines }: ApiDocuments, warn: Warn): void {
  for (const [path, item] of entries(document.paths))
    for (const [method, operation] of Object.entries(item))
      if (METHODS.includes(method) && !isObject(operation) && (operation !== null || !hasOperation(item)))
        warn({
          file,
          line: lines.ofKey(file, path),
          code: 'operation-missing',
          message: `"${method}" of ${JSON.stringify(path.slice(0, 200))} is not an object, so it has no page. Describe the operation, or remove the key.`,
        });
}

const hasOperation = (item: JsonObject): boolean => METHODS.some((method) => isObject(item[method]));

function listOperations(file: string, document: JsonObject, resolver: Resolver): DescribedOperation[] {
  const containerOf = (value: unknown): At => containerAt({ value, file, name: null }, resolver);
  const tags = readTags({ ...document, tags: containerOf(document.tags).value });
  const found: DescribedOperation[] = [];
  const itemsOf = (written: unknown): [string, At<JsonObject>][] => {
    const items = containerOf(written);
    return entries(items.value).flatMap(([path, value]) => {
      const item = resolver.resolve({ ...items, value });
      if (item === null || !isObject(item.value)) return [];
      inlineOperations({ ...item, value: item.value }, resolver);
      return [[path, { ...item, value: item.value }]];
    });
  };
  for (const [path, item] of itemsOf(document.paths)) {
    for (const [method, operation] of operationsOf(item.value)) {
      const place = { document, file, item, method, path, isWebhook: false };
      found.push(describe(method.toUpperCase(), path, operation, tags, place));
    }
  }
  for (const [path, item] of [...itemsOf(document.webhooks), ...itemsOf(document['x-webhooks'])]) {
    const [first] = operationsOf(item.value);
    if (first === undefined) continue;
    const [method, operation] = first;
    found.push(
      describe('WEBHOOK', path, operation, tags, { document, file, item, method, path, isWebhook: true }),
    );
  }
  return found;
}

/** Replaces references in the place of operations, which OpenAPI does not have, by what they name. */
function inlineOperations({ value, file }: At<JsonObject>, resolver: Resolver): void {
  for (const method of METHODS) {
    if (!isReference(value[method])) continue;
    const operation = copyOfTarget({ value: value[method], file, name: null }, resolver);
    if (isObject(operation)) value[method] = operation;
  }
}

/** In the order of the description; `additionalOperations` have methods of their own. */
function operationsOf(item: JsonObject): [string, JsonObject][] {
  const known = entries(item).filter(([method]) => METHODS.includes(method));
  const others = entries(item.additionalOperations).filter(([method]) => /^[A-Za-z-]{1,20}$/.test(method));
  return [...known, ...others];
}

function entries(value: unknown): [string, JsonObject][] {
  if (!isObject(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}

function describe(
  method: string,
  path: string,
  operation: JsonObject,
  tags: Tags,
  place: OperationPlace | null,
): DescribedOperation {
  const tag = tags.choose(operation.tags);
  const summary = textOf(operation.summary);
  return {
    method,
    path,
    summary,
    description: textOf(operation.description),
    deprecated: operation.deprecated === true,
    tagSlug: tag === null ? null : slugify(tag),
    groups: tag === null ? ['API Reference'] : tags.labels(tag),
    slug: operationSlug(method, path, summary),
    hidden: operation['x-hidden'] === true,
    excluded: operation['x-excluded'] === true,
    extension: isObject(operation['x-mint']) ? operation['x-mint'] : {},
    place,
  };
}
