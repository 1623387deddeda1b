import { isObject, type JsonObject } from '../config/json.ts';
import type { Strings } from '../theme/strings.ts';
import type { Node } from '../tree.ts';
import { documentationNodes } from './documentation.ts';
import { exampleOf } from './example.ts';
import {
  addFields,
  addNested,
  type FieldFacts,
  type FieldScope,
  fieldNode,
  idOf,
  withText,
} from './fields.ts';
import {
  aboutExamples,
  bodyExamples,
  examplesOf,
  givenBodies,
  remoteBodyExamples,
  remoteNodes,
  responseExamples,
  titleOf,
} from './given-examples.ts';
import { linkNodes } from './links.ts';
import {
  type ApiContent,
  type ApiOperation,
  type ApiParameter,
  type ApiResponse,
  type ApiVariable,
  explodesByDefault,
  STYLES,
} from './operation.ts';
import type { At } from './resolver.ts';
import { findLanguage } from './samples/index.ts';
import type { Schemas } from './schema.ts';
import { alternativeNodes, authorizationNodes } from './security.ts';
import { variablesOf } from './servers.ts';
import { code, element, fence, heading, paragraph, text } from './tree.ts';
import { typeLabel } from './type-label.ts';

/** Properties of a form whose encodings are shown. */
const MAX_ENCODINGS = 200;

/** What a page shows of an operation. */
export interface ReferenceOptions {
  readonly schemas: Schemas;
  readonly strings: Strings;
  /** Markdown of the description as nodes. */
  markdown(written: string): Node[];
  /** Extension keys whose values are shown beside a name. */
  readonly post: readonly string[];
  /** URL path of the page of a schema; null if it has none. */
  pageOf(schema: At, name: string): string | null;
  /** Nested fields are open initially. */
  readonly isExpanded: boolean;
  /** Samples of the request, in the order of their languages. */
  readonly samples: readonly ReferenceSample[];
  /** The page itself has the example. */
  readonly has: { readonly request: boolean; readonly response: boolean };
}

export interface ReferenceSample {
  /** Key of its language; null for a sample that the description gives. */
  readonly key: string | null;
  readonly label: string;
  /** Language of the highlighting. */
  readonly lang: string;
  readonly code: string;
}

/** The reference of an operation, as a page could have written it with components. */
export function referenceNodes(operation: ApiOperation, options: ReferenceOptions): Node[] {
  const scope: FieldScope = { ...options, waiting: [], shown: 0 };
  const nodes = [
    ...operation.pathTexts.flatMap((one) => scope.markdown(one)),
    ...documentationNodes(operation.written.externalDocs, scope),
    ...serverNodes(operation, scope),
    ...authorizationNodes(operation.security, scope),
    ...parameterNodes(operation.parameters, scope),
    ...bodyNodes(operation, 'request-body', scope, samplesHaveBody(operation, options)),
    ...responseNodes(operation, scope),
    ...callbackNodes(operation, scope),
    ...otherNodes(operation, scope),
  ];
  addNested(scope);
  return [...nodes, ...exampleNodes(operation, options)];
}

/** The reference of a data model. */
export function schemaNodes(at: At, options: ReferenceOptions): Node[] {
  const scope: FieldScope = { ...options, waiting: [], shown: 0 };
  const nodes = mediaNodes(
    { type: '', schema: at, itemSchema: null, examples: [], remoteExamples: [], encoding: {} },
    'schema',
    'response',
    scope,
    'page-title',
  );
  addNested(scope);
  const example = exampleOf(at, options.schemas, { direction: 'response', isComplete: true });
  if (options.has.response || example === undefined) return nodes;
  const shown = fence(JSON.stringify(example, null, 2), 'json', titleOf(options.strings.example));
  return [...nodes, element('ResponseExample', {}, [shown])];
}

function serverNodes({ servers }: ApiOperation, scope: FieldScope): Node[] {
  const { strings } = scope;
  // The site of the docs itself says nothing of the API.
  if (servers.every(({ url }) => url === '' || url === '/')) return [];
  const nodes: Node[] = [heading(2, strings.servers, 'servers')];
  const { own, common } = variablesOf(servers);
  for (const [index, server] of servers.entries()) {
    nodes.push(...withText([code(server.url)], server.description, scope));
    const prefix = index === 0 ? 'server' : `server-${index + 1}`;
    nodes.push(...(own[index] ?? []).map((one) => variableNode(one, prefix, scope)));
  }
  return [...nodes, ...common.map((one) => variableNode(one, 'server', scope))];
}

function variableNode(variable: ApiVariable, prefix: string, scope: FieldScope): Node {
  const { name, description, default: value, values } = variable;
  const schema = { type: 'string', default: value, enum: values.length > 0 ? values : undefined };
  return fieldNode(
    { ...optional(name), description },
    { value: schema, file: '', name: null },
    { id: `${prefix}-${idOf(name)}`, direction: 'request', around: [], depth: 0 },
    scope,
  );
}

