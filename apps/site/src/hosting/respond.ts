import { TLSSocket } from 'node:tls';
import { type Found, type Reader, type SiteFile, siteHeaders } from '@offprint/bundle';
import { checkAccess, PRIVATE_HEADERS, type ShortAnswer } from '../access/check-access.ts';
import { replaceHeaders } from '../access/replace-headers.ts';
import { type PostSignIn, relaySignIn } from '../access/sign-in.ts';
import type { Analytics } from '../analytics/analytics.ts';
import type { Log } from '../log.ts';
import { findService, type Service, type ServiceCall } from '../services/service.ts';
import { answerFound, type Exchange, pathOf, targetOf } from '../serving/handler.ts';
import { sendFault, sendUnready } from '../serving/server.ts';
import type { AnswerKind } from '../serving/traffic.ts';
import type { PlainHandler } from '../tls/plain.ts';
import { clientAddressOf, type IsProxy } from './client-address.ts';
import { hostOf, portOf } from './host.ts';
import type { HostedSite } from './protocol.ts';
import { CopyError, type OpenRelease, type Releases, type ServeOptions } from './releases.ts';
import { type ReaderReleases, releasesFor } from './releases-for.ts';
import type { Route } from './routes.ts';
import type { HostRelease } from './state.ts';
import { DamagedFileError } from './verified-file.ts';

export interface ResponderOptions {
  /** Undefined for an unknown host. */
  route(host: string): Route | undefined;
  /** Whether the platform or the volume has named the sites. */
  isListKnown(): boolean;
  releases: Releases;
  /** Lets the platform respond to a reader who signs in. */
  signIn: PostSignIn;
  /** Responds to what is special about plain http. */
  respondPlain: PlainHandler;
  /** What responds besides the files of a release. */
  services: readonly Service[];
  analytics: Pick<Analytics, 'countView'>;
  /** Readers use https through a reverse proxy. */
  https: boolean;
  /** Whose `X-Forwarded-For` names the reader. */
  isProxy: IsProxy;
  /** A file of a release cannot be read. */
  onDamaged(sha256: string): void;
  log: Log;
}

/** Responds to one request; `route` is what its host serves. */
export type Responder = (exchange: Exchange, route: Route | undefined) => Promise<void>;

/** A request whose reader is known. */
interface Reading {
  site: HostedSite;
  /** Null: nobody has signed in. */
  reader: Reader | null;
  releases: ReaderReleases;
  /** Replace those of the release. */
  headers: Readonly<Record<string, string>>;
  isSecure: boolean;
  /** Sent instead of everything that the release does not have. */
  refusal: ShortAnswer | null;
}

const text = { 'Content-Type': 'text/plain; charset=utf-8' };
const noIndex = { 'X-Robots-Tag': 'noindex' };
const hstsName = 'Strict-Transport-Security';
const noRobots = 'User-agent: *\nDisallow: /\n';

