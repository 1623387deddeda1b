import type { Node } from '../tree.ts';
import { type FieldScope, fieldNode, withText } from './fields.ts';
import type { ApiFlow, ApiScheme, OtherScheme } from './operation.ts';
import { code, element, heading, list, paragraph, text } from './tree.ts';

/** How a request is authenticated: one alternative as fields, several as tabs. */
export function authorizationNodes(
  security: readonly (readonly (ApiScheme | OtherScheme)[])[],
  scope: FieldScope,
): Node[] {
  const nodes = alternativeNodes(security, '', scope);
  return nodes.length === 0 ? [] : [heading(2, scope.strings.authorizations, 'authorizations'), ...nodes];
}

/** The same without a heading; `prefix` makes ids of its own for an operation within another one. */
export function alternativeNodes(
  security: readonly (readonly (ApiScheme | OtherScheme)[])[],
  prefix: string,
  scope: FieldScope,
): Node[] {
  const { strings } = scope;
  const alternatives = security.filter((schemes) => schemes.length > 0);
  const [only] = alternatives;
  if (only === undefined) return [];
  const isRequired = alternatives.length === security.length;
  const nodes = isRequired ? [] : [paragraph([text(strings.optionalAuthorization)])];
  if (alternatives.length === 1) return [...nodes, ...schemesOf(only, prefix, scope, isRequired)];
  const tabs = alternatives.map((schemes, index) =>
    element(
      'Tab',
      {
        title: schemes.map(({ name }) => name).join(' + '),
        id: `${prefix}authorization-option-${index + 1}`,
      },
      schemesOf(schemes, index === 0 ? prefix : `${prefix}${index + 1}-`, scope, isRequired),
    ),
  );
  return [...nodes, element('Tabs', {}, tabs)];
}

/** Fields of schemes that a request needs together. */
export function schemesOf(
  schemes: readonly (ApiScheme | OtherScheme)[],
  prefix: string,
  scope: FieldScope,
  isRequired = true,
): Node[] {
  return schemes.map((scheme) => {
    if (scheme.type === 'other') return otherScheme(scheme, prefix, scope, isRequired);
    const { key, place, type, words } = factsOf(scheme, scope);
    const field = fieldNode(
      {
        ...{ name: key, in: place, isRequired, deprecated: scheme.deprecated === true },
        description: scheme.description ?? words,
      },
      { value: { type: 'string' }, file: '', name: null },
      { id: `authorization-${prefix}${key}`, direction: 'request', around: [], depth: 0 },
      scope,
    );
    field.props.type = type;
    field.children.push(...scopesOf(scheme, scope));
    return field;
  });
}

function otherScheme(
  { name, kind, description }: OtherScheme,
  prefix: string,
  scope: FieldScope,
  isRequired: boolean,
): Node {
  const field = fieldNode(
    { name, isRequired, deprecated: false, description },
    { value: {}, file: '', name: null },
    { id: `authorization-${prefix}${name}`, direction: 'request', around: [], depth: 0 },
    scope,
  );
  field.props.type = kind;
  return field;
}

interface Facts {
  key: string;
  place: 'header' | 'query' | null;
  type: string;
  /** What to send, where the description does not say it. */
  words: string;
}

function factsOf(scheme: ApiScheme, { strings }: FieldScope): Facts {
  switch (scheme.type) {
    case 'apiKey':
      return {
        key: scheme.key,
        place: scheme.in === 'cookie' ? null : scheme.in,
        type: scheme.in === 'cookie' ? 'API key, cookie' : 'API key',
        words: strings.apiKey,
      };
    case 'http': {
      if (scheme.scheme === 'basic')
        return { key: 'Authorization', place: 'header', type: 'Basic', words: strings.basicAuthorization };
      const name = scheme.scheme === 'bearer' ? 'Bearer' : scheme.scheme;
      const format = scheme.format === null ? '' : ` (${scheme.format})`;
      return {
        key: 'Authorization',
        place: 'header',
        type: `${name}${format}`,
        words: `\`${name} <token>\``,
      };
    }
    case 'oauth2':
      return { key: 'Authorization', place: 'header', type: 'OAuth 2', words: '`Bearer <token>`' };
    case 'openIdConnect':
      return { key: 'Authorization', place: 'header', type: 'OpenID Connect', words: '`Bearer <token>`' };
    case 'mutualTLS':
      return { key: scheme.name, place: null, type: 'mutual TLS', words: strings.clientCertificate };
  }
}

function scopesOf(scheme: ApiScheme, scope: FieldScope): Node[] {
  const { strings } = scope;
  const nodes: Node[] = [];
  const texts = scheme.type === 'oauth2' ? textsOfScopes(scheme.flows) : NO_TEXTS;
  if (scheme.scopes.some((name) => texts.has(name))) {
    const rows = scheme.scopes.map((name) => withText([code(name)], texts.get(name) ?? null, scope));
    nodes.push(paragraph([text(`${strings.scopes}:`)]), list(rows));
  } else if (scheme.scopes.length > 0) {
    const scopes = scheme.scopes.flatMap((scope, index) => [text(index === 0 ? '' : ' '), code(scope)]);
    nodes.push(paragraph([text(`${strings.scopes}: `), ...scopes]));
  }
  if (scheme.type === 'oauth2' && scheme.flows.length > 0) nodes.push(list(scheme.flows.map(flowOf)));
  if (scheme.type === 'oauth2' && scheme.metadata !== undefined)
    nodes.push(paragraph([code(scheme.metadata)]));
  if (scheme.type === 'openIdConnect' && scheme.url !== '') nodes.push(paragraph([code(scheme.url)]));
  return nodes;
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** What each scope allows, as the first flow that says it. */
function textsOfScopes(flows: readonly ApiFlow[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { scopes } of flows)
    for (const { name, description } of scopes)
      if (description.trim() !== '' && !texts.has(name)) texts.set(name, description.trim());
  return texts;
}

const FLOWS = {
  authorizationCode: 'authorization code',
  clientCredentials: 'client credentials',
  password: 'password',
  implicit: 'implicit',
  deviceAuthorization: 'device authorization',
} as const;

function flowOf(flow: ApiFlow): Node[] {
  const urls = [flow.authorizationUrl, flow.deviceAuthorizationUrl, flow.tokenUrl, flow.refreshUrl].filter(
    (url) => url !== null,
  );
  const shown = urls.flatMap((url) => [text(' '), code(url)]);
  return [paragraph([text(FLOWS[flow.kind]), ...shown])];
}
