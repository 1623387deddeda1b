import { isObject, type JsonObject } from '../../config/json.ts';
import {
  type ExampleBudget,
  exampleOf,
  fittingValue,
  hasDifferentItems,
  itemsNeeded,
  MAX_VALUES,
  membersOf,
  USUAL_TEXT,
} from '../example.ts';
import { isLong } from '../long-example.ts';
import type { ApiContent, ApiOperation, ApiParameter, ApiScheme } from '../operation.ts';
import type { At } from '../resolver.ts';
import type { Schema, Schemas } from '../schema.ts';
import { tableOf } from './table.ts';
import type { FormBody, FormEncoding, FormField, FormParameter, FormProperty, RequestForm } from './types.ts';
import { xmlOf } from './xml.ts';

/** Fields of a form, at all levels together. */
const MAX_FIELDS = 300;
const MAX_DEPTH = 6;

interface Reading {
  schemas: Schemas;
  /** Fields that may still be added. */
  left: number;
  /** Of the examples that are made: each object that is entered as JSON would have a large one. */
  budget: ExampleBudget;
  /** Schemas that contain the current one: one that contains itself is entered as JSON. */
  open: Set<unknown>;
}

/** What a form is made of. */
type Described = Pick<ApiOperation, 'method' | 'path' | 'servers' | 'security' | 'parameters' | 'body'> &
  Partial<Pick<ApiOperation, 'written'>>;

/** What readers enter to send a request, with examples. Properties that only responses have are left out. */
export function requestForm(operation: Described, schemas: Schemas): RequestForm {
  const reading: Reading = { schemas, left: MAX_FIELDS, budget: { left: MAX_VALUES }, open: new Set() };
  return {
    method: operation.method,
    path: operation.path,
    servers: operation.servers,
    security: knownSchemes(operation.security),
    parameters: operation.parameters.map((parameter) => parameterOf(parameter, reading)),
    bodies: (operation.body?.contents ?? []).map((content) => bodyOf(content, reading)),
    isBodyRequired: operation.body?.isRequired ?? false,
    ...expansionOf(operation.written ?? {}),
  };
}

/** Alternatives that a request can have. One that also needs a scheme of another kind is not among them. */
function knownSchemes(security: Described['security']): ApiScheme[][] {
  return security.flatMap((schemes) => {
    const known = schemes.filter((scheme) => scheme.type !== 'other');
    return known.length > 0 || schemes.length === 0 ? [known] : [];
  });
}

/** `x-mint.playground.expand` of an operation or a schema. */
function expansionOf({ 'x-mint': extension }: JsonObject): { isExpanded?: true } {
  const playground = isObject(extension) ? extension.playground : undefined;
  return isObject(playground) && playground.expand === true ? { isExpanded: true } : {};
}

function parameterOf(parameter: ApiParameter, reading: Reading): FormParameter {
  const { name, isRequired, style, explode, allowReserved, contentType } = parameter;
  const example = parameter.examples.find(({ value }) => !isLong(value));
  const isInExample = example !== undefined;
  const place = {
    depth: 0,
    isMultipart: false,
    files: NONE,
    isInExample,
    isBody: false,
    isNeeded: isRequired,
  };
  const field = fieldOf(parameter.schema, reading, place);
  return {
    ...{ name, in: parameter.in, isRequired, style, explode, allowReserved, contentType },
    field: example === undefined ? field : { ...field, example: example.value },
  };
}

function bodyOf(content: ApiContent, reading: Reading): FormBody {
  const { type } = content;
  const encoding = encodingOf({ ...content.encoding, ...content.partEncoding });
  return { type, field: bodyField(content, reading), encoding };
}

function bodyField(content: ApiContent, reading: Reading): FormField {
  const { type, schema } = content;
  // A text that is not JSON would be sent as a string of JSON.
  const example = content.examples.find(({ isRaw, value }) => isRaw !== true && !isLong(value));
  const given = example === undefined ? {} : { example: example.value };
  if (isFileBody(content, reading.schemas)) return { type: 'file', format: null, values: [] };
  if (isXml(type)) return textField(example?.value ?? xmlExample(content, reading.schemas));
  if (isStructured(type)) {
    if (schema === null) return { type: 'any', format: null, values: [], ...given };
    const isMultipart = /^multipart\//i.test(type);
    const files = isMultipart ? filesByEncoding(content.encoding) : NONE;
    const field = fieldOf(schema, reading, {
      ...{ depth: 0, isMultipart, files },
      isInExample: example !== undefined,
      isBody: true,
      isNeeded: true,
    });
    return { ...field, ...given };
  }
  const value =
    example?.value ??
    (schema === null
      ? undefined
      : exampleOf(schema, reading.schemas, { direction: 'request', isComplete: true }));
  return textField(tableOf(value, type) ?? value);
}

