import type { IncomingHttpHeaders } from 'node:http';
import { MCP_PATH, OAUTH_PATHS, originOfSite } from '@offprint/bundle';
import type { AccessRequest, AccessSite } from './access.ts';

const RESOURCE = '/.well-known/oauth-protected-resource';
const SERVER = '/.well-known/oauth-authorization-server';

/** Whether a request is for the MCP server, and not of a person who opens a page with that path. */
export function isMcpCall(
  path: string,
  basePath: string,
  { method, headers }: { method?: string | undefined; headers: IncomingHttpHeaders },
): boolean {
  if (path !== basePath + MCP_PATH) return false;
  return (method !== 'GET' && method !== 'HEAD') || /\btext\/event-stream\b/i.test(headers.accept ?? '');
}

/** The token of a request; null if it has none. An empty text is a token, which is not valid. */
export function bearerOf({ authorization = '' }: IncomingHttpHeaders): string | null {
  return /^bearer(?![^ ]) *(.*)$/i.exec(authorization)?.[1] ?? null;
}

/**
 * Shows MCP clients where they are authorized (RFC 9728, section 5.1). The document is below the base path, where the
 * site responds also behind a proxy that passes on nothing else.
 */
export function challengeOf(site: AccessSite, request: AccessRequest): string {
  const url = `${issuerOf(site, request)}${RESOURCE}${MCP_PATH}`;
  const error = bearerOf(request.headers) === null ? '' : ', error="invalid_token"';
  return `Bearer resource_metadata="${url}"${error}`;
}

/**
 * What a restricted site says about the authorization of MCP clients (RFC 9728 and RFC 8414); null for another path. It
 * shows nothing that the sign-in does not show.
 */
export function oauthDocument(site: AccessSite, request: AccessRequest, path: string): object | null {
  // every request of a restricted site comes here
  if (!path.includes('/.well-known/oauth-')) return null;
  const { basePath } = site;
  const issuer = issuerOf(site, request);
  const ofResource = [
    `${RESOURCE}${basePath}${MCP_PATH}`,
    `${basePath}${RESOURCE}${MCP_PATH}`,
    `${basePath}${RESOURCE}`,
  ];
  if (ofResource.includes(path))
    return {
      resource: `${issuer}${MCP_PATH}`,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    };
  if (path !== `${SERVER}${basePath}` && path !== `${basePath}${SERVER}`) return null;
  return {
    issuer,
    authorization_endpoint: `${issuer}${OAUTH_PATHS.authorize}`,
    token_endpoint: `${issuer}${OAUTH_PATHS.token}`,
    registration_endpoint: `${issuer}${OAUTH_PATHS.register}`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

const issuerOf = ({ host, basePath }: AccessSite, { headers, isSecure }: AccessRequest): string =>
  originOfSite(host, headers.host, isSecure) + basePath;
