import { isIP } from 'node:net';
import { MCP_PATH } from '@offprint/bundle';
import {
  createMcpServer,
  createSiteTools,
  DamagedIndexError,
  type FeedbackEvent,
  type Gate,
  MAX_MCP_BODY,
  mcpDiscovery,
  respondMcp,
  type SearchCache,
} from '@offprint/search';
import { isMcpCall } from '../access/oauth.ts';
import { normalizeHost } from '../hosting/host.ts';
import type { Log } from '../log.ts';
import { busyAnswer } from './search.ts';
import { readBody, type Service, type ServiceCall, sendAnswer } from './service.ts';

/** Keeps what an agent reports about a page; null if reports of this site are not kept. */
export type FindFeedback = (call: ServiceCall) => ((event: FeedbackEvent) => Promise<boolean>) | null;

export interface McpParts {
  cache: SearchCache;
  gate: Gate;
  /** Undefined: agents have no tool for reports. */
  findFeedback: FindFeedback | undefined;
  log: Log | undefined;
}

/** `/mcp`, and the documents by which clients find it. A page of the site with the path `mcp` remains readable. */
export function createMcpServices({ cache, gate, findFeedback, log }: McpParts): Service[] {
  const toolsOf = (call: ServiceCall) => {
    const { site, release, exchange, isSecure } = call;
    return createSiteTools({
      name: release.name,
      version: release.version,
      origin: `${isSecure ? 'https' : 'http'}://${exchange.request.headers.host ?? ''}`,
      basePath: site.basePath,
      read: release.read,
      openSearch: () => cache.open(release.sha256, release.read),
      search: (request) => cache.search(release.sha256, release.read, request),
      submitFeedback: findFeedback?.(call) ?? undefined,
    });
  };
  const discoveryOf = (call: ServiceCall) => {
    const { site, exchange, isSecure } = call;
    const origin = `${isSecure ? 'https' : 'http'}://${exchange.request.headers.host ?? ''}`;
    return mcpDiscovery(`${origin}${site.basePath}${MCP_PATH}`, site.isRestricted);
  };
  const documents = Object.keys(mcpDiscovery('', false));

  const endpoint: Service = {
    matches: (path, request) => isMcpCall(path, '', request),
    async respond(call) {
      const { request } = call.exchange;
      const refusal = refuseForeign(call);
      if (refusal !== null) return sendAnswer(call, { status: 403, body: refusal });
      const body = request.method === 'POST' ? await readBody(request, MAX_MCP_BODY) : null;
      const server = createMcpServer(toolsOf(call), (error) => {
        const reason = error instanceof Error ? error.message : String(error);
        log?.error('cannot respond to a message of MCP', { release: call.release.sha256, reason });
      });
      const { method = '', headers } = request;
      const answer = await gate.run(() =>
        respondMcp(server, { method, headers, body: body?.toString() ?? null }),
      );
      sendAnswer(call, answer ?? busyAnswer);
    },
  };
  const discovery: Service = {
    matches: (path, { method }) => documents.includes(path) && (method === 'GET' || method === 'HEAD'),
    async respond(call) {
      try {
        const document = await gate.run(async () => discoveryOf(call)[call.path]?.(toolsOf(call)) ?? null);
        sendAnswer(call, document === null ? busyAnswer : { status: 200, body: document });
      } catch (error) {
        if (!(error instanceof DamagedIndexError)) throw error;
        log?.error('cannot describe the MCP server', { release: call.release.sha256, reason: error.message });
        sendAnswer(call, { status: 500, body: { error: error.message, code: 'search_unavailable' } });
      }
    },
  };
  return [endpoint, discovery];
}

/**
 * Scripts of other sites must not use a reader's access to this one. A browser names the site that sends a request; its
 * host must be that of the request, and, where a process serves any host, one that no foreign DNS can name.
 */
function refuseForeign({ exchange, site, release }: ServiceCall): { error: string; code: string } | null {
  const { origin, host = '' } = exchange.request.headers;
  if (origin === undefined) return null;
  const own = normalizeHost(host);
  const sender = URL.canParse(origin) ? new URL(origin) : null;
  // with the port, which is left out if it is the usual one
  const asked = sender === null ? '' : `${sender.protocol}//${host}`;
  const isSame = sender !== null && URL.canParse(asked) && new URL(asked).host === sender.host;
  const isKnown =
    site.host !== null || own === 'localhost' || isIP(own ?? '') !== 0 || own === hostOf(release.url);
  if (isSame && isKnown) return null;
  return { error: 'Requests of other sites are refused.', code: 'cross_site' };
}

function hostOf(url: string): string | null {
  return URL.canParse(url) ? normalizeHost(new URL(url).host) : null;
}
