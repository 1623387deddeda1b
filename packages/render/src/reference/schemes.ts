import { isObject, type JsonObject } from '../config/json.ts';
import { firstOf, type Reading } from './reading.ts';
import type { At } from './resolver.ts';
import { listOf, scalarText, textOf } from './values.ts';

export type ApiScheme =
  | ({
      readonly type: 'apiKey';
      readonly in: 'header' | 'query' | 'cookie';
      readonly key: string;
    } & SchemeFacts)
  | ({ readonly type: 'http'; readonly scheme: string; readonly format: string | null } & SchemeFacts)
  | ({
      readonly type: 'oauth2';
      readonly flows: readonly ApiFlow[];
      readonly metadata?: string;
    } & SchemeFacts)
  | ({ readonly type: 'openIdConnect'; readonly url: string } & SchemeFacts)
  | ({ readonly type: 'mutualTLS' } & SchemeFacts);

/** A scheme that HTTP does not have, or of which only the name is known. */
export interface OtherScheme {
  readonly type: 'other';
  readonly name: string;
  /** `userPassword`, `scramSha256`; empty if it is unknown. */
  readonly kind: string;
  readonly description: string | null;
}

interface SchemeFacts {
  /** Name in the description. */
  readonly name: string;
  readonly description: string | null;
  readonly deprecated?: true;
  /** Scopes that the operation needs. */
  readonly scopes: readonly string[];
  /** `x-default`: what a form contains initially. */
  readonly initial: string | null;
}

export interface ApiFlow {
  readonly kind: 'authorizationCode' | 'clientCredentials' | 'password' | 'implicit' | 'deviceAuthorization';
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string | null;
  readonly refreshUrl: string | null;
  readonly deviceAuthorizationUrl: string | null;
  readonly scopes: readonly { readonly name: string; readonly description: string }[];
}

const MAX_SCHEMES = 12;

/** What the operations of a description require: alternatives, each the schemes that a request needs together. */
export function securityOf(written: unknown, reading: Reading): (ApiScheme | OtherScheme)[][] {
  const { document, file, resolver } = reading;
  const components = resolver.resolve({ value: document.components, file, name: null });
  const all = isObject(components?.value) ? components.value.securitySchemes : undefined;
  const schemes = resolver.resolve({ value: all, file: components?.file ?? file, name: null });
  return firstOf(listOf(written), MAX_SCHEMES, 'kinds of authorization', reading)
    .filter(isObject)
    .map((requirement) =>
      firstOf(Object.keys(requirement), MAX_SCHEMES, 'security schemes at once', reading).flatMap((name) => {
        const scopes = listOf(requirement[name]).filter((scope) => typeof scope === 'string');
        return namedScheme(name, scopes, schemes, reading);
      }),
    );
}

/** A scheme by its name. One without a definition stays required, so that a page does not promise free access. */
function namedScheme(
  name: string,
  scopes: string[],
  schemes: At | null,
  { resolver, file }: Reading,
): (ApiScheme | OtherScheme)[] {
  const defined =
    isObject(schemes?.value) && Object.hasOwn(schemes.value, name) ? schemes.value[name] : undefined;
  if (schemes === null || defined === undefined) {
    resolver.undefinedScheme(file, name);
    return [{ type: 'other', name, kind: '', description: null }];
  }
  const scheme = resolver.resolve({ value: defined, file: schemes.file, name })?.value;
  if (!isObject(scheme)) return [{ type: 'other', name, kind: '', description: null }];
  const known = schemeOf(name, scheme, scopes);
  const { type, description } = scheme;
  return known.length > 0
    ? known
    : [{ type: 'other', name, kind: textOf(type) ?? '', description: textOf(description) }];
}

export function schemeOf(name: string, written: JsonObject, scopes: string[]): ApiScheme[] {
  const initial = written['x-default'];
  const facts = {
    name,
    description: textOf(written.description),
    scopes,
    initial: typeof initial === 'string' ? initial : null,
    ...(written.deprecated === true ? { deprecated: true as const } : {}),
  };
  switch (written.type) {
    case 'apiKey': {
      const place = written.in;
      if (place !== 'header' && place !== 'query' && place !== 'cookie') return [];
      return [{ ...facts, type: 'apiKey', in: place, key: textOf(written.name) ?? name }];
    }
    case 'http':
      return [
        {
          ...facts,
          type: 'http',
          scheme: (textOf(written.scheme) ?? 'bearer').toLowerCase(),
          format: textOf(written.bearerFormat),
        },
      ];
    case 'oauth2':
      return [{ ...facts, type: 'oauth2', flows: flowsOf(written.flows), ...metadataOf(written) }];
    case 'openIdConnect':
      return [{ ...facts, type: 'openIdConnect', url: textOf(written.openIdConnectUrl) ?? '' }];
    case 'mutualTLS':
      return [{ ...facts, type: 'mutualTLS' }];
    default:
      return [];
  }
}

function metadataOf({ oauth2MetadataUrl: url }: JsonObject): { metadata?: string } {
  return typeof url === 'string' && url !== '' ? { metadata: url } : {};
}

const FLOWS = [
  'authorizationCode',
  'clientCredentials',
  'password',
  'implicit',
  'deviceAuthorization',
] as const;

function flowsOf(written: unknown): ApiFlow[] {
  if (!isObject(written)) return [];
  return FLOWS.flatMap((kind) => {
    const flow = written[kind];
    if (!isObject(flow)) return [];
    return [
      {
        kind,
        authorizationUrl: textOf(flow.authorizationUrl),
        tokenUrl: textOf(flow.tokenUrl),
        refreshUrl: textOf(flow.refreshUrl),
        deviceAuthorizationUrl: textOf(flow.deviceAuthorizationUrl),
        scopes: Object.entries(isObject(flow.scopes) ? flow.scopes : {}).map(([name, description]) => ({
          name,
          description: scalarText(description),
        })),
      },
    ];
  });
}
