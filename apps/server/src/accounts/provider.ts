import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { NetworkError } from '../platform/net/error.ts';

/** Where the provider is and who we are to it. */
export interface ProviderSettings {
  issuer: string;
  clientId: string;
  /** Unset: a public client with PKCE alone. */
  clientSecret: string | undefined;
  fetch: typeof fetch;
  /** Default: those that describe the user. */
  scopes?: string;
}

/** Data that is needed again when the browser returns. */
export interface Pending {
  state: string;
  nonce: string;
  verifier: string;
}

/** The identity that the provider reports. */
export interface Claims {
  issuer: string;
  subject: string;
  /** In lower case; null if the provider reports none in ASCII. */
  email: string | null;
  /** Whether the provider says that the address is the person's. */
  isVerified: boolean;
  name: string | null;
  /** Everything that the provider reports, of the ID token and, where it was read, of the user info. */
  all: Readonly<Record<string, unknown>>;
}

export interface Provider {
  /** Where the browser goes. Throws ProviderError. */
  start(redirectUri: string): Promise<{ url: string; pending: Pending }>;
  /** `current`: the URL that the browser returned to, with its query. Throws ProviderError. */
  finish(current: URL, pending: Pending): Promise<Claims>;
}

/** Single sign-on did not succeed; `cause` says why, for the log. */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly fault: 'provider_refused' | 'provider_failed' | 'provider_unreachable';
  constructor(fault: ProviderError['fault'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.fault = fault;
  }
}

const SCOPE = 'openid email profile';
const TIMEOUT_SECONDS = 10;

/** What the provider says of itself is asked for again after this time. */
const DISCOVERY_MS = 3_600_000;

/**
 * An OpenID Connect provider, found by discovery: authorization code with PKCE (S256), state and nonce. The
 * response's issuer (RFC 9207), and the issuer, audience, times and signature of the ID token are checked by
 * openid-client.
 */
export function createProvider(settings: ProviderSettings): Provider {
  let known: { config: Promise<Configuration>; until: number } | undefined;

  const discover = (): Promise<Configuration> => {
    if (known !== undefined && performance.now() < known.until) return known.config;
    const config = discovery(
      new URL(settings.issuer),
      settings.clientId,
      settings.clientSecret,
      clientAuth(settings.clientSecret),
      {
        [customFetch]: settings.fetch as never,
        timeout: TIMEOUT_SECONDS,
        // An operator who sets an http issuer means it: a provider on the same machine or network.
        ...(settings.issuer.startsWith('http:') ? { execute: [allowInsecureRequests] } : {}),
      },
    );
    const made = { config, until: performance.now() + DISCOVERY_MS };
    known = made;
    // A provider that does not respond now is asked again at the next sign-in.
    config.catch(() => {
      if (known === made) known = undefined;
    });
    return config;
  };

  const discovered = async (): Promise<Configuration> => {
    try {
      return await discover();
    } catch (error) {
      throw new ProviderError('provider_unreachable', error);
    }
  };

  return {
    async start(redirectUri) {
      const config = await discovered();
      const pending = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scopes ?? SCOPE,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, pending };
    },

    async finish(current, pending) {
      const config = await discovered();
      try {
        const tokens = await authorizationCodeGrant(config, current, {
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          pkceCodeVerifier: pending.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('the provider returned no ID token');
        const hasAddress =
          claims.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined;
        const more = hasAddress ? {} : await fetchUserInfo(config, tokens.access_token, claims.sub);
        return readClaims({ ...more, ...claims });
      } catch (error) {
        throw new ProviderError(faultOf(error), error);
      }
    },
  };
}

/** The way to show the secret that the provider takes; without its word, the one of the specification. */
function clientAuth(secret: string | undefined): ClientAuth {
  if (secret === undefined) return None();
  const basic = ClientSecretBasic(secret);
  const post = ClientSecretPost(secret);
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (taken.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

function faultOf(error: unknown): ProviderError['fault'] {
  if (error instanceof AuthorizationResponseError) {
    return error.error === 'access_denied' ? 'provider_refused' : 'provider_failed';
  }
  const causes = [error, error instanceof ClientError ? error.cause : undefined];
  const isOut = causes.some((one) => one instanceof NetworkError || (one as Error)?.name === 'TimeoutError');
  return isOut ? 'provider_unreachable' : 'provider_failed';
}

/**
 * An address in ASCII, in lower case. Some letters of other alphabets become ASCII in lower case, such as the sign of
 * Kelvin (U+212A): an address that is verified would turn into that of somebody else.
 */
function plainAddress(text: string | null): string | null {
  return text !== null && /^[\x21-\x7e]+$/.test(text) ? text.toLowerCase() : null;
}

function readClaims(claims: Record<string, unknown> & { iss: string; sub: string }): Claims {
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);
  // Entra says it by xms_edov, and older providers write the truth as text.
  const isVerified = [claims.email_verified, claims.xms_edov].some((value) =>
    [true, 'true', 1, '1'].includes(value as never),
  );
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: plainAddress(text(claims.email)),
    isVerified,
    name: text(claims.name) ?? text(claims.preferred_username),
    all: claims,
  };
}