const optional = (name: string): FieldFacts => ({
  name,
  isRequired: false,
  deprecated: false,
  description: null,
});

const SECTIONS = [
  ['path', 'pathParameters'],
  ['query', 'queryParameters'],
  ['querystring', 'queryParameters'],
  ['header', 'headerParameters'],
  ['cookie', 'cookieParameters'],
] as const;

function parameterNodes(parameters: readonly ApiParameter[], scope: FieldScope): Node[] {
  return SECTIONS.flatMap(([place, word]) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    if (own.length === 0) return [];
    const fields = own.map((parameter) =>
      parameterNode(parameter, `parameter-${idOf(parameter.name)}`, scope),
    );
    return [heading(2, scope.strings[word], `${place}-parameters`), ...fields];
  });
}

const PROPS = {
  path: 'path',
  query: 'query',
  header: 'header',
  querystring: 'query',
  cookie: 'name',
} as const;

function parameterNode(parameter: ApiParameter, id: string, scope: FieldScope): Node {
  const { name, isRequired, deprecated, description, examples } = parameter;
  const pills = [
    ...(parameter.in === 'cookie' ? ['cookie'] : []),
    ...formOf(parameter, scope),
    ...flagsOf(parameter),
  ];
  const prop = PROPS[parameter.in];
  const facts = {
    name,
    isRequired,
    deprecated,
    description,
    examples,
    pills,
    in: prop === 'name' ? null : prop,
  };
  const place = { id, direction: 'request', around: [], depth: 0 } as const;
  const field = fieldNode(facts, parameter.schema, place, scope);
  field.children.push(...remoteNodes(parameter.remoteExamples, parameter.contentType ?? '', scope));
  return field;
}

/** How a parameter is written, where that is not the usual way for its place. */
function formOf(
  { in: place, style, explode, contentType, schema }: ApiParameter,
  { schemas }: FieldScope,
): string[] {
  if (contentType !== null) return [contentType];
  // A cookie has its place beside it.
  const shown = style === place ? `style: ${style}` : style.slice(0, 40);
  const form = style === STYLES[place] ? [] : [shown];
  const { types, variants } = schemas.read(schema);
  const hasParts = types.some((type) => type === 'array' || type === 'object') || variants.length > 0;
  if (hasParts && style !== 'deepObject' && explode !== explodesByDefault(style))
    form.push(`explode: ${explode}`);
  return form;
}

/** Rules for the value of a parameter that its style does not say. */
const flagsOf = ({ allowReserved, allowsEmpty }: ApiParameter): string[] => [
  ...(allowReserved ? ['allowReserved'] : []),
  ...(allowsEmpty ? ['allowEmptyValue'] : []),
];

/** Requests of some methods have no body, and samples of the page or the description may not show the example. */
function samplesHaveBody(operation: ApiOperation, { samples, has }: ReferenceOptions): boolean {
  if (has.request || /^(?:GET|HEAD)$/.test(operation.method)) return false;
  return shownSamples(operation, samples).some(({ key }) => key !== null);
}

function bodyNodes(
  { body, isWebhook }: ApiOperation,
  id: string,
  scope: FieldScope,
  hasSamples: boolean,
): Node[] {
  if (body === null) return [];
  const { strings } = scope;
  const nodes: Node[] = [heading(2, strings.requestBody, id)];
  if (body.description !== null) nodes.push(...scope.markdown(body.description));
  // The receiver of a webhook does not choose what it contains.
  if (!body.isRequired && !isWebhook) nodes.push(paragraph([text(strings.optionalBody)]));
  nodes.push(...contentNodes(body.contents, id, 'request', scope));
  // The examples of a webhook are beside it.
  nodes.push(
    ...(isWebhook ? remoteBodyExamples(body.contents, scope) : bodyExamples(body, scope, hasSamples)),
  );
  return nodes;
}

/**
 * Bodies by content type, as tabs if there are several with different schemas. `anchor` is the id of what is around
 * them.
 */
function contentNodes(
  contents: readonly ApiContent[],
  id: string,
  direction: 'request' | 'response',
  scope: FieldScope,
  anchor = id,
): Node[] {
  const [first] = contents;
  if (first === undefined) return [];
  const written = new Set(
    contents.map(({ schema, itemSchema, encoding, partEncoding, type }) =>
      JSON.stringify([schema?.value, itemSchema?.value, encoding, partEncoding, isStream(type)]),
    ),
  );
  if (written.size === 1) {
    const types = contents.flatMap(({ type }, index) => [text(index === 0 ? '' : ', '), code(type)]);
    return [paragraph(types), ...mediaNodes(first, id, direction, scope, anchor)];
  }
  const tabs = contents.map((content, index) => {
    const tab = `${id}-type-${index + 1}`;
    const own = index === 0 ? id : `${id}-${index + 1}`;
    return element('Tab', { title: content.type, id: tab }, mediaNodes(content, own, direction, scope, tab));
  });
  return [element('Tabs', { sync: false }, tabs)];
}

