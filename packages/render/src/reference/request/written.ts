import type { Element, Node, Value } from '../../tree.ts';
import type { ApiScheme, ApiServer, ParameterPlace } from '../operation.ts';
import type { FormBody, FormField, FormParameter, FormProperty, RequestForm } from './types.ts';

/** An operation that a page describes by hand, with `api` in its front matter and `ParamField` in its text. */
export interface WrittenOperation {
  /** Upper case. */
  readonly method: string;
  /** A path, or a URL that names the server too. */
  readonly path: string;
  /** Base URLs of the API in docs.json. */
  readonly servers: readonly string[];
  readonly auth: { readonly method: string; readonly name: string | null } | null;
  /** Content type of the body; null = JSON. */
  readonly contentType: string | null;
}

const MAX_FIELDS = 300;
const PLACES = ['path', 'query', 'header', 'body'] as const;

/** The request of an operation whose fields are components of the page. */
export function writtenForm(operation: WrittenOperation, page: readonly Node[]): RequestForm {
  const fields = fieldsIn(page).slice(0, MAX_FIELDS);
  const url = /^(https?:\/\/[^/?#]+)(.*)$/i.exec(operation.path);
  const path = url === null ? operation.path : url[2] || '/';
  const servers = url?.[1] === undefined ? operation.servers : [url[1]];
  const parameters = fields.flatMap(parameterOf);
  const properties = fields.flatMap(propertyOf);
  return {
    method: operation.method,
    path,
    servers: servers.map(serverOf),
    security: schemesOf(operation.auth),
    parameters: [...impliedParameters(path, parameters), ...parameters],
    bodies: properties.length === 0 ? [] : [bodyOf(operation.contentType, properties)],
    isBodyRequired: properties.some(({ isRequired }) => isRequired),
  };
}

/** Fields of the page; those inside another field are part of its value. */
function fieldsIn(nodes: readonly Node[]): Element[] {
  return nodes.flatMap((node) => {
    if (node.type === 'element' && (node.name === 'ParamField' || node.name === 'Param')) return [node];
    return 'children' in node ? fieldsIn(node.children) : [];
  });
}

const textOf = (value: Value): string => (typeof value === 'string' ? value.trim() : '');
const isOn = (value: Value): boolean => value === true || value === 'true' || value === '';

function placeOf({ props }: Element): { place: (typeof PLACES)[number]; name: string } | null {
  const place = PLACES.find((each) => textOf(props[each]) !== '');
  return place === undefined ? null : { place, name: textOf(props[place]) };
}

function parameterOf(field: Element): FormParameter[] {
  const found = placeOf(field);
  if (found === null || found.place === 'body') return [];
  return [
    parameter(found.name, found.place, isOn(field.props.required) || found.place === 'path', fieldOf(field)),
  ];
}

function parameter(
  name: string,
  place: ParameterPlace,
  isRequired: boolean,
  field: FormField,
): FormParameter {
  const isPath = place === 'path' || place === 'header';
  return {
    name,
    in: place,
    isRequired,
    style: isPath ? 'simple' : 'form',
    explode: !isPath,
    allowReserved: false,
    contentType: null,
    field,
  };
}

/** Parameters of the path that no field describes. */
function impliedParameters(path: string, known: readonly FormParameter[]): FormParameter[] {
  const names = new Set([...path.matchAll(/\{([^{}/]{1,200})\}/g)].map(([, name = '']) => name));
  for (const { in: place, name } of known) if (place === 'path') names.delete(name);
  return [...names].map((name) =>
    parameter(name, 'path', true, { type: 'string', format: null, values: [] }),
  );
}

function propertyOf(field: Element): FormProperty[] {
  const found = placeOf(field);
  if (found?.place !== 'body') return [];
  return [{ name: found.name, isRequired: isOn(field.props.required), field: fieldOf(field) }];
}

const TYPES: readonly (readonly [RegExp, FormField['type']])[] = [
  [/\[\]$|^(?:array|list)\b/i, 'array'],
  [/^(?:integer|int\d*|long)\b/i, 'integer'],
  [/^(?:number|float|double|decimal)\b/i, 'number'],
  [/^bool(?:ean)?\b/i, 'boolean'],
  [/^(?:object|map|record|json|dict)\b/i, 'object'],
  [/^(?:file|binary)\b/i, 'file'],
  [/^(?:string|text|uuid|date|enum|url|email)\b|^$/i, 'string'],
];

function fieldOf({ props }: Element): FormField {
  const written = textOf(props.type);
  const type = TYPES.find(([pattern]) => pattern.test(written))?.[1] ?? 'any';
  const example = [props.initialValue, props.default, props.placeholder].find(isPlain);
  const values = Array.isArray(props.enum) ? props.enum.filter(isPlain) : [];
  return { type, format: null, values, ...(example === undefined ? {} : { example }) };
}

const isPlain = (value: Value): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function bodyOf(contentType: string | null, properties: readonly FormProperty[]): FormBody {
  return {
    type: contentType ?? 'application/json',
    field: { type: 'object', format: null, values: [], properties },
    encoding: {},
  };
}

const serverOf = (url: string): ApiServer => ({ url: url.trim(), description: null, variables: [] });

function schemesOf(auth: WrittenOperation['auth']): ApiScheme[][] {
  if (auth === null) return [];
  const facts = { description: null, scopes: [], initial: null };
  switch (auth.method.toLowerCase()) {
    case 'bearer':
    case 'basic':
      return [
        [{ ...facts, type: 'http', name: auth.method, scheme: auth.method.toLowerCase(), format: null }],
      ];
    case 'key':
      return [[{ ...facts, type: 'apiKey', name: 'key', in: 'header', key: auth.name ?? 'x-api-key' }]];
    default:
      return [];
  }
}
