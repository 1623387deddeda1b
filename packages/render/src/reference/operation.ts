import { isObject, type JsonObject } from '../config/json.ts';
import { parseJson } from './parse.ts';
import { firstOf, type Reading } from './reading.ts';
import { type At, containerAt, exampleAt, isReference, type Resolver } from './resolver.ts';
import { type ApiScheme, type OtherScheme, securityOf } from './schemes.ts';
import { isJsonType, listOf, scalarText, textOf } from './values.ts';

export type { ApiFlow, ApiScheme, OtherScheme } from './schemes.ts';

/** One operation, webhook or callback of an OpenAPI 3 description. Schemas are read when they are shown. */
export interface ApiOperation {
  /** Upper case; of a webhook that of its request. */
  readonly method: string;
  /** Path with `{parameters}`; name of a webhook; expression of a callback. */
  readonly path: string;
  readonly isWebhook: boolean;
  readonly servers: readonly ApiServer[];
  /** Alternatives, each the schemes that a request needs together; an empty one makes authentication optional. */
  readonly security: readonly (readonly (ApiScheme | OtherScheme)[])[];
  readonly parameters: readonly ApiParameter[];
  readonly body: ApiBody | null;
  readonly responses: readonly ApiResponse[];
  readonly callbacks: readonly ApiCallback[];
  /** Operations of the other methods of a webhook, which has one page. */
  readonly others: readonly ApiOperation[];
  /** Samples of code that the description gives. */
  readonly samples: readonly GivenSample[];
  /** The operation as written, for what only some readers need (`externalDocs`). */
  readonly written: JsonObject;
  /** What is written for all operations of its path. */
  readonly shared: JsonObject;
  /** Summary and description of its path, as far as they are not those of the operation. */
  readonly pathTexts: readonly string[];
}

export interface GivenSample {
  readonly lang: string | null;
  readonly label: string | null;
  readonly source: string;
}

export interface ApiServer {
  /** As written, with `{variables}`. */
  readonly url: string;
  readonly description: string | null;
  readonly variables: readonly ApiVariable[];
}

export interface ApiVariable {
  readonly name: string;
  readonly default: string;
  readonly values: readonly string[];
  readonly description: string | null;
}

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie' | 'querystring';

export interface ApiParameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly isRequired: boolean;
  readonly deprecated: boolean;
  readonly description: string | null;
  readonly schema: At;
  /** How lists and objects are written: `simple`, `form`, `deepObject`. */
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** It may be sent without a value. */
  readonly allowsEmpty: boolean;
  /** Set if the value is written in that content type. */
  readonly contentType: string | null;
  readonly examples: readonly ApiExample[];
  readonly remoteExamples: readonly ApiRemoteExample[];
}

/** A body of a request or response in one content type. */
export interface ApiContent {
  readonly type: string;
  /** Null without a schema. */
  readonly schema: At | null;
  /** Schema of each event of a stream. */
  readonly itemSchema: At | null;
  readonly examples: readonly ApiExample[];
  readonly remoteExamples: readonly ApiRemoteExample[];
  /** `encoding` as written, by property. */
  readonly encoding: JsonObject;
  /** Encodings of the parts of a multipart body that have no names, by their place: `[0]`, or `[2…]` for all from the third. */
  readonly partEncoding?: JsonObject;
  /** Headers of the parts of a multipart body, by property or place. */
  readonly partHeaders?: ReadonlyMap<string, readonly ApiParameter[]>;
}

export interface ApiExample {
  /** Summary or name; null without them. */
  readonly title: string | null;
  readonly description: string | null;
  readonly value: unknown;
  /** The value is the text of a body, which is not JSON although the content type is. */
  readonly isRaw?: true;
}

/** An example that is not in the description, but in another place. */
export interface ApiRemoteExample extends Omit<ApiExample, 'value'> {
  /** As written: it may be relative. */
  readonly url: string;
}

export interface ApiBody {
  readonly isRequired: boolean;
  readonly description: string | null;
  readonly contents: readonly ApiContent[];
}

export interface ApiResponse {
  /** `200`, `4XX` or `default`. */
  readonly status: string;
  readonly description: string | null;
  readonly contents: readonly ApiContent[];
  readonly headers: readonly ApiParameter[];
  readonly links: readonly ApiLink[];
}

