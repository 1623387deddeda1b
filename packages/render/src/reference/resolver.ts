import { isObject, type JsonObject } from '../config/json.ts';
import { resolvePath } from '../config/reference.ts';
import { isCopy } from '../remote/remote-files.ts';
import { anchorPointer } from './identifiers.ts';

/** A value of an API description, with the file that its references are relative to. */
export interface At<T = unknown> {
  readonly value: T;
  readonly file: string;
  /** Last segment of the reference that led here: the name of a schema. Null without one. */
  readonly name: string | null;
}

/** Follows references of API descriptions, inside the docs folder only. */
export interface Resolver {
  /** The target of a value that may be a reference; null if it has none, which is reported once. */
  resolve(at: At): At | null;
  /** The same without a report: data may look like a reference. */
  peek(at: At): At | null;
  /** What a reference names, which may be a reference itself. */
  step(at: At<{ $ref: string }>): At | null;
  /** The text of the file that a reference names: a sample of code. Null if it cannot be read, which is reported. */
  text(at: At<{ $ref: string }>): string | null;
  /** Reports, once, that a part of a description exceeds a limit: `an operation with more than 500 parameters`. */
  exceeded(file: string, what: string): void;
  /** Reports, once, that an operation requires a security scheme that a description does not define. */
  undefinedScheme(file: string, name: string): void;
}

export interface ResolverFiles {
  /** The parsed file of the docs folder; null if it does not exist or cannot be read, which is reported. */
  read(file: string): JsonObject | unknown[] | null;
  /** The text of a file of the docs folder; null if it does not exist or is too long. */
  readText?(file: string): string | null;
  /** Takes that a file refers to another one. */
  linked?(from: string, to: string): void;
  /** Reports a reference without a target. */
  missing(file: string, reference: string, reason: string): void;
  /** Reports that a file has a part beyond a limit. */
  exceeded?(file: string, what: string): void;
  /** Reports a security scheme without a definition. */
  undefinedScheme?(file: string, name: string): void;
}

/** Hops from reference to reference. */
const MAX_HOPS = 16;
const MAX_LENGTH = 2000;

export function createResolver(files: ResolverFiles): Resolver {
  const targets = new Map<string, At | null>();
  const reported = new Set<string>();
  const texts = new Map<string, string>();
  const isNew = (key: string): boolean => reported.size < reported.add(key).size;
  let quiet: Resolver | null = null;
  let depth = 0;
  const find = (file: string, reference: string): At | null => {
    const key = `${file}\n${reference}`;
    let target = targets.get(key);
    if (target === undefined) {
      if (depth > MAX_HOPS) return null;
      // A reference that leads through itself has no target.
      targets.set(key, null);
      depth++;
      target = findTarget(file, reference, files, ({ value, file: from }) => find(from, value.$ref));
      depth--;
      targets.set(key, target);
    }
    return target;
  };
  return {
    resolve(at) {
      let here: At | null = at;
      for (let hops = 0; here !== null && isReference(here.value); hops++) {
        if (hops === MAX_HOPS) {
          files.missing(at.file, here.value.$ref, `leads through more than ${MAX_HOPS} references`);
          return null;
        }
        here = find(here.file, here.value.$ref);
      }
      return here;
    },
    text({ value: { $ref }, file }) {
      const key = `${file}\ntext ${$ref}`;
      if (!isNew(key)) return texts.get(key) ?? null;
      const target = targetFile(file, $ref, files);
      const text = target === null ? null : (files.readText?.(target) ?? null);
      if (text !== null) texts.set(key, text);
      else if (target !== null) files.missing(file, $ref, 'is not a text file of at most 100,000 bytes');
      return text;
    },
    peek(at) {
      quiet ??= createResolver({ ...files, missing: () => {} });
      return quiet.resolve(at);
    },
    step: ({ value, file }) => find(file, value.$ref),
    exceeded(file, what) {
      if (isNew(`${file}\n${what}`)) files.exceeded?.(file, what);
    },
    undefinedScheme(file, name) {
      if (isNew(`${file}\nscheme ${name}`)) files.undefinedScheme?.(file, name);
    },
  };
}

export function isReference(value: unknown): value is JsonObject & { $ref: string } {
  return isObject(value) && typeof value.$ref === 'string';
}

/**
 * A map or a list, in whose place some authors write a reference to one; tools that put files together follow these. Without
 * a target, which is reported, it has no members.
 */
export function containerAt(at: At, resolver: Pick<Resolver, 'resolve'>): At {
  return isReference(at.value) ? (resolver.resolve(at) ?? { ...at, value: undefined }) : at;
}

/**
 * The value of an example. Some authors write a reference instead of it, which is not one in OpenAPI: what it names counts
 * if that exists.
 */