const unknownHost = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>No site at this address</title>
<h1>No site at this address</h1>
<p>Check the address for typing errors.</p>
<p>If this is your domain: add it to a project, verify it, and publish a deployment. A new domain works within a minute after that.</p>
</html>
`;

export function createResponder(options: ResponderOptions): Responder {
  const { releases } = options;

  /** Responds from the releases of a reader; every part of the response comes from one of them. */
  const respondFrom = async (exchange: Exchange, reading: Reading): Promise<void> => {
    const { site, refusal, isSecure } = reading;
    const { current, earlier } = reading.releases;
    if (current === null) return sendUnready(exchange);
    const serving = { headers: site.noindex ? noIndex : {}, https: isSecure };
    await releases.with(current, async (opened) => {
      const called =
        refusal === null ? findService(options.services, site.basePath, exchange.request) : undefined;
      if (called !== undefined) return called.service.respond(callOf(exchange, reading, called, opened));
      const served = opened.serve(serving);
      const target = targetOf(served, exchange);
      if (target === null) return;
      const found = await opened.find(target);
      if (found.kind !== 'file' && (await respondFromAny(earlier, exchange, target, serving))) return;
      const isOpen = found.kind === 'file' || found.kind === 'redirect';
      if (refusal !== null && !isOpen) return send(exchange, 'refused', refusal, isSecure);
      await answerFound(served, await counted(exchange, site, opened, found), found);
    });
  };

  /** Responds with a hashed file of the first of these releases that has it; false if none has. */
  const respondFromAny = async (
    earlier: readonly HostRelease[],
    exchange: Exchange,
    target: string,
    serving: ServeOptions,
  ): Promise<boolean> => {
    for (const release of earlier)
      if (await respondFromEarlier(release, exchange, target, serving)) return true;
    return false;
  };

  /** The exchange, which counts the view of a page when the response is certain, before its first byte is sent. */
  const counted = async (
    exchange: Exchange,
    site: HostedSite,
    opened: OpenRelease,
    found: Found<SiteFile>,
  ): Promise<Exchange> => {
    if (!isMeasuredBy(site, opened) || found.kind !== 'file') return exchange;
    const page = await pageOf(opened, found.file, site.basePath);
    if (page === null) return exchange;
    return {
      ...exchange,
      note(answer) {
        const isMarkdown = answer.kind !== 'page';
        if (answer.kind !== 'refused')
          options.analytics.countView(exchange.request, site, { path: page, isMarkdown });
        exchange.note(answer);
      },
    };
  };

  /** Responds with a hashed file of an earlier release, if it is one. Without that release, the rest still works. */
  const respondFromEarlier = (
    release: HostRelease,
    exchange: Exchange,
    target: string,
    serving: ServeOptions,
  ): Promise<boolean> =>
    releases
      .with(release, async (before) => {
        const file = await before.findLasting(target);
        if (file !== null) await answerFound(before.serve(serving), exchange, { kind: 'file', file });
        return file !== null;
      })
      .catch((error: unknown) => {
        if (!(error instanceof DamagedFileError) || exchange.response.headersSent) throw error;
        options.onDamaged(release.sha256);
        return false;
      });

  const respondTo = async (route: Route, exchange: Exchange, isSecure: boolean): Promise<void> => {
    const { site } = route;
    const { method = 'GET', url = '/', headers } = exchange.request;
    if (site.redirectTo !== null) return sendRedirect(exchange, site.redirectTo, isSecure);
    if (site.noindex && /^\/robots\.txt(?:\?|$)/.test(pathOf(url)))
      return send(exchange, 'asset', { status: 200, headers: text, body: noRobots }, isSecure);
    const decision = checkAccess(site, { method, target: url, headers, isSecure });
    if (decision.kind === 'sign-in') return respondFromPlatform(site, exchange, isSecure);
    if (decision.kind === 'answer') return send(exchange, 'refused', decision, isSecure);
    const { reader } = decision;
    const reading = { site, reader, releases: releasesFor(route, reader), isSecure };
    if (decision.kind === 'open')
      return respondToReader(exchange, { ...reading, headers: decision.headers, refusal: null });
    // before anything of a release is looked up
    const isRead = method === 'GET' || method === 'HEAD';
    if (reading.releases.current === null || !isRead) return send(exchange, 'refused', decision, isSecure);
    return respondToReader(exchange, { ...reading, headers: PRIVATE_HEADERS, refusal: decision });
  };

  const respondToReader = async (exchange: Exchange, reading: Reading): Promise<void> => {
    const { response } = exchange;
    replaceHeaders(response, reading.headers);
    try {
      await respondFrom(exchange, reading);
    } catch (error) {
      if (!(error instanceof CopyError) || response.headersSent) throw error;
      // without the copy this time
      await respondFrom(exchange, reading);
    }
  };

  const respondFromPlatform = async (
    site: HostedSite,
    { request, response, extra, note }: Exchange,
    isSecure: boolean,
  ): Promise<void> => {
    note({ kind: 'sign-in', coding: 'identity', release: null });
    const post: PostSignIn = (message) =>
      options.signIn(message).catch((error: unknown) => {
        log(site.host, null, error);
        throw error;
      });
    if (isSecure) response.setHeader(hstsName, siteHeaders({ https: true })[hstsName] ?? '');
    for (let at = 0; at + 1 < extra.length; at += 2) response.setHeader(extra[at] ?? '', extra[at + 1] ?? '');
    const address = clientAddressOf(request, options.isProxy);
    await relaySignIn(site, request, response, { address, isSecure, post });
  };

  const respondToAny = async (exchange: Exchange, route: Route | undefined): Promise<void> => {
    const { request, response } = exchange;
    const isSecure = options.https || request.socket instanceof TLSSocket;
    const special = options.respondPlain(request, response, hostOf(request));
    if (special !== null) return exchange.note({ kind: special, coding: 'identity', release: null });
    if (route !== undefined) return respondTo(route, exchange, isSecure);
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

/** What a service gets of a request. */
function callOf(
  exchange: Exchange,
  { site, reader, isSecure }: Reading,
  { path, query }: Pick<ServiceCall, 'path' | 'query'>,
  opened: OpenRelease,
): ServiceCall {
  const { host, projectId, basePath, access } = site;
  const isRestricted = access.kind !== 'public';
  return {
    exchange,
    path,
    query,
    site: { host, projectId, basePath, isRestricted, isMeasured: isMeasuredBy(site, opened) },
    reader,
    release: { ...opened.about, find: opened.find, read: opened.read },
    isSecure,
  };
}

/** Whether readers are counted: the platform allows it now, and the pages were made for it. */
const isMeasuredBy = (site: HostedSite, opened: OpenRelease): boolean => site.isMeasured && opened.isMeasured;

/** The path of the page that a file is, or of which it is the Markdown copy; null for every other file. */
async function pageOf({ find }: OpenRelease, file: SiteFile, basePath: string): Promise<string | null> {
  const [, stem, ending] = /^(.*)\.(html|md)$/s.exec(file.path) ?? [];
  if (stem === undefined || stem === '404') return null;
  if (ending === 'md') {
    const page = await find(`${basePath}/${stem.split('/').map(encodeURIComponent).join('/')}.html`);
    if (page.kind !== 'file' || page.file.path !== `${stem}.html`) return null;
  }
  return `/${stem.replace(/(?:^|\/)index$/, '')}`;
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
  { status, headers, body }: ShortAnswer,
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