/** Text that is entered as it is sent. */
function textField(example: unknown): FormField {
  const plain: FormField = { type: 'string', format: null, values: [] };
  if (example === undefined || example === null) return plain;
  return { ...plain, example: typeof example === 'string' ? example : JSON.stringify(example, null, 2) };
}

function xmlExample({ schema }: ApiContent, schemas: Schemas): string | undefined {
  return schema === null ? undefined : xmlOf(schema, schemas, 'request');
}

export const isXml = (type: string): boolean => /[/+]xml(?:;|$)/i.test(type);

/** Content types whose value is JSON data. */
const isStructured = (type: string): boolean =>
  /[/+](?:x-)?(?:json|ndjson|jsonl|jsonlines|json-lines)(?:\s*;|$)|^multipart\/|^application\/x-www-form-urlencoded|^(?:\*|application)\/\*/i.test(
    type,
  );

const isText = (type: string): boolean =>
  isStructured(type) ||
  isXml(type) ||
  /^text\/|[/+](?:yaml|x-yaml|javascript|graphql|toml|sql|json-seq)(?:\s*;|$)/i.test(type);

function isFileBody({ type, schema }: ApiContent, schemas: Schemas): boolean {
  if (/^multipart\/|[/+](?:xml|json)(?:\s*;|$)/i.test(type)) return false;
  if (!isText(type)) return true;
  return schema !== null && isBinary(schemas.read(schema), writtenOf(schema, schemas));
}

/** Whether a value is a file whatever its content type says: `type: file` of Swagger 2.0. */
export function isFile(at: At, schemas: Schemas): boolean {
  const { types, format } = schemas.read(at);
  return format === 'binary' && types.length === 1 && types[0] === 'string';
}

const writtenOf = (at: At, schemas: Schemas): JsonObject => {
  const value = schemas.resolver.resolve(at)?.value;
  return isObject(value) ? value : {};
};

/** A string of bytes: `format` in OpenAPI 3.0, `contentMediaType` and `contentEncoding` in 3.1. */
function isBinary(schema: Schema, written: JsonObject): boolean {
  const [type = 'string'] = schema.types;
  if (type !== 'string') return false;
  if (schema.format === 'binary' || schema.format === 'base64') return true;
  const { contentMediaType, contentEncoding } = written;
  if (typeof contentMediaType === 'string') return !isText(contentMediaType);
  return typeof contentEncoding === 'string' && /^base64(?:url)?$/i.test(contentEncoding);
}

/** Properties of a multipart body whose content type is binary. */
function filesByEncoding(encoding: JsonObject): Set<string> {
  const names = Object.keys(encoding).filter((name) => {
    const one = encoding[name];
    return (
      isObject(one) && typeof one.contentType === 'string' && one.contentType.split(',').every(isMediaFile)
    );
  });
  return new Set(names);
}

const NONE: ReadonlySet<string> = new Set();

const isMediaFile = (type: string): boolean => type.includes('/') && !isText(type.trim());

interface Place {
  depth: number;
  /** Binary values are files. */
  isMultipart: boolean;
  /** Properties that are files by their content type. */
  files: ReadonlySet<string>;
  /** A value around this one has an example, which contains this one too. */
  isInExample: boolean;
  /** In a body. A parameter without an example is written as its name or type, which explains more than letters. */
  isBody: boolean;
  /** In a body or in a parameter that is required: samples have a value. */
  isNeeded: boolean;
}

function fieldOf(at: At, reading: Reading, place: Place): FormField {
  reading.left--;
  const { schemas, open } = reading;
  const schema = schemas.read(at);
  const target = schemas.resolver.resolve(at)?.value;
  const type = fieldType(schema);
  const values = schema.values.map(({ value }) => fittingValue(value, schema));
  const format = schema.format;
  const written = isObject(target) ? target : {};
  if (place.isMultipart && isBinary(schema, written)) return { type: 'file', format, values: [] };
  const plain = { type, format, values, ...expansionOf(written) };
  const isLeaf = open.has(target) || place.depth >= MAX_DEPTH || reading.left <= 0;
  const given = place.isInExample ? undefined : givenExample(at, written, schema, schemas);
  const isInExample = place.isInExample || given !== undefined;
  if (!isLeaf) open.add(target);
  const parts = isLeaf ? {} : partsOf(schema, type, reading, { ...place, isInExample });
  if (!isLeaf) open.delete(target);
  const field = { ...plain, ...parts };
  const isSent = place.isNeeded || parts.items?.example !== undefined;
  const isList = type === 'array' && isSent && hasDifferentItems(schema);
  const made = (): unknown =>
    isList
      ? exampleOf(at, schemas, { direction: 'request', isComplete: true, budget: reading.budget })
      : madeExample(at, field, reading, place.isBody && isLimited(schema));
  const example = isInExample ? given : made();
  return example === undefined ? field : { ...field, example };
}