const isStream = (type: string): boolean => type.startsWith('text/event-stream');

function mediaNodes(
  content: ApiContent,
  id: string,
  direction: 'request' | 'response',
  scope: FieldScope,
  anchor: string,
): Node[] {
  const { schemas, strings } = scope;
  const { type, schema: at, itemSchema } = content;
  const shown = at ?? itemSchema;
  if (shown === null) return [];
  const schema = schemas.read(shown);
  const nodes: Node[] = [];
  if (at === null || (isStream(type) && itemSchema === null)) nodes.push(paragraph([text(strings.streamOf)]));
  const isObject = schema.types.length === 1 && schema.types[0] === 'object' && schema.properties.length > 0;
  if (isObject || (schema.types.length === 0 && schema.variants.length > 0)) {
    // Fields alone seem to say that the body is an object.
    if (schema.isNullable) nodes.push(paragraph([code(typeLabel(shown, schemas))]));
    nodes.push(...schema.descriptions.flatMap((one) => scope.markdown(one)));
    addFields(shown, nodes, { id, anchor, direction }, scope);
  } else {
    const facts = { ...optional(direction === 'request' ? 'body' : 'response'), in: null };
    nodes.push(fieldNode(facts, shown, { id: `${id}-value`, direction, around: [], depth: 0 }, scope));
  }
  if (at !== null && itemSchema !== null) {
    nodes.push(paragraph([text(strings.streamOf)]));
    addFields(itemSchema, nodes, { id: `${id}-event`, anchor, direction }, scope);
  }
  return [...nodes, ...encodingNodes(content, id, scope)];
}

/** Content types, styles and headers of the parts of a form. */
function encodingNodes(
  { encoding, partEncoding, partHeaders }: ApiContent,
  id: string,
  scope: FieldScope,
): Node[] {
  return Object.entries({ ...encoding, ...partEncoding })
    .slice(0, MAX_ENCODINGS)
    .flatMap(([name, written]) => {
      const facts = partFacts(isObject(written) ? written : {});
      const fields = (partHeaders?.get(name) ?? []).map((header) =>
        parameterNode(header, `${id}-${idOf(name)}-header-${idOf(header.name)}`, scope),
      );
      return [
        ...(facts.length === 0 ? [] : [paragraph([code(name), text(': '), ...facts])]),
        ...(fields.length === 0 ? [] : [element('Expandable', { title: name }, fields)]),
      ];
    });
}

/** How a part of a form is written, where the description says it. */
function partFacts({ contentType, style, explode }: JsonObject): Node[] {
  const facts = [
    ...(typeof contentType === 'string' ? [contentType] : []),
    ...(typeof style === 'string' ? [`style: ${style.slice(0, 40)}`] : []),
    ...(typeof explode === 'boolean' ? [`explode: ${explode}`] : []),
  ];
  return facts.flatMap((fact, index) => [...(index === 0 ? [] : [text(', ')]), code(fact)]);
}

function responseNodes({ responses, isWebhook }: ApiOperation, scope: FieldScope): Node[] {
  if (responses.length === 0) return [];
  const { strings } = scope;
  const title = heading(2, isWebhook ? strings.expectedResponse : strings.response, 'response');
  const [only] = responses;
  if (responses.length === 1 && only !== undefined) {
    const status = withText([code(only.status)], only.description, scope);
    const own = isWebhook ? givenBodies(only.contents, scope) : [];
    return [title, ...status, ...responseContent(only, 'response-body', scope, 'response'), ...own];
  }
  const tabs = responses.map((response, index) => {
    const id = index === 0 ? 'response-body' : `response-${response.status.toLowerCase()}-body`;
    const about = response.description === null ? [] : scope.markdown(response.description);
    const tab = `status-${response.status.toLowerCase()}`;
    const own = isWebhook ? givenBodies(response.contents, scope) : [];
    const content = [...about, ...responseContent(response, id, scope, tab), ...own];
    return element('Tab', { title: response.status, id: tab }, content);
  });
  return [title, element('Tabs', {}, tabs)];
}

