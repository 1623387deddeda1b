import { TLSSocket } from 'node:tls';
import { siteHeaders } from '@offprint/bundle';
import type { Log } from '../log.ts';
import { answerFound, type Exchange, pathOf, targetOf } from '../serving/handler.ts';
import { sendFault, sendUnready } from '../serving/server.ts';
import type { AnswerKind } from '../serving/traffic.ts';
import type { Hooks, HostedAnswer, HostedRequest } from './hooks.ts';
import { hostOf, portOf } from './host.ts';
import { CopyError, type Releases, type ServeOptions } from './releases.ts';
import type { Route } from './routes.ts';
import type { HostRelease } from './state.ts';
import { DamagedFileError } from './verified-file.ts';

export interface ResponderOptions {
  /** Undefined for an unknown host. */
  route(host: string): Route | undefined;
  /** Whether the platform or the volume has named the sites. */
  isListKnown(): boolean;
  releases: Releases;
  hooks: Hooks;
  /** Readers use https through a reverse proxy. */
  https: boolean;
  /** A file of a release cannot be read. */
  onDamaged(sha256: string): void;
  log: Log;
}

/** Responds to one request; `route` is what its host serves. */
export type Responder = (exchange: Exchange, route: Route | undefined) => Promise<void>;

const challengePath = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,256})$/;
const signInPath = /^\/login(?:[/?]|$)/;
const text = { 'Content-Type': 'text/plain; charset=utf-8' };
const noRobots = 'User-agent: *\nDisallow: /\n';

const unknownHost = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>No site at this address</title>
<h1>No site at this address</h1>
<p>Check the address for typing errors.</p>
<p>If this is your domain: add it to a project, verify it, and publish a deployment. A new domain works within a minute after that.</p>
</html>
`;

export function createResponder(options: ResponderOptions): Responder {
  const { hooks, releases } = options;

  /** Responds from the releases of a route; every part of the response comes from this one state of it. */
  const respondFrom = async (
    { site, current, previous }: Route,
    exchange: Exchange,
    isSecure: boolean,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> => {
    if (current === null) return sendUnready(exchange);
    const serving = {
      headers: site.noindex ? { ...headers, 'X-Robots-Tag': 'noindex' } : headers,
      https: isSecure,
      isPrivate: site.access.kind !== 'public',
    };
    await releases.with(current, async (opened) => {
      const served = opened.serve(serving);
      const target = targetOf(served, exchange);
      if (target === null) return;
      const found = await opened.find(target);
      if (found.kind !== 'file' && previous !== null) {
        const isSent = await respondFromPrevious(previous, exchange, target, serving);
        if (isSent) return;
      }
      await answerFound(served, exchange, found);
    });
  };

  /** Responds with a hashed file of the previous release, if it is one. Without that release, the rest still works. */
  const respondFromPrevious = (
    previous: HostRelease,
    exchange: Exchange,
    target: string,
    serving: ServeOptions,
  ): Promise<boolean> =>
    releases
      .with(previous, async (before) => {
        const file = await before.findLasting(target);
        if (file !== null) await answerFound(before.serve(serving), exchange, { kind: 'file', file });
        return file !== null;
      })
      .catch((error: unknown) => {
        if (!(error instanceof DamagedFileError) || exchange.response.headersSent) throw error;
        options.onDamaged(previous.sha256);
        return false;
      });

  const respondTo = async (route: Route, hosted: HostedRequest, exchange: Exchange): Promise<void> => {
    const { site } = route;
    const { isSecure, target } = hosted;
    if (site.redirectTo !== null) return sendRedirect(exchange, site.redirectTo, isSecure);
    if (signInPath.test(target)) {
      const answer = (await hooks.signIn?.(site, hosted)) ?? null;
      if (answer !== null) return send(exchange, 'page', answer, isSecure);
    }
    if (site.noindex && /^\/robots\.txt(?:\?|$)/.test(target))
      return send(exchange, 'asset', { status: 200, headers: text, body: noRobots }, isSecure);
    const decision = await hooks.checkAccess(site, hosted);
    if (decision.kind === 'answer') return send(exchange, 'refused', decision.answer, isSecure);
    const headers = decision.headers ?? {};
    try {
      await respondFrom(route, exchange, isSecure, headers);
    } catch (error) {
      if (!(error instanceof CopyError) || exchange.response.headersSent) throw error;
      // without the copy this time
      await respondFrom(route, exchange, isSecure, headers);
    }
  };

  const respondToAny = async (exchange: Exchange, route: Route | undefined): Promise<void> => {
    const { request } = exchange;
    const target = pathOf(request.url ?? '/');
    const isSecure = options.https || request.socket instanceof TLSSocket;
    const host = hostOf(request);
    const [, token = null] = challengePath.exec(target) ?? [];
    const challenge = token === null || host === null ? null : await hooks.challenge?.(host, token);
    if (challenge !== null && challenge !== undefined) return send(exchange, 'page', challenge, isSecure);
    if (host !== null && route !== undefined)
      return respondTo(route, { host, site: route.site, target, isSecure, request }, exchange);
    if (!options.isListKnown()) return sendUnready(exchange);
    const headers = { 'Content-Type': 'text/html; charset=utf-8' };
    return send(exchange, 'missing', { status: 404, headers, body: unknownHost }, isSecure);
  };

  const log = createFailureLog(options.log);
  return (exchange, route) =>
    respondToAny(exchange, route).catch((error: unknown) => {
      const sha256 = route?.current?.sha256 ?? null;
      exchange.note({ kind: 'fault', coding: 'identity', release: sha256 });
      log(route?.site.host ?? null, sha256, error);
      if (error instanceof DamagedFileError && sha256 !== null) options.onDamaged(sha256);
      sendFault({ 'X-Content-Type-Options': 'nosniff' }, exchange.response);
    });
}

/** A failing volume causes an error for every request, of which some are logged. */
function createFailureLog(log: Log): (host: string | null, release: string | null, error: unknown) => void {
  let count = 0;
  return (host, release, error) => {
    count += 1;
    if (count > 10 && count % 1000 !== 0) return;
    const reason = error instanceof Error ? error.message : String(error);
    log.error('cannot respond to a request', { host, release, reason, count });
  };
}

/** The host is not the one of the request, so a path such as `//x` stays a path. */
function sendRedirect(exchange: Exchange, host: string, isSecure: boolean): void {
  const { request } = exchange;
  const path = pathOf(request.url ?? '/').replace(/[^\x21-\x7e]/g, encodeURIComponent);
  const location = `${isSecure ? 'https' : 'http'}://${host}${portOf(request)}${path.startsWith('/') ? path : `/${path}`}`;
  const headers = { ...text, Location: location, 'Cache-Control': 'no-cache' };
  send(exchange, 'redirect', { status: 308, headers, body: `See ${location}\n` }, isSecure);
}

function send(
  { request, response, extra, note }: Exchange,
  kind: AnswerKind,
  { status, headers, body }: HostedAnswer,
  isSecure: boolean,
): void {
  note({ kind, coding: 'identity', release: null });
  const bytes = Buffer.from(body);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const own = { ...siteHeaders({ https: isSecure }), 'Cache-Control': 'no-store' };
  for (const [name, value] of Object.entries(own))
    if (!names.has(name.toLowerCase())) response.setHeader(name, value);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Content-Length', bytes.length);
  for (let at = 0; at + 1 < extra.length; at += 2) response.setHeader(extra[at] ?? '', extra[at + 1] ?? '');
  response.writeHead(status).end(request.method === 'HEAD' ? undefined : bytes);
}
