import { isObject, type JsonObject } from '../config/json.ts';
import { resolvePath } from '../config/reference.ts';
import { METHODS } from './operation.ts';
import { type At, isReference, type Resolver } from './resolver.ts';
import { listOf, scalarText } from './values.ts';

/** Values that are copied from other files into one description; hostile references repeat a large one. */
const MAX_COPIED = 1_000_000;

interface Copying {
  resolver: Resolver;
  file: string;
  left: number;
}

/**
 * Replaces references of a Swagger 2.0 description to path items, parameters and responses in other files by what they
 * name. OpenAPI 3 writes these parts in another form, and the conversion sees one file only.
 */
export function inlineParts(document: JsonObject, file: string, resolver: Resolver): void {
  const copying: Copying = { resolver, file, left: MAX_COPIED };
  for (const holder of [document.paths, document.parameters, document.responses]) inlineIn(holder, copying);
  for (const item of isObject(document.paths) ? Object.values(document.paths) : []) {
    if (!isObject(item)) continue;
    inlineIn(item.parameters, copying);
    for (const method of METHODS) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      inlineIn(operation.parameters, copying);
      inlineIn(operation.responses, copying);
    }
  }
}

function inlineIn(holder: unknown, copying: Copying): void {
  const { resolver, file } = copying;
  const copyOf = (written: unknown): unknown => {
    if (!isReference(written) || written.$ref.startsWith('#')) return written;
    const target = resolver.resolve({ value: written, file, name: null });
    return target === null ? written : copy(target, copying);
  };
  if (Array.isArray(holder)) for (const [index, written] of holder.entries()) holder[index] = copyOf(written);
  else if (isObject(holder)) for (const name of Object.keys(holder)) holder[name] = copyOf(holder[name]);
}

/** The target of a reference, whose own references mean in the file what they mean in theirs; null without one. */
export function copyOfTarget(written: At, resolver: Resolver): unknown {
  const target = resolver.resolve(written);
  return target === null ? null : copy(target, { resolver, file: written.file, left: MAX_COPIED });
}

/** A copy whose references mean in the file of the description what they mean in their own. */
function copy({ value, file }: At, copying: Copying): unknown {
  if (--copying.left < 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => copy({ value: one, file, name: null }, copying));
  if (!isObject(value)) return value;
  const result: JsonObject = Object.create(null);
  for (const [key, one] of Object.entries(value))
    result[key] =
      key === '$ref' && typeof one === 'string'
        ? rebased(one, file, copying.file)
        : copy({ value: one, file, name: null }, copying);
  return result;
}

function rebased(reference: string, from: string, to: string): string {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(reference)) return reference;
  const [path = '', ...fragment] = reference.split('#');
  const target = path === '' ? from : resolvePath(from, path);
  if (target === null) return reference;
  return [target === to ? '' : `/${target}`, ...fragment].join('#');
}

/** Types of forms that can contain a file come first: readers and samples use the first one. */
const MULTIPART = 'multipart/form-data';

/** A form before the conversion. */
interface Form {
  readonly path: string;
  readonly method: string;
  readonly isRequired: boolean;
  /** Names of lists whose items tabs separate, for which OpenAPI 3 has no style. */
  readonly tabbed: readonly string[];
}

/**
 * Prepares forms for the conversion, which takes one with a file as a text, and leaves out fields by reference beside
 * others. Returns them for {@link completeForms}.
 */
export function prepareForms(document: JsonObject, file: string, resolver: Resolver): readonly Form[] {
  const copying: Copying = { resolver, file, left: MAX_COPIED };
  const forms: Form[] = [];
  for (const [path, item] of Object.entries(isObject(document.paths) ? document.paths : {})) {
    for (const method of METHODS) {
      const operation = isObject(item) ? item[method] : undefined;
      if (!isObject(operation) || !Array.isArray(operation.parameters)) continue;
      const fields = formOf(operation.parameters, document, copying);
      const lists = fields.filter(({ type }) => type === 'array');
      // The conversion leaves out the default.
      for (const list of lists) list.collectionFormat ??= 'csv';
      const tabbed = lists
        .filter((list) => list.collectionFormat === 'tsv')
        .map(({ name }) => scalarText(name));
      const isRequired = fields.some((field) => field.required === true);
      if (isRequired || tabbed.length > 0) forms.push({ path, method, isRequired, tabbed });
      const types = listOf(operation.consumes ?? document.consumes);
      if (types.includes(MULTIPART) && fields.some((field) => field.type === 'file'))
        operation.consumes = [MULTIPART, ...types.filter((type) => type !== MULTIPART)];
    }
  }
  return forms;
}

