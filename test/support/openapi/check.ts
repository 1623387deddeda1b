import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { at, type Json } from './cut.ts';

export interface ApiRequest {
  method: string;
  /** Below the base path, encoded as sent, without a query. */
  path: string;
  query: URLSearchParams;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
}

export interface ApiCheck {
  /** The operation a request is for, such as `GET /pulls/{number}`; null when the description has none. */
  operationOf(method: string, path: string): string | null;
  /** What is wrong with a request by the description; properties and parameters it does not name are wrong. */
  checkRequest(request: ApiRequest): string[];
  /** Errors of the response to a request, by its status. */
  checkResponse(method: string, path: string, status: number, body: unknown): string[];
  /** What is wrong with a value by a schema of the description. */
  checkSchema(pointer: string, value: unknown): string[];
}

export interface CheckOptions {
  /** Schema of responses from 400 on whose status the operation does not list. Without it they are errors. */
  errors?: string;
  /** Path parameters that may hold slashes. */
  wide?: readonly string[];
}

const kept = new Map<string, { document: Json; check: ApiCheck }>();

/** The check of a file with a description, made once a process. */
export function readApi(file: URL, options: CheckOptions = {}): { document: Json; check: ApiCheck } {
  let api = kept.get(file.href);
  if (api === undefined) {
    const document = JSON.parse(readFileSync(file, 'utf8')) as Json;
    api = { document, check: createApiCheck(document, options) };
    kept.set(file.href, api);
  }
  return api;
}

interface Operation {
  name: string;
  pointer: string;
  method: string;
  pattern: RegExp;
  names: string[];
  literal: number;
  definition: Json;
  parameters: Parameter[];
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Json;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const ROOT = 'https://api.invalid/';

/** Checks requests and responses against an OpenAPI 3 document, closed: undescribed content is an error. */
export function createApiCheck(document: Json, options: CheckOptions = {}): ApiCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(toJsonSchema(document, false) as Json, ROOT);
  const validators = new Map<string, ValidateFunction>();
  const operations = readOperations(document, options.wide ?? []);

  const checkSchema = (pointer: string, value: unknown): string[] => {
    let validate = validators.get(pointer);
    if (validate === undefined) {
      // Spaces and braces of paths are not valid in a fragment.
      validate = ajv.compile({ $ref: `${ROOT}#${encodeURI(pointer.slice(1))}` });
      validators.set(pointer, validate);
    }
    return validate(value) ? [] : (validate.errors ?? []).slice(0, 5).map(sentence);
  };
  const find = (method: string, path: string): { operation: Operation; values: string[] } | null => {
    for (const operation of operations) {
      if (operation.method !== method.toLowerCase()) continue;
      const match = operation.pattern.exec(path);
      if (match !== null) return { operation, values: match.slice(1).map(decodeURIComponent) };
    }
    return null;
  };
  const checkParameter = ({ schema, name }: Parameter, text: string): string[] => {
    const validate = ajv.compile(toJsonSchema(inlined(document, schema), false) as Json);
    return validate(coerce(text, inlined(document, schema)))
      ? []
      : [`parameter ${name} "${text}" ${validate.errors?.[0]?.message}`];
  };