function fieldType({ types, variants }: Schema): FormField['type'] {
  if (types.length === 2 && types.every((type) => type === 'integer' || type === 'number')) return 'number';
  const [type] = types;
  if (types.length !== 1 || (variants.length > 0 && type !== 'object')) return 'any';
  switch (type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'object':
    case 'array':
      return type;
    default:
      return 'any';
  }
}

function partsOf(
  schema: Schema,
  type: FormField['type'],
  reading: Reading,
  place: Place,
): Pick<FormField, 'properties' | 'items' | 'itemsNeeded'> {
  const { properties, undescribed, variants, patterns, items, prefix } = schema;
  const depth = place.depth + 1;
  if (type === 'array' && items !== null && prefix.length === 0) {
    const needed = itemsNeeded(schema);
    return {
      items: fieldOf(items, reading, { ...place, depth, files: NONE }),
      ...(needed === 1 ? {} : { itemsNeeded: needed }),
    };
  }
  // Only a property of the body itself is a part; what it contains is JSON.
  const isPart = place.isMultipart && place.depth === 0;
  const inner = { ...place, depth, isMultipart: isPart, files: NONE };
  const isKnown = variants.length === 0 && patterns.length === 0 && properties.length > 0;
  if (type !== 'object' || !isKnown || properties.length + undescribed.length > reading.left) return {};
  const made: FormProperty[] = [];
  const members = new Set(membersOf(schema).list.map(({ name }) => name));
  for (const { name, isRequired, schema: at } of properties) {
    const property = reading.schemas.read(at);
    if (property.isReadOnly) continue;
    // A property of the last level is entered as JSON, so none is missing.
    const field = fieldOf(at, reading, inner);
    const isFile = place.files.has(name);
    const use = isRequired || members.has(name) ? {} : { isOmitted: true as const };
    made.push({ name, isRequired, ...use, field: isFile ? fileOf(field) : field });
  }
  for (const name of undescribed) {
    const at = schema.additional ?? { value: {}, file: '', name: null };
    made.push({ name, isRequired: true, field: fieldOf(at, reading, inner) });
  }
  return { properties: made };
}

/** A binary property, or a list of them. */
function fileOf(field: FormField): FormField {
  const file: FormField = { type: 'file', format: field.format, values: [] };
  return field.type === 'array' ? { type: 'array', format: null, values: [], items: file } : file;
}

/** The example that the description gives. */
function givenExample({ value }: At, written: JsonObject, schema: Schema, schemas: Schemas): unknown {
  const own = [value, written].find((one) => isObject(one) && one['x-default'] !== undefined);
  const initial = isObject(own) ? own['x-default'] : undefined;
  if (initial != null && !isLong(initial)) return initial;
  const { examples, values } = schema;
  const given = [examples[0], schema.default?.value, values[0]?.value]
    .map((one) => (isLong(one) ? undefined : fittingValue(one, schema)))
    .find((one) => one != null);
  return given === undefined ? undefined : withoutReadOnly(given, schema, schemas);
}

/** Whether the usual text of a string may be none that the schema allows. */
const isLimited = ({ limits }: Schema): boolean =>
  ['pattern', 'minLength', 'maxLength'].some((limit) => limits.has(limit));

/**
 * One is made for values that forms have no parts for, and for types whose values are recognizable. Others are made when a
 * sample needs them.
 */
function madeExample(
  at: At,
  field: FormField,
  { schemas, budget }: Reading,
  isLimitedText: boolean,
): unknown {
  if (field.properties !== undefined || field.items !== undefined) return undefined;
  const isText = field.type === 'string' && field.format === null;
  if (isText && !isLimitedText) return undefined;
  const made = exampleOf(at, schemas, { direction: 'request', isComplete: true, budget });
  return isText && made === USUAL_TEXT ? undefined : made;
}

/** Examples of whole objects often show what only responses have. */
function withoutReadOnly(given: unknown, schema: Schema, schemas: Schemas): unknown {
  if (!isObject(given)) return given;
  const names = new Set(
    schema.properties.filter(({ schema: at }) => schemas.read(at).isReadOnly).map(({ name }) => name),
  );
  if (names.size === 0) return given;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)));
}

function encodingOf(written: JsonObject): Record<string, FormEncoding> {
  return Object.fromEntries(
    Object.entries(written).flatMap(([name, one]) => {
      if (!isObject(one)) return [];
      const { contentType, style, explode, allowReserved } = one;
      const encoding: FormEncoding = {
        ...(typeof contentType === 'string' ? { contentType } : {}),
        ...(typeof style === 'string' ? { style } : {}),
        ...(typeof explode === 'boolean' ? { explode } : {}),
        ...(typeof allowReserved === 'boolean' ? { allowReserved } : {}),
      };
      return [[name, encoding]];
    }),
  );
}