/** A request that may follow a response. */
export interface ApiLink {
  readonly name: string;
  /** Its id or the reference to it. */
  readonly operation: string | null;
  /** Names and where their values come from: expressions or values. */
  readonly parameters: readonly (readonly [string, unknown])[];
  /** The same for the body; undefined without one. */
  readonly body: unknown;
  /** To which the request is sent; null for those of the operation. */
  readonly server: ApiServer | null;
  readonly description: string | null;
}

export interface ApiCallback {
  readonly name: string;
  readonly operations: readonly ApiOperation[];
}

/** Where an operation is. */
export interface OperationPlace {
  readonly document: JsonObject;
  readonly file: string;
  /** The path item with the operation. */
  readonly item: At<JsonObject>;
  readonly method: string;
  readonly path: string;
  readonly isWebhook: boolean;
}

const MAX_PARAMETERS = 500;
/** Samples that a description gives. */
const MAX_SAMPLES = 40;
const MAX_RESPONSES = 60;
const MAX_CONTENTS = 12;
const MAX_EXAMPLES = 24;
const MAX_CALLBACKS = 20;
const MAX_LINKS = 50;
const MAX_SERVERS = 50;

/** Lower-case methods of path items. */
export const METHODS: readonly string[] = [
  ...['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'],
];

export function readOperation(place: OperationPlace, resolver: Resolver): ApiOperation | null {
  const operation = memberOf(place.item.value, place.method);
  if (operation === null) return null;
  return read({ ...place, operation }, { resolver, document: place.document, file: place.file }, 0);
}

/** The operation of a method in a path item; null if it has none. */
export function memberOf(item: JsonObject, method: string): JsonObject | null {
  const key = method.toLowerCase();
  const own = METHODS.includes(key) ? item[key] : undefined;
  if (isObject(own)) return own;
  const others = item.additionalOperations;
  if (!isObject(others)) return null;
  const name = Object.keys(others).find((one) => one.toUpperCase() === method.toUpperCase());
  const other = name === undefined ? undefined : others[name];
  return isObject(other) ? other : null;
}

type Found = Pick<OperationPlace, 'item' | 'method' | 'path' | 'isWebhook'> & { operation: JsonObject };

function read(found: Found, reading: Reading, depth: number): ApiOperation {
  const { operation, item, method, path, isWebhook } = found;
  const { document } = reading;
  const at = { ...item, value: operation };
  const { resolver, file } = reading;
  const servers = [
    { ...at, value: operation.servers },
    { ...item, value: item.value.servers },
    { value: document.servers, file, name: null },
  ]
    .map((list) => containerAt(list, resolver).value)
    .find((list) => Array.isArray(list) && list.length > 0);
  const required = [
    { ...at, value: operation.security },
    // What the whole API requires is of requests that it receives.
    { value: isWebhook ? [] : document.security, file, name: null },
  ].find(({ value }) => value !== undefined && value !== null);
  return {
    method: method.toUpperCase(),
    path,
    isWebhook,
    servers: isWebhook ? [] : serversOf(firstOf(listOf(servers), MAX_SERVERS, 'servers', reading)),
    security: securityOf(required === undefined ? [] : containerAt(required, resolver).value, reading),
    parameters: parametersOf(
      [
        { ...item, value: item.value.parameters },
        { ...at, value: operation.parameters },
      ],
      reading,
    ),
    body: bodyOf({ ...at, value: operation.requestBody }, reading),
    responses: responsesOf({ ...at, value: operation.responses }, reading),
    callbacks: depth > 0 ? [] : callbacksOf({ ...at, value: operation.callbacks }, reading),
    others:
      depth > 0 || !isWebhook ? [] : innerOf(item, path, reading).filter((one) => one.written !== operation),
    samples: samplesOf({ ...at, value: operation }, reading),
    written: operation,
    pathTexts: pathTextsOf(item.value, operation),
    shared: Object.fromEntries(SHARED.flatMap((key) => (key in item.value ? [[key, item.value[key]]] : []))),
  };
}

function pathTextsOf({ summary, description }: JsonObject, operation: JsonObject): string[] {
  const own = new Set([textOf(operation.summary), textOf(operation.description)]);
  return [textOf(summary), textOf(description)].filter((one) => one !== null).filter((one) => !own.has(one));
}

