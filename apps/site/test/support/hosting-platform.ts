/** A platform that hosts sites: its list, links, bundles, certificates and sign-in, without a database. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SignInRequest, SignInResponse } from '../../src/access/sign-in.ts';
import type { HostedSite } from '../../src/hosting/protocol.ts';
import type { TestBundle } from './bundle.ts';
import { type BundleServer, sendBundle, sendError, startServer } from './bundle-server.ts';

export const hostingToken = 'hosting-token-of-this-test';

export interface HostingDouble {
  url: string;
  server: BundleServer;
  /** Replaces the list and responds to the requests that wait for a change. */
  setSites(sites: readonly unknown[]): void;
  /** Makes a bundle available as a deployment. */
  addDeployment(id: string, bundle: TestBundle): void;
  /** Its certificates; set before the site server asks. */
  certificates: readonly unknown[];
  /** Responses to challenges, by host and token. */
  challenges: Map<string, string>;
  /** Requests of readers who sign in, and the response to them; null: the platform fails. */
  signIns: SignInRequest[];
  signIn: ((request: SignInRequest) => unknown) | null;
  /** Keys of days in the list. */
  visitorKeys: readonly unknown[];
  /** Events of readers that were stored, by batch and place in it. */
  events: Map<string, Record<string, unknown>>;
  /** The API that stores events instead; null: `events` does. */
  forwardEvents: { url: string; token: string } | null;
  /** Status of responses to events instead of storing them; null: they are stored. */
  refuseEvents: number | null;
  stop(): Promise<void>;
}

/** A site of the list, public and at the root. */
export function siteOf(
  host: string,
  deploymentId: string,
  bundle: TestBundle,
  options: Partial<HostedSite> = {},
): HostedSite {
  return {
    host,
    projectId: `project-${host}`,
    deploymentId,
    kind: 'production',
    redirectTo: null,
    basePath: '',
    sha256: bundle.sha256,
    sizeBytes: bundle.bytes.length,
    noindex: false,
    access: { kind: 'public' },
    variants: [],
    isMeasured: false,
    ...options,
  };
}

export async function startHostingPlatform(): Promise<HostingDouble> {
  let sites: readonly unknown[] = [];
  let cursor = 0;
  const deployments = new Map<string, TestBundle>();
  const bundles = new Map<string, TestBundle>();
  const waiting = new Set<() => void>();

  const sendList = (response: ServerResponse) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ cursor: String(cursor), sites, visitorKeys: double.visitorKeys }));
  const list = (url: URL, response: ServerResponse): void => {
    const seconds = Number(url.searchParams.get('waitSeconds') ?? '0');
    if (url.searchParams.get('after') !== String(cursor)) return void sendList(response);
    const answer = (isChanged: boolean) => {
      clearTimeout(timer);
      waiting.delete(change);
      if (isChanged) sendList(response);
      else response.writeHead(304).end();
    };
    const change = () => answer(true);
    const timer = setTimeout(() => answer(false), seconds * 1000);
    waiting.add(change);
    response.once('close', () => {
      clearTimeout(timer);
      waiting.delete(change);
    });
  };
  const respondSignIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const piece of request) text += piece;
    const message: SignInRequest = JSON.parse(text);
    double.signIns.push(message);
    if (double.signIn === null) {
      sendError(response, 500, 'internal', 'It has failed.');
      return;
    }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(double.signIn(message)));
  };
  /** Stores the events of a batch under their places, as often as it comes. */
  const storeEvents = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const piece of request) text += piece;
    if (double.refuseEvents !== null) {
      sendError(response, double.refuseEvents, 'refused', 'The events are not stored.');
      return;
    }
    if (double.forwardEvents !== null) {
      const { url, token } = double.forwardEvents;
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const reply = await fetch(new URL('/v1/hosting/events', url), {
        method: 'POST',
        headers,
        body: text,
      }).catch(() => null);
      const answer = await reply?.text().catch(() => null);
      response.writeHead(answer == null ? 503 : (reply?.status ?? 503), {
        'content-type': 'application/json',
      });
      response.end(answer ?? '{}');
      return;
    }
    const batch: { id: string; events: Record<string, unknown>[] } = JSON.parse(text);
    for (const [place, event] of batch.events.entries()) double.events.set(`${batch.id} ${place}`, event);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ stored: batch.events.length, dropped: 0 }));
  };
  /** What is about readers and certificates; false: nothing was asked of that. */
  const respondOtherwise = (url: URL, request: IncomingMessage, response: ServerResponse): boolean => {
    if (url.pathname === '/v1/hosting/sign-in') {
      void respondSignIn(request, response);
      return true;
    }
    if (url.pathname === '/v1/hosting/events') {
      void storeEvents(request, response);
      return true;
    }
    if (url.pathname === '/v1/hosting/certificates') {
      const isKnown = url.searchParams.get('after') === '1';
      // a platform waits before it reports that nothing has changed
      if (isKnown) setTimeout(() => response.writeHead(304).end(), 1000).unref();
      else response.end(JSON.stringify({ cursor: '1', certificates: double.certificates }));
      return true;
    }
    const [, asked] = /^\/v1\/hosting\/challenges\/(.+)$/.exec(url.pathname) ?? [];
    if (asked !== undefined) {
      const text = double.challenges.get(asked.replace('/', ' '));
      if (text === undefined) response.writeHead(404).end();
      else response.end(text);
    }
    return asked !== undefined;
  };
  const usual = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', server.url);
    const [, file = '', end = ''] = /^\/files\/([0-9a-f]{64})\.(tar\.gz|json)$/.exec(url.pathname) ?? [];
    const bundle = bundles.get(file);
    if (bundle !== undefined && end === 'json') {
      response.writeHead(200).end(JSON.stringify(bundle.index));
      return;
    }
    if (bundle !== undefined) {
      sendBundle(bundle, request, response);
      return;
    }
    if (request.headers.authorization !== `Bearer ${hostingToken}`) {
      sendError(response, 401, 'unauthorized', 'The token is not valid.');
      return;
    }
    if (url.pathname === '/v1/hosting/sites') {
      list(url, response);
      return;
    }
    if (respondOtherwise(url, request, response)) return;
    const [, id = ''] = /^\/v1\/hosting\/deployments\/([^/]+)\/bundle$/.exec(url.pathname) ?? [];
    const deployed = deployments.get(id);
    if (deployed === undefined) {
      sendError(response, 404, 'not_found', 'There is no such deployment.');
      return;
    }
    const link = `${server.url}/files/${deployed.sha256}`;
    response.writeHead(200, { 'content-type': 'application/json', etag: `"${deployed.sha256}"` }).end(
      JSON.stringify({
        bundleUrl: `${link}.tar.gz?signature=s3cret-of-the-link`,
        sha256: deployed.sha256,
        sizeBytes: deployed.bytes.length,
        indexUrl: `${link}.json?signature=s3cret-of-the-link`,
      }),
    );
  };
  const server = await startServer(usual);
  const accepted: SignInResponse = { status: 200, headers: {}, body: 'sign in here' };
  const double: HostingDouble = {
    url: `${server.url}/`,
    server,
    certificates: [],
    challenges: new Map(),
    signIns: [],
    visitorKeys: [],
    events: new Map(),
    forwardEvents: null,
    refuseEvents: null,
    signIn: () => accepted,
    setSites(next) {
      sites = next;
      cursor += 1;
      for (const change of [...waiting]) change();
    },
    addDeployment(id, bundle) {
      deployments.set(id, bundle);
      bundles.set(bundle.sha256, bundle);
    },
    stop: () => server.stop(),
  };
  return double;
}
