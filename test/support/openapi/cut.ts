/** A JSON object of an API description. */
export type Json = { [key: string]: unknown };

export interface CutOptions {
  /** Methods by path, such as `{ '/pulls': ['get', 'post'] }`. */
  operations?: Readonly<Record<string, readonly string[]>>;
  /** JSON pointers of more that is wanted, such as `#/components/schemas/Error`. */
  roots?: readonly string[];
}

/** Words for readers; validation needs none of them. */
const PROSE = /^(?:x-.*|description|summary|title|examples?|externalDocs|deprecated|tags)$/;

/**
 * The part of an OpenAPI 3 or Swagger 2 document that some operations and schemas need, everything at the place where
 * it was, so that references stay right. Texts for readers are left out.
 */
export function cutOpenApi(document: Json, options: CutOptions): Json {
  const cut: Json = {};
  for (const key of ['openapi', 'swagger', 'info']) if (document[key] !== undefined) cut[key] = document[key];
  const pending = [...(options.roots ?? [])];
  const done = new Set<string>();
  const take = (value: unknown, pointer: string): void => {
    const slim = strip(value, false);
    put(cut, pointer, slim);
    findRefs(slim, (ref) => pending.push(ref));
  };
  for (const [path, methods] of Object.entries(options.operations ?? {})) {
    const item = at(document, `#/paths/${escaped(path)}`) as Json;
    for (const key of ['parameters', ...methods]) {
      if (item[key] !== undefined) take(item[key], `#/paths/${escaped(path)}/${key}`);
      else if (key !== 'parameters') throw new Error(`${path} has no operation "${key}".`);
    }
  }
  for (let ref = pending.pop(); ref !== undefined; ref = pending.pop()) {
    if (done.has(ref)) continue;
    done.add(ref);
    take(at(document, ref), ref);
  }
  return cut;
}

/** The value at a JSON pointer of the document; throws if it does not exist. */
export function at(document: unknown, pointer: string): unknown {
  let value = document;
  for (const part of parts(pointer)) {
    value = (value as Json | undefined)?.[part];
    if (value === undefined) throw new Error(`There is nothing at ${pointer}.`);
  }
  return value;
}

const parts = (pointer: string): string[] =>
  pointer
    .replace(/^#?\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

function put(cut: Json, pointer: string, value: unknown): void {
  const path = parts(pointer);
  const last = path.pop() ?? '';
  let folder = cut;
  for (const part of path) {
    folder[part] ??= {};
    folder = folder[part] as Json;
  }
  folder[last] = value;
}

function findRefs(value: unknown, found: (ref: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref' && typeof member === 'string') found(member);
    else findRefs(member, found);
  }
}

/** Without prose. Names of properties are names, whatever they read like. */
function strip(value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((member) => strip(member, false));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !PROSE.test(key));
  return Object.fromEntries(
    kept.map(([key, member]) => [
      key,
      strip(member, !isNames && /^(?:properties|patternProperties)$/.test(key)),
    ]),
  );
}
