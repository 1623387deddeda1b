import { isObject, type JsonObject } from '../config/json.ts';

/** Keywords by which schemas name themselves; a file without them is left as it is. */
const KEYWORDS = /\$(?:id|anchor|dynamicAnchor|dynamicRef|self)\b/;
/** Members whose values are data: an example may have an `$id` too. */
export const DATA: ReadonlySet<string> = new Set([
  'example',
  'examples',
  'default',
  'const',
  'enum',
  'value',
]);
/** Members that contain schemas by their names, which may be words of JSON Schema. */
export const NAMED: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'schemas'],
]);
/** Values of all copies that are made for dynamic references. */
const MAX_COPIED = 50_000;
const MAX_COPY_DEPTH = 8;

/** Way to a value, from its end; null: the document. */
type Path = { key: string; up: Path } | null;

/** A schema with an `$id`, or the document: what identifiers in it are relative to. */
interface Resource {
  value: JsonObject;
  base: string;
  path: Path;
  anchors: Map<string, Path>;
  /** Those of `$dynamicAnchor`: the outermost resource that has one decides what `$dynamicRef` names. */
  dynamic: Map<string, Path>;
  references: Set<JsonObject>;
  hasDynamicReferences: boolean;
}

interface Identifiers {
  /** Those that references name: the first one of each identifier. */
  resources: Map<string, Resource>;
  all: Resource[];
  copied: number;
}

const anchorsOf = new WeakMap<JsonObject, ReadonlyMap<string, Path>>();

/**
 * Writes references to `$id`, `$anchor` and `$dynamicAnchor` of JSON Schema, and to the `$self` of a description, as
 * JSON pointers into the same file. `text` is the file.
 */
export function resolveIdentifiers(document: JsonObject, text: string): void {
  if (!KEYWORDS.test(text)) return;
  const found = findIdentifiers(document);
  const all = found.all.flatMap((resource) =>
    Array.from(resource.references, (value) => ({ value, resource })),
  );
  // Before the references that they copy are written in another form.
  const copies = all.map(({ value, resource }) => copyTarget(found, value, resource, resource.dynamic, 0));
  for (const [at, { value, resource }] of all.entries()) {
    rewrite(found, value, resource, new Map());
    if (copies[at] !== null) replaceReference(value, copies[at]);
  }
}

/** The JSON pointer of an anchor of a file, without the encoding of a URI; null without it. */
export function anchorPointer(document: JsonObject, name: string): string | null {
  const path = anchorsOf.get(document)?.get(name);
  return path === undefined ? null : decodeURIComponent(pointerOf(path));
}

function findIdentifiers(document: JsonObject): Identifiers {
  const { $self, $id: id } = document;
  const base = typeof $self === 'string' ? $self : typeof id === 'string' ? id : '';
  const root = createResource(document, resolveUri(base, ''), null);
  const resources = new Map([[root.base, root]]);
  const all = [root];
  const known = new Set<object>();
  const visit = (value: object, path: Path, around: Resource, hasNames: boolean): void => {
    if (known.has(value)) return;
    known.add(value);
    const schema = isObject(value) && !hasNames ? value : null;
    const resource = schema === null ? around : enter(schema, path, around);
    if (resource !== around) all.push(resource);
    if (!resources.has(resource.base)) resources.set(resource.base, resource);
    const isDynamic = typeof schema?.$dynamicRef === 'string';
    if (isDynamic) resource.hasDynamicReferences = true;
    if (schema !== null && (isDynamic || typeof schema.$ref === 'string')) resource.references.add(schema);
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner !== 'object' || inner === null || (schema !== null && DATA.has(key))) continue;
      visit(inner, { key, up: path }, resource, schema !== null && NAMED.has(key));
    }
  };
  visit(document, null, root, false);
  const anchors = all.flatMap((one) => [...one.anchors]);
  anchorsOf.set(document, new Map(anchors.reverse()));
  return { resources, all, copied: 0 };
}

function createResource(value: JsonObject, base: string, path: Path): Resource {
  const names = { anchors: new Map(), dynamic: new Map() };
  return { value, base, path, ...names, references: new Set(), hasDynamicReferences: false };
}

