/** A platform that hosts sites: its list, links and bundles, without a database. */
import type { IncomingMessage, ServerResponse } from 'node:http';
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
      .end(JSON.stringify({ cursor: String(cursor), sites }));
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
  return {
    url: `${server.url}/`,
    server,
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
}
