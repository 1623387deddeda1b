import type { IncomingMessage } from 'node:http';
import type { HostedSite } from './protocol.ts';

/** A request to a host, as the parts that extend the server see it. */
export interface HostedRequest {
  /** As in the list of sites: lower case, without a port. */
  host: string;
  /** Null if the host is not in the list of sites. */
  site: HostedSite | null;
  /** Path and query. */
  target: string;
  /** Readers use https. */
  isSecure: boolean;
  request: IncomingMessage;
}

/** A response of a few kilobytes. */
export interface HostedAnswer {
  status: number;
  headers: Readonly<Record<string, string | readonly string[]>>;
  body: string | Uint8Array;
}

/**
 * `allow`: the site responds, with further headers if there are any. Any other decision is the response, and nothing of
 * the site is read.
 */
export type AccessDecision =
  | { kind: 'allow'; headers?: Readonly<Record<string, string>> }
  | { kind: 'answer'; answer: HostedAnswer };

/** What extends the request path of many sites. Each may reject: the request then gets 500 and nothing of the site. */
export interface Hooks {
  /** Decides every request for something of a site, its error page included. */
  checkAccess(site: HostedSite, request: HostedRequest): AccessDecision | Promise<AccessDecision>;
  /** Responds to `/login` and paths below it; null if they are pages of the site. */
  signIn?(site: HostedSite, request: HostedRequest): Promise<HostedAnswer | null>;
  /** Responds to `/.well-known/acme-challenge/<token>` of any host; null if there is no such challenge. */
  challenge?(host: string, token: string): Promise<HostedAnswer | null>;
}

/** Without a sign-in, only public sites are open. */
export const publicOnly: Hooks = {
  checkAccess: ({ access }) =>
    access.kind === 'public'
      ? { kind: 'allow' }
      : {
          kind: 'answer',
          answer: {
            status: 403,
            headers: { 'Content-Type': 'text/plain; charset=utf-8' },
            body: 'This site is not public, and this server has no sign-in for its readers.\n',
          },
        },
};