const SHARED = ['servers', 'parameters'];

/** A sample, its code or both may be in files of their own. */
function samplesOf({ value, file }: At<JsonObject>, reading: Reading): GivenSample[] {
  const lists = [value['x-codeSamples'], value['x-code-samples']];
  return lists.flatMap((written) => {
    const list = reading.resolver.resolve({ value: written, file, name: null });
    return listOf(list?.value)
      .slice(0, MAX_SAMPLES)
      .flatMap((sample) => {
        const at = objectAt(sample, list?.file ?? file, reading);
        if (at === null) return [];
        const { lang, label, source } = at.value;
        const text = isReference(source) ? reading.resolver.text({ ...at, value: source }) : source;
        return typeof text === 'string' ? [{ lang: textOf(lang), label: textOf(label), source: text }] : [];
      });
  });
}

function serversOf(written: unknown): ApiServer[] {
  return listOf(written).flatMap((server) => {
    if (!isObject(server) || typeof server.url !== 'string') return [];
    const variables = Object.entries(isObject(server.variables) ? server.variables : {});
    return [
      {
        url: server.url.trim(),
        description: joined([textOf(server.name), textOf(server.description)], ': '),
        variables: variables.flatMap(([name, variable]) =>
          isObject(variable)
            ? [
                {
                  name,
                  default: scalarText(variable.default),
                  values: listOf(variable.enum).map(scalarText),
                  description: textOf(variable.description),
                },
              ]
            : [],
        ),
      },
    ];
  });
}

/** What is written of two texts. */
function joined(texts: readonly (string | null)[], between: string): string | null {
  const written = texts.filter((one) => one !== null);
  return written.length === 0 ? null : written.join(between);
}

/** An object that may be a reference, whose own description counts. */
function objectAt(written: unknown, file: string, { resolver }: Reading): At<JsonObject> | null {
  const at = resolver.resolve({ value: written, file, name: null });
  if (at === null || !isObject(at.value)) return null;
  const description = isReference(written) ? textOf(written.description) : null;
  return { ...at, value: description === null ? at.value : { ...at.value, description } };
}

/** Of two parameters of one name and place, that of the operation counts. */
function parametersOf(lists: readonly At[], reading: Reading): ApiParameter[] {
  const found = new Map<string, ApiParameter>();
  for (const list of lists) {
    const { value, file } = containerAt(list, reading.resolver);
    for (const written of firstOf(listOf(value), MAX_PARAMETERS, 'parameters', reading)) {
      const at = objectAt(written, file, reading);
      if (at === null) continue;
      const { in: place, name } = at.value;
      if (typeof name !== 'string' || !isPlace(place)) continue;
      found.set(`${place}\n${name}`, parameterOf(name, place, at, reading));
    }
  }
  return [...found.values()];
}

const isPlace = (place: unknown): place is ParameterPlace =>
  place === 'path' ||
  place === 'query' ||
  place === 'header' ||
  place === 'cookie' ||
  place === 'querystring';

/** How parameters are written where they do not say it. */
export const STYLES = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
  querystring: 'form',
} as const;

/** `explode` where a parameter does not say it. */
export const explodesByDefault = (style: string): boolean => style === 'form' || style === 'cookie';

function parameterOf(
  name: string,
  place: ParameterPlace,
  at: At<JsonObject>,
  reading: Reading,
): ApiParameter {
  const { value, file } = at;
  const [content] = contentsOf({ ...at, value: value.content }, reading);
  const style = textOf(value.style) ?? STYLES[place];
  return {
    name,
    in: place,
    isRequired: value.required === true || place === 'path',
    deprecated: value.deprecated === true,
    description: textOf(value.description),
    schema: content?.schema ?? { value: value.schema ?? {}, file, name: null },
    style,
    explode: typeof value.explode === 'boolean' ? value.explode : explodesByDefault(style),
    allowReserved: value.allowReserved === true,
    allowsEmpty: value.allowEmptyValue === true,
    contentType: content?.type ?? null,
    examples: [...examplesOf(at, null, reading), ...(content?.examples ?? [])],
    remoteExamples: [...remoteExamplesOf(at, reading), ...(content?.remoteExamples ?? [])],
  };
}