  return {
    operationOf: (method, path) => find(method, path)?.operation.name ?? null,
    checkSchema,
    checkRequest({ method, path, query, body }) {
      const found = find(method, path);
      if (found === null) return [`${method} ${path} is not in the description`];
      const { operation, values } = found;
      const faults: string[] = [];
      for (const [index, name] of operation.names.entries()) {
        const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name);
        if (parameter === undefined) faults.push(`path parameter ${name} is not described`);
        else faults.push(...checkParameter(parameter, values[index] ?? ''));
      }
      const inQuery = operation.parameters.filter((one) => one.in === 'query');
      for (const [name, text] of query) {
        const parameter = inQuery.find((one) => one.name === name);
        if (parameter === undefined) faults.push(`query parameter ${name} is not described`);
        else faults.push(...checkParameter(parameter, text));
      }
      for (const parameter of inQuery) {
        if (parameter.required && !query.has(parameter.name))
          faults.push(`query parameter ${parameter.name} is missing`);
      }
      const described = operation.definition.requestBody as Json | undefined;
      if (described === undefined && body !== undefined)
        faults.push('there is a body, and none is described');
      if (described !== undefined && body === undefined && described.required === true)
        faults.push('the body is missing');
      if (described !== undefined && body !== undefined) {
        const pointer = `${operation.pointer}/requestBody/content/application~1json/schema`;
        faults.push(...checkSchema(pointer, body).map((fault) => `body ${fault}`));
      }
      return faults.map((fault) => `${operation.name}: ${fault}`);
    },
    checkResponse(method, path, status, body) {
      const found = find(method, path);
      if (found === null) return [`${method} ${path} is not in the description`];
      const { operation } = found;
      const responses = operation.definition.responses as Json;
      const label = `${operation.name} ${status}:`;
      let pointer = `${operation.pointer}/responses/${status}`;
      let response = responses[String(status)] as Json | undefined;
      if (response === undefined) {
        if (status < 400 || options.errors === undefined) return [`${label} this status is not described`];
        return checkSchema(options.errors, body).map((fault) => `${label} ${fault}`);
      }
      while (typeof response.$ref === 'string') {
        pointer = response.$ref;
        response = at(document, pointer) as Json;
      }
      const content = response.content as Json | undefined;
      if (content === undefined)
        return body === null ? [] : [`${label} there is a body, and none is described`];
      return checkSchema(`${pointer}/content/application~1json/schema`, body).map(
        (fault) => `${label} ${fault}`,
      );
    },
  };
}

function readOperations(document: Json, wide: readonly string[]): Operation[] {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths as Record<string, Json>)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    const source = path
      .split(/\{\w+\}/)
      .map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'))
      .reduce(
        (left, right, index) => `${left}(${wide.includes(names[index - 1] ?? '') ? '.+' : '[^/]+'})${right}`,
      );
    for (const method of METHODS) {
      const definition = item[method] as Json | undefined;
      if (definition === undefined) continue;
      const all = [...((item.parameters as Json[]) ?? []), ...((definition.parameters as Json[]) ?? [])];
      operations.push({
        name: `${method.toUpperCase()} ${path}`,
        pointer: `#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`,
        method,
        pattern: new RegExp(`^${source}$`),
        names,
        literal: path.replace(/\{\w+\}/g, '').length,
        definition,
        parameters: all.map((one) => {
          const parameter = inlined(document, one);
          return { required: false, ...parameter } as unknown as Parameter;
        }),
      });
    }
  }
  // `/pulls/pinned` before `/pulls/{number}`, and a wide parameter last.
  return operations.sort((a, b) => a.names.length - b.names.length || b.literal - a.literal);
}

/** The object itself, or what its reference says. */
function inlined(document: Json, value: Json): Json {
  let object = value;
  while (typeof object.$ref === 'string') object = at(document, object.$ref) as Json;
  return object;
}

/** Schemas of OpenAPI 3.0 as those of JSON Schema: `nullable` is a type, and objects are closed. */
function toJsonSchema(value: unknown, isOpen: boolean): unknown {
  if (Array.isArray(value)) return value.map((member) => toJsonSchema(member, isOpen));
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...schema } = value as Json;
  const converted: Json = {};
  for (const [key, member] of Object.entries(schema)) {
    // Members of a union or a sum see each other's properties only from above.
    converted[key] = toJsonSchema(member, /^(?:allOf|anyOf|oneOf)$/.test(key));
  }
  const isObject = typeof converted.properties === 'object' && (converted.type ?? 'object') === 'object';
  if (isObject && !isOpen && converted.additionalProperties === undefined && converted.$ref === undefined)
    converted.unevaluatedProperties = false;
  if (nullable !== true) return converted;
  if (typeof converted.type === 'string' && converted.enum === undefined)
    return { ...converted, type: [converted.type, 'null'] };
  return { anyOf: [converted, { type: 'null' }] };
}

function coerce(text: string, schema: Json): unknown {
  const type = schema.type;
  if (type === 'integer' || type === 'number') return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'array') return text.split(',');
  return text;
}

function sentence(error: ErrorObject): string {
  const params = error.params as Json;
  const name = params.unevaluatedProperty ?? params.additionalProperty ?? params.missingProperty ?? '';
  return `${error.instancePath || '/'} ${error.message}${name === '' ? '' : ` (${name})`}`;
}