export function exampleAt(at: At, resolver: Pick<Resolver, 'peek'>): unknown {
  const { value } = at;
  if (!isReference(value) || Object.keys(value).length > 1) return value;
  const target = resolver.peek(at)?.value;
  if (target === undefined) return value;
  const isNamed = /(?:^|\/)examples\/[^/]+$/.test(value.$ref);
  return isNamed && isObject(target) && Object.hasOwn(target, 'value') ? target.value : target;
}

function findTarget(
  file: string,
  reference: string,
  files: ResolverFiles,
  targetOf: (at: At<{ $ref: string }>) => At | null,
): At | null {
  const target = targetFile(file, reference, files);
  if (target === null) return null;
  const refuse = (): null => {
    files.missing(file, reference, 'does not exist');
    return null;
  };
  const hash = reference.indexOf('#');
  const document = files.read(target);
  if (document === null) return refuse();
  const fragment = hash < 0 ? '' : reference.slice(hash + 1);
  return follow(document, fragment, target, target !== file, targetOf) ?? refuse();
}

/** The file of the docs folder that a reference names; null if it may not, which is reported. */
function targetFile(file: string, reference: string, files: ResolverFiles): string | null {
  const refuse = (reason: string): null => {
    files.missing(file, reference, reason);
    return null;
  };
  if (reference.length > MAX_LENGTH) return refuse(`is longer than ${MAX_LENGTH} characters`);
  const hash = reference.indexOf('#');
  const path = hash < 0 ? reference : reference.slice(0, hash);
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) {
    const named = isCopy(file) ? null : identifiedFile(file, path, files);
    return named ?? refuse('is not a file of the docs folder');
  }
  if (path !== '' && isCopy(file))
    return refuse('names another file, which a downloaded description may not');
  const target = path === '' ? file : resolvePath(file, decode(path).replaceAll('\\', '/'));
  if (target === null) return refuse('is outside the docs folder');
  if (target !== file) files.linked?.(file, target);
  return target;
}

/**
 * The file whose `$id` is a URL, found from the file that refers to it: files have the same places to each other as their
 * identifiers. Null if there the file with this identifier is missing.
 */
function identifiedFile(file: string, url: string, files: ResolverFiles): string | null {
  const own = identifierOf(files.read(file));
  if (own === null) return null;
  const [from, to] = [own.split('/'), url.split('/')];
  // Scheme and host.
  if (from.slice(0, 3).join('/') !== to.slice(0, 3).join('/')) return null;
  let common = 3;
  while (common < from.length - 1 && from[common] === to[common]) common++;
  const way = [...from.slice(common + 1).map(() => '..'), ...to.slice(common)].join('/');
  const target = resolvePath(file, way);
  if (target === null) return null;
  files.linked?.(file, target);
  return identifierOf(files.read(target)) === url ? target : null;
}

function identifierOf(document: JsonObject | unknown[] | null): string | null {
  const id = isObject(document) ? (document.$self ?? document.$id) : null;
  return typeof id === 'string' ? id.replace(/#$/, '') : null;
}

// A reference may name a part of a schema or a body. Its last segment is not a name then: `0`, `items` or a property, of
// which a description has many.
const PARTS: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
const PLACES: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'schema',
  'payload',
]);
/** Members that contain schemas by their names. */
const MAPS: ReadonlySet<string> = new Set(['schemas', 'definitions', '$defs']);

/**
 * The value at a JSON pointer (RFC 6901) in a fragment; null if it does not exist. On the way, an object that is a
 * reference stands for its target: descriptions of several files refer to the file of all schemas.
 */
function follow(
  document: JsonObject | unknown[],
  fragment: string,
  start: string,
  isOther: boolean,
  targetOf: (at: At<{ $ref: string }>) => At | null,
): At | null {
  let file = start;
  const written = decode(fragment);
  if (written === '' || written === '/')
    return { value: document, file, name: isOther ? nameOfFile(file) : null };
  const pointer = written.startsWith('/') || !isObject(document) ? written : anchorPointer(document, written);
  if (pointer === null) return null;
  let value: unknown = document;
  let name = '';
  let isNamed = true;
  for (const segment of pointer.slice(1).split('/')) {
    const around = name;
    name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isReference(value) && !Object.hasOwn(value, name)) {
      const target = targetOf({ value, file, name: null });
      if (target === null) return null;
      ({ value, file } = target);
    }
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    isNamed = !Array.isArray(value) && !PARTS.has(around) && (MAPS.has(around) || !PLACES.has(name));
    value = Array.isArray(value) ? value[Number(name)] : (value as JsonObject)[name];
  }
  return { value, file, name: isNamed ? name : null };
}

/** The name of a schema that has a file of its own: `Pet` of `schemas/Pet.yaml` and of `schemas/Pet/index.yaml`. */
function nameOfFile(file: string): string | null {
  const [last = '', folder = ''] = file.split('/').reverse();
  const name = last.replace(/\.(?:json|ya?ml)$/i, '');
  return (/^_?(?:index|schema|main)$/i.test(name) ? folder : name) || null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