/** `type` is null for values that are not written in a content type. */
function examplesOf(at: At<JsonObject>, type: string | null, reading: Reading): ApiExample[] {
  const isString = (): boolean => {
    const { schema } = at.value;
    const value = reading.resolver.resolve({ value: schema, file: at.file, name: null })?.value;
    return isObject(value) && [value.type].flat().includes('string');
  };
  const { resolver } = reading;
  const found = namedExamples(at, reading).flatMap(({ written, file, ...about }): ApiExample[] => {
    const own = written.value ?? written.dataValue ?? written.serializedValue;
    const value = exampleAt({ value: own, file, name: null }, resolver);
    return value === undefined ? [] : [{ ...about, ...readExample(value, type, isString) }];
  });
  const example = exampleAt({ ...at, value: at.value.example }, resolver);
  if (found.length === 0 && example !== undefined)
    found.push({ title: null, description: null, ...readExample(example, type, isString) });
  return found;
}

/** Many generators write an object or a list as a text of JSON; it stands for its value, unless the body is a string. */
function readExample(
  value: unknown,
  type: string | null,
  isString: () => boolean,
): Pick<ApiExample, 'value' | 'isRaw'> {
  const isCandidate =
    typeof value === 'string' && type !== null && isJsonType(type) && /^\s*[[{]/.test(value);
  if (!isCandidate || isString()) return { value };
  const parsed = parseJson(value);
  return parsed === undefined ? { value, isRaw: true } : { value: parsed };
}

function remoteExamplesOf(at: At<JsonObject>, reading: Reading): ApiRemoteExample[] {
  return namedExamples(at, reading).flatMap(({ written, file: _file, ...about }) => {
    const url = textOf(written.externalValue);
    // Other schemes lead to no example.
    return url === null || /^(?!https?:)[a-z][a-z\d+.-]*:/i.test(url) ? [] : [{ ...about, url }];
  });
}

type NamedExample = Omit<ApiExample, 'value'> & { readonly written: JsonObject; readonly file: string };

function namedExamples(at: At<JsonObject>, { resolver }: Reading): NamedExample[] {
  const { value: examples, file } = containerAt({ ...at, value: at.value.examples }, resolver);
  if (!isObject(examples)) return [];
  return Object.keys(examples)
    .slice(0, MAX_EXAMPLES)
    .flatMap((name) => {
      const example = resolver.resolve({ value: examples[name], file, name: null });
      if (example === null || !isObject(example.value)) return [];
      const { value: written } = example;
      const title = textOf(written.summary) ?? name;
      return [{ title, description: textOf(written.description), written, file: example.file }];
    });
}

function contentsOf(at: At, reading: Reading): ApiContent[] {
  const { value, file } = containerAt(at, reading.resolver);
  if (!isObject(value)) return [];
  return firstOf(Object.keys(value), MAX_CONTENTS, 'content types', reading).flatMap((type) => {
    const at = reading.resolver.resolve({ value: value[type], file, name: null });
    if (at === null || !isObject(at.value)) return [];
    const media = at.value;
    const schemaAt = (schema: unknown): At | null =>
      schema === undefined ? null : { value: schema, file: at.file, name: null };
    const encoding = isObject(media.encoding) ? media.encoding : {};
    const partEncoding = partEncodingOf(media);
    return [
      {
        type,
        schema: schemaAt(media.schema),
        itemSchema: schemaAt(media.itemSchema),
        examples: examplesOf({ ...at, value: media }, type, reading),
        remoteExamples: remoteExamplesOf({ ...at, value: media }, reading),
        encoding,
        partEncoding,
        partHeaders: partHeadersOf({ ...at, value: { ...encoding, ...partEncoding } }, reading),
      },
    ];
  });
}

function partEncodingOf({ prefixEncoding, itemEncoding }: JsonObject): JsonObject {
  const first = listOf(prefixEncoding).slice(0, MAX_PARAMETERS);
  const rest = isObject(itemEncoding) ? [[`[${first.length}…]`, itemEncoding]] : [];
  return Object.fromEntries([...first.map((one, index) => [`[${index}]`, one]), ...rest]);
}

function partHeadersOf({ value, file }: At, reading: Reading): ReadonlyMap<string, ApiParameter[]> {
  const encodings = Object.entries(isObject(value) ? value : {}).slice(0, MAX_PARAMETERS);
  const headers = encodings.flatMap(([name, encoding]) => {
    const own = isObject(encoding) ? headersOf({ value: encoding.headers, file, name: null }, reading) : [];
    return own.length === 0 ? [] : [[name, own] as const];
  });
  return new Map(
    headers.map(([name, own]) => [name, own.filter((one) => !/^content-type$/i.test(one.name))]),
  );
}

function bodyOf(written: At, reading: Reading): ApiBody | null {
  if (written.value === undefined) return null;
  const at = objectAt(written.value, written.file, reading);
  if (at === null) return null;
  const { required, description, content } = at.value;
  return {
    isRequired: required === true,
    description: textOf(description),
    contents: contentsOf({ ...at, value: content }, reading),
  };
}

function responsesOf(written: At, reading: Reading): ApiResponse[] {
  const { value, file } = containerAt(written, reading.resolver);
  if (!isObject(value)) return [];
  const all = Object.keys(value).filter((status) => /^(?:[1-5](?:\d\d|xx)|default)$/i.test(status));
  return firstOf(all, MAX_RESPONSES, 'responses', reading).flatMap((status) => {
    // A response without a target, which is reported, may still be returned.
    const at = objectAt(value[status], file, reading) ?? { value: {}, file, name: null };
    return [
      {
        status: status === 'default' ? status : status.toUpperCase(),
        description: joined([textOf(at.value.summary), textOf(at.value.description)], '\n\n'),
        contents: contentsOf({ ...at, value: at.value.content }, reading),
        headers: headersOf({ ...at, value: at.value.headers }, reading),
        links: linksOf({ ...at, value: at.value.links }, reading),
      },
    ];
  });
}

function headersOf(written: At, reading: Reading): ApiParameter[] {
  const { value, file } = containerAt(written, reading.resolver);
  if (!isObject(value)) return [];
  return firstOf(Object.keys(value), MAX_PARAMETERS, 'headers of a response', reading).flatMap((name) => {
    const at = objectAt(value[name], file, reading);
    return at === null ? [] : [parameterOf(name, 'header', at, reading)];
  });
}

function linksOf(written: At, reading: Reading): ApiLink[] {
  const { value, file } = containerAt(written, reading.resolver);
  if (!isObject(value)) return [];
  return firstOf(Object.keys(value), MAX_LINKS, 'links of a response', reading).flatMap((name) => {
    const link = objectAt(value[name], file, reading)?.value;
    if (link === undefined) return [];
    return [
      {
        name,
        operation: textOf(link.operationId) ?? textOf(link.operationRef),
        parameters: Object.entries(isObject(link.parameters) ? link.parameters : {}).slice(0, MAX_LINKS),
        body: link.requestBody,
        server: serversOf([link.server])[0] ?? null,
        description: textOf(link.description),
      },
    ];
  });
}

function callbacksOf(written: At, reading: Reading): ApiCallback[] {
  const { value, file } = containerAt(written, reading.resolver);
  if (!isObject(value)) return [];
  return firstOf(Object.keys(value), MAX_CALLBACKS, 'callbacks', reading).flatMap((name) => {
    const callback = reading.resolver.resolve({ value: value[name], file, name: null });
    if (callback === null || !isObject(callback.value)) return [];
    const items = callback.value;
    const paths = firstOf(Object.keys(items), MAX_CALLBACKS, 'paths in a callback', reading);
    const operations = paths.flatMap((path) => {
      const item = reading.resolver.resolve({ value: items[path], file: callback.file, name: null });
      if (item === null || !isObject(item.value)) return [];
      return innerOf({ ...item, value: item.value }, path, reading);
    });
    return operations.length === 0 ? [] : [{ name, operations }];
  });
}

/** Operations of a path item that another page shows: of a callback or a webhook. */
function innerOf(item: At<JsonObject>, path: string, reading: Reading): ApiOperation[] {
  const { additionalOperations: others } = item.value;
  const names = isObject(others)
    ? Object.keys(others).filter((one) => !METHODS.includes(one.toLowerCase()))
    : [];
  const methods = [...METHODS, ...firstOf(names, MAX_CALLBACKS, 'further methods of a path', reading)];
  return methods.flatMap((method) => {
    const operation = memberOf(item.value, method);
    return operation === null ? [] : [read({ operation, item, method, path, isWebhook: true }, reading, 1)];
  });
}