/** Notes the identifiers of a schema. Returns the resource that it and what it contains belong to. */
function enter(schema: JsonObject, path: Path, around: Resource): Resource {
  const { $id, $anchor, $dynamicAnchor } = schema;
  let resource = around;
  if (typeof $id === 'string' && path !== null) {
    // Until draft 7, `$id` also names anchors.
    if ($id.startsWith('#')) around.anchors.set($id.slice(1), path);
    else resource = createResource(schema, resolveUri($id, around.base), path);
  }
  const { anchors, dynamic } = resource;
  for (const name of [$anchor, $dynamicAnchor])
    if (typeof name === 'string' && !anchors.has(name)) anchors.set(name, path);
  if (typeof $dynamicAnchor === 'string' && !dynamic.has($dynamicAnchor)) dynamic.set($dynamicAnchor, path);
  return resource;
}

/** What a reference names by an identifier of this file; null if it names none. */
function placeOf(
  { resources }: Identifiers,
  reference: string,
  around: Resource,
): { resource: Resource; pointer: string } | null {
  const uri = withoutFragment(reference);
  const fragment = reference.slice(uri.length + 1);
  const resource = uri === '' ? around : resources.get(resolveUri(uri, around.base));
  if (resource === undefined) return null;
  if (fragment === '') return { resource, pointer: pointerOf(resource.path) };
  if (fragment.startsWith('/')) {
    // Tools give schemas an `$id` and write pointers from the start of the file all the same.
    const isInside = uri !== '' || hasPlace(resource.value, fragment);
    return isInside ? { resource, pointer: pointerOf(resource.path) + fragment } : null;
  }
  const path = resource.anchors.get(fragment);
  return path === undefined ? null : { resource, pointer: pointerOf(path) };
}

function rewrite(
  found: Identifiers,
  value: JsonObject,
  resource: Resource,
  outer: ReadonlyMap<string, Path>,
): void {
  const { $ref, $dynamicRef } = value;
  if (typeof $ref === 'string') {
    const place = placeOf(found, $ref, resource);
    if (place !== null) value.$ref = `#${place.pointer}`;
  } else if (typeof $dynamicRef === 'string') {
    const path = outer.get($dynamicRef.slice(withoutFragment($dynamicRef).length + 1));
    const pointer = path === undefined ? placeOf(found, $dynamicRef, resource)?.pointer : pointerOf(path);
    if (pointer === undefined) return;
    value.$ref = `#${pointer}`;
    delete value.$dynamicRef;
  }
}

/**
 * A copy of the resource that a reference names, in which dynamic references name the anchors of `outer`: a list of any
 * items as the list of one type. Null if it has no dynamic references.
 */
function copyTarget(
  found: Identifiers,
  reference: JsonObject,
  around: Resource,
  outer: ReadonlyMap<string, Path>,
  depth: number,
): unknown {
  if (outer.size === 0 || depth > MAX_COPY_DEPTH || found.copied > MAX_COPIED) return null;
  if (typeof reference.$ref !== 'string') return null;
  const place = placeOf(found, reference.$ref, around);
  if (place === null || place.resource === around) return null;
  const { resource, pointer } = place;
  if (pointer !== pointerOf(resource.path)) return null;
  if (!resource.hasDynamicReferences) return null;
  const all = new Map([...resource.dynamic, ...outer]);
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (++found.copied > MAX_COPIED) return {};
    if (Array.isArray(value)) return value.map(copy);
    if (!isObject(value)) return value;
    const made: JsonObject = Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, copy(inner)]),
    );
    if (!resource.references.has(value)) return made;
    rewrite(found, made, resource, all);
    const inner = copyTarget(found, value, resource, all, depth + 1);
    if (inner !== null) replaceReference(made, inner);
    return made;
  };
  return copy(resource.value);
}

function replaceReference(value: JsonObject, target: unknown): void {
  delete value.$ref;
  value.allOf = [target, ...(Array.isArray(value.allOf) ? value.allOf : [])];
}

function hasPlace(document: unknown, pointer: string): boolean {
  let value = document;
  for (const segment of pointer.slice(1).split('/')) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return true;
}

/** A path as part of the fragment of a URI. */
function pointerOf(path: Path): string {
  const keys: string[] = [];
  for (let at = path; at !== null; at = at.up)
    keys.unshift(`/${encodeURIComponent(at.key.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
  return keys.join('');
}

const withoutFragment = (uri: string): string => uri.split('#', 1)[0] ?? '';

function resolveUri(reference: string, base: string): string {
  const uri = URL.parse(reference, base === '' ? undefined : base);
  return withoutFragment(uri?.href ?? reference);
}