/** The fields of a form, which take the places of references to them. */
function formOf(parameters: unknown[], document: JsonObject, copying: Copying): JsonObject[] {
  return [...parameters.entries()].flatMap(([index, written]) => {
    const field = localParameter(written, document);
    if (!isObject(field) || field.in !== 'formData') return [];
    if (field !== written && copying.left > 0)
      parameters[index] = copy({ value: field, file: copying.file, name: null }, copying);
    return [field];
  });
}

function localParameter(written: unknown, { parameters }: JsonObject): unknown {
  const name = isReference(written) ? /^#\/parameters\/([^/]+)$/.exec(written.$ref)?.[1] : undefined;
  if (name === undefined) return written;
  return isObject(parameters) && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

/** Adds what the conversion leaves out. Forms with a required field are required. */
export function completeForms(document: JsonObject, forms: ReturnType<typeof prepareForms>): void {
  const { paths } = document;
  for (const { path, method, isRequired, tabbed } of forms) {
    const item = isObject(paths) ? paths[path] : undefined;
    const operation = isObject(item) ? item[method] : undefined;
    const body = isObject(operation) ? operation.requestBody : undefined;
    if (!isObject(body) || isReference(body)) continue;
    if (isRequired) body.required = true;
    const styles = Object.fromEntries(tabbed.map((name) => [name, { ...LIST_STYLES.tsv }]));
    for (const media of Object.values(isObject(body.content) ? body.content : {}))
      if (isObject(media) && tabbed.length > 0)
        media.encoding = { ...(isObject(media.encoding) ? media.encoding : {}), ...styles };
  }
}

/** What separates the items of a list: in queries as in OpenAPI 3, elsewhere only here. */
const LIST_STYLES: Readonly<Record<string, { style: string; explode: boolean }>> = {
  ssv: { style: 'spaceDelimited', explode: false },
  tsv: { style: 'tabDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
};

/** Gives parameters and headers the style of their `collectionFormat` where the conversion finds none. */
export function addListStyles(document: JsonObject): void {
  addStyles(document.parameters);
  addHeaderStyles(document.responses);
  for (const item of membersOf(document.paths)) {
    if (!isObject(item)) continue;
    addStyles(item.parameters);
    for (const method of METHODS) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      addStyles(operation.parameters);
      addHeaderStyles(operation.responses);
    }
  }
}

const membersOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];

function addHeaderStyles(responses: unknown): void {
  for (const response of membersOf(responses)) if (isObject(response)) addStyles(response.headers);
}

function addStyles(list: unknown): void {
  for (const one of membersOf(list)) {
    if (!isObject(one) || one.type !== 'array' || one.in === 'formData') continue;
    const format = one.collectionFormat;
    if (typeof format === 'string' && Object.hasOwn(LIST_STYLES, format))
      Object.assign(one, LIST_STYLES[format]);
  }
}

const WRITTEN: readonly (readonly [converted: string, written: string])[] = [
  ['#/components/schemas/', '#/definitions/'],
  ['#/components/parameters/', '#/parameters/'],
  ['#/components/requestBodies/', '#/parameters/'],
  ['#/components/responses/', '#/responses/'],
];

/** A reference as a description of Swagger 2.0 has it. */
export function asWritten(reference: string): string {
  for (const [converted, written] of WRITTEN)
    if (reference.startsWith(converted)) return `${written}${reference.slice(converted.length)}`;
  return reference;
}