function responseContent(
  { contents, headers, links }: ApiResponse,
  id: string,
  scope: FieldScope,
  anchor: string,
): Node[] {
  const nodes = [
    ...contentNodes(contents, id, 'response', scope, anchor),
    ...aboutExamples(contents, scope),
    ...linkNodes(links, scope),
  ];
  if (headers.length === 0) return nodes;
  const fields = headers.map((header) =>
    parameterNode(header, `${id.replace(/-body$/, '')}-header-${idOf(header.name)}`, scope),
  );
  return [...nodes, element('Expandable', { title: scope.strings.responseHeaders }, fields)];
}

function callbackNodes({ callbacks }: ApiOperation, scope: FieldScope): Node[] {
  if (callbacks.length === 0) return [];
  const { strings } = scope;
  const nodes: Node[] = [heading(2, strings.callbacks, 'callbacks')];
  for (const { name, operations } of callbacks) {
    for (const [index, operation] of operations.entries()) {
      const id = `callback-${idOf(name)}${index === 0 ? '' : `-${index + 1}`}`;
      // Those of a path precede the first of its operations.
      const isFirst = operations.findIndex(({ path }) => path === operation.path) === index;
      const about = isFirst ? operation.pathTexts.flatMap((one) => scope.markdown(one)) : [];
      nodes.push(element('Expandable', { title: name, id }, [...about, ...innerNodes(operation, id, scope)]));
    }
  }
  return nodes;
}

function otherNodes({ others }: ApiOperation, scope: FieldScope): Node[] {
  return others.flatMap((operation) => {
    const id = `method-${operation.method.toLowerCase()}`;
    return [heading(2, operation.method, id), ...innerNodes(operation, id, scope)];
  });
}

/** An operation on the page of another one. */
function innerNodes(operation: ApiOperation, id: string, scope: FieldScope): Node[] {
  const { method, path, written, security, parameters, body, responses } = operation;
  const words = [written.summary, written.description, body?.description];
  const [before = [], about = []] = [words.slice(0, 2), words.slice(2)].map((list) =>
    list.filter((one) => typeof one === 'string').flatMap((one) => scope.markdown(one)),
  );
  const isDeprecated = written.deprecated === true;
  return [
    paragraph([code(`${method} ${path}`), ...(isDeprecated ? [text(` (${scope.strings.deprecated})`)] : [])]),
    ...before,
    ...alternativeNodes(security, `${id}-`, scope),
    ...parameters.map((one) => parameterNode(one, `${id}-${one.in}-${idOf(one.name)}`, scope)),
    ...about,
    ...contentNodes(body?.contents ?? [], id, 'request', scope),
    ...(body === null ? [] : bodyExamples(body, scope, false)),
    ...responses.flatMap((response) => [
      ...withText([code(response.status)], response.description, scope),
      ...responseContent(response, `${id}-${response.status.toLowerCase()}`, scope, id),
      ...givenBodies(response.contents, scope),
    ]),
  ];
}

// Examples in the column at the side

function exampleNodes(operation: ApiOperation, options: ReferenceOptions): Node[] {
  const nodes: Node[] = [];
  const requests = operation.isWebhook ? payloads(operation, options) : samplesOf(operation, options);
  nodes.push(...requestExample(requests, options));
  const responses = operation.isWebhook ? [] : responseExamples(operation.responses, options);
  if (!options.has.response && responses.length > 0)
    nodes.push(element('ResponseExample', { dropdown: responses.length > 6 }, responses));
  return nodes;
}

function requestExample(samples: Node[], { has }: ReferenceOptions): Node[] {
  if (has.request || samples.length === 0) return [];
  return [element('RequestExample', { dropdown: samples.length > 4 }, samples)];
}

const fenceOf = ({ label, lang, code: source }: ReferenceSample): Node => fence(source, lang, titleOf(label));

/** Samples of an operation without a description. */
export function sampleNodes(options: ReferenceOptions): Node[] {
  return requestExample(options.samples.map(fenceOf), options);
}

function samplesOf(operation: ApiOperation, { samples }: ReferenceOptions): Node[] {
  return shownSamples(operation, samples).map(fenceOf);
}

/** Samples that the description gives come first, and replace those that are made for the same language. */
export function shownSamples(
  operation: Pick<ApiOperation, 'samples'>,
  samples: readonly ReferenceSample[],
): ReferenceSample[] {
  const given = operation.samples.map(({ lang, label, source }): ReferenceSample => {
    const language = lang?.toLowerCase() ?? 'text';
    const { lang: highlighted = language } = findLanguage(language) ?? {};
    return { key: null, label: label ?? language, lang: highlighted, code: source };
  });
  const languages = new Set(given.map(({ lang }) => lang));
  return [...given, ...samples.filter(({ lang }) => !languages.has(lang))];
}

function payloads({ body }: ApiOperation, options: ReferenceOptions): Node[] {
  const [content] = body?.contents ?? [];
  return content === undefined ? [] : examplesOf(content, 'request', options, null);
}
