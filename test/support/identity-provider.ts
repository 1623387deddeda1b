/** An OpenID Connect provider on loopback: the package oidc-provider, with accounts that a test adds. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
// @ts-expect-error The package has no types.
import Provider from 'oidc-provider';

export interface ProviderAccount {
  email: string;
  email_verified: boolean;
  name: string;
  /** Claim of the ID token; default: it has none. */
  groups?: readonly string[];
}

export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Accounts by the login that the sign-in page of the provider asks for, which is also the subject. */
  accounts: Map<string, ProviderAccount>;
  /** Starts to respond, for clients with these redirect URIs. */
  open(redirectUris: readonly string[]): void;
  close(): Promise<void>;
}

/** Listens at once, so that its URL can be configured; responds after `open`. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let listener: RequestListener | undefined;
  const server = createServer((request, response) => {
    if (listener === undefined) response.writeHead(503).end();
    else listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, ProviderAccount>();
  const [clientId, clientSecret] = ['offprint', randomBytes(16).toString('hex')];
  return {
    issuer,
    clientId,
    clientSecret,
    accounts,
    open(redirectUris) {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const provider = new Provider(issuer, {
        clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [...redirectUris] }],
        claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
        pkce: { required: () => true },
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
        cookies: { keys: [randomBytes(16).toString('hex')] },
        findAccount: (_context: unknown, id: string) => {
          const claims = accounts.get(id);
          return claims === undefined ? undefined : { accountId: id, claims: () => ({ sub: id, ...claims }) };
        },
        // Consent is implied by the sign-in: the consent page belongs to the provider.
        async loadExistingGrant(context: {
          oidc: {
            client: { clientId: string };
            session: { accountId: string };
            provider: typeof Provider;
          };
        }) {
          const { client, session } = context.oidc;
          const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
          grant.addOIDCScope('openid email profile');
          await grant.save();
          return grant;
        },
      });
      listener = provider.callback();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A browser without pages: cookies by origin, and redirects followed one by one. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** One request without following redirects. */
  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** The cookie of this name for the origin of the address. */
  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).origin)?.get(name);
  }

  /**
   * Goes to the provider and through its sign-in page, by default as `login`, and returns the address that the provider
   * sends the browser back to. Null: the person cancels.
   */
  async passProvider(url: string, login: string | null): Promise<string> {
    const { origin } = new URL(url);
    let next = url;
    for (let step = 0; step < 12; step += 1) {
      if (new URL(next).origin !== origin) return next;
      const isPage = new URL(next).pathname.startsWith('/interaction/');
      const response = isPage ? await this.#answerPage(next, login) : await this.ask(next);
      const place = response.headers.get('location');
      if (place === null)
        throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
      next = new URL(place, next).href;
    }
    throw new Error('the provider sends the browser in circles');
  }

  #answerPage(url: string, login: string | null): Promise<Response> {
    if (login === null) return this.ask(`${url}/abort`);
    return this.ask(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ prompt: 'login', login, password: 'any' }).toString(),
    });
  }
}
