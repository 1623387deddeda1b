import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { siteHeaders, sitePolicy } from '@offprint/bundle';
import type { Answer } from '../source/request.ts';
import { readBody, type Service, type ServiceCall, sendAnswer } from './service.ts';

/** Relays requests to the assistant of the platform. */
export interface AssistantPlatform {
  /**
   * Sends a request of a reader; the response is read as it arrives. Rejects with a DeploymentError if the platform is
   * unavailable, or with the reason of the signal.
   */
  post(path: AssistantPath, body: object, signal: AbortSignal): Promise<Answer>;
  /** IP address of the reader. */
  addressOf(request: IncomingMessage): string;
}

/** Endpoints of the platform, below `/v1/hosting/`. */
export type AssistantPath = 'assistant' | 'assistant/feedback' | 'assistant/panel';

const paths: Readonly<Record<string, AssistantPath>> = {
  '/_offprint/assistant/message': 'assistant',
  '/_offprint/assistant/feedback': 'assistant/feedback',
  '/_offprint/assistant/panel': 'assistant/panel',
};

/** The page that other sites embed in a frame, and its file in the release. */
const widgetPath = '/_offprint/assistant/widget';
const widgetFile = '_offprint/assistant.html';
const maxWidgetBytes = 64 * 1024;
/** Of the platform, for the page that starts. */
const maxPanelBytes = 64 * 1024;
const panelMs = 10_000;

/** A question with its selected text; a longer history is stored by the platform. */
const maxBody = 64 * 1024;
/** At the same time, so that slow answers cannot use all connections to the platform. */
const maxOpen = 200;
/** Headers of the platform that readers get. */
const passedHeaders = ['content-type', 'retry-after', 'offprint-challenge', 'x-vercel-ai-ui-message-stream'];

/** The assistant of a site: readers ask their site, which asks the platform and sends its response as it arrives. */
export function createAssistantService(platform: AssistantPlatform): Service {
  let open = 0;
  return {
    matches: (path) => path === widgetPath || Object.hasOwn(paths, path),
    async respond(call) {
      const { site, exchange } = call;
      if (call.path === widgetPath) return sendWidget(call, platform);
      const path = paths[call.path];
      if (path === undefined || site.host === null)
        return refuse(call, 404, 'not_found', 'This site has no assistant.');
      const body = await readQuestion(call);
      if (body === null) return;
      if (open >= maxOpen) {
        exchange.request.resume();
        return refuse(call, 503, 'unavailable', 'Too many readers are asking. Try again in a minute.');
      }
      open += 1;
      try {
        await relay(call, platform, path, body);
      } finally {
        open -= 1;
      }
    },
  };
}

/**
 * The page with the assistant, which only the origins that the team has named may embed. It asks as a reader who has not
 * signed in: browsers send the cookie of a reader to no frame of another site.
 */
async function sendWidget(call: ServiceCall, platform: AssistantPlatform): Promise<void> {
  const { site, release, isSecure, exchange } = call;
  if (exchange.request.method !== 'GET' && exchange.request.method !== 'HEAD')
    return refuse(call, 405, 'method_not_allowed', 'Use GET.', { Allow: 'GET, HEAD' });
  const page = site.host === null ? null : await release.read(widgetFile, maxWidgetBytes);
  if (page === null) return refuse(call, 404, 'not_found', 'This site has no assistant.');
  const origins = await readOrigins(platform, site.host ?? '').catch(() => null);
  if (origins === null) return refuse(call, 503, 'unavailable', 'The assistant is unavailable.');
  const policy = sitePolicy({ ancestors: ["'self'", ...origins].join(' ') });
  const headers = { ...siteHeaders({ https: isSecure }), 'Content-Security-Policy': policy };
  // Files of the page are one folder higher.
  const text = page.toString('utf8').replace(/ (src|href)="(?!data:)/g, ' $1="../');
  sendAnswer(call, {
    status: 200,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' },
    body: text,
  });
}

/** Origins that may embed the assistant of a host. Rejects if the platform does not say. */
async function readOrigins(platform: AssistantPlatform, host: string): Promise<string[]> {
  const answer = await platform.post('assistant/panel', { host }, AbortSignal.timeout(panelMs));
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer.response) {
    const bytes = Buffer.from(piece);
    length += bytes.length;
    if (length > maxPanelBytes) break;
    pieces.push(bytes);
  }
  answer.end();
  const body: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  const list =
    typeof body === 'object' && body !== null && 'allowedOrigins' in body ? body.allowedOrigins : null;
  if (!Array.isArray(list)) throw new TypeError('the platform did not send the origins');
  return list.filter((one): one is string => typeof one === 'string' && originPattern.test(one));
}

const originPattern = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;

/** The JSON of a request from a page of this site; null after a response to any other. */
async function readQuestion(call: ServiceCall): Promise<unknown> {
  const { request } = call.exchange;
  if (request.method !== 'POST') {
    refuse(call, 405, 'method_not_allowed', 'Use POST.', { Allow: 'POST' });
    return null;
  }
  if (!isSameOrigin(request)) {
    refuse(call, 403, 'cross_site', 'Only pages of this site can ask the assistant.');
    return null;
  }
  if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    refuse(call, 415, 'unsupported_media_type', 'Content-Type must be application/json.');
    return null;
  }
  const bytes = await readBody(request, maxBody);
  if (bytes === null) {
    refuse(call, 413, 'body_too_large', `The request is larger than ${maxBody} bytes.`, {
      Connection: 'close',
    });
    return null;
  }
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch {
    // responded below
  }
  refuse(call, 400, 'invalid_json', 'The body must be a JSON object.');
  return null;
}

/** Whether the request is from a page of this host. Clients that are not browsers send neither header. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host = '' } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host.toLowerCase());
}

async function relay(
  call: ServiceCall,
  platform: AssistantPlatform,
  path: AssistantPath,
  body: unknown,
): Promise<void> {
  const { exchange, site, reader, release, isSecure } = call;
  const { request, response, extra, note } = exchange;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const message = {
    host: site.host,
    bundle: release.sha256,
    reader: { isSignedIn: reader !== null, groups: reader?.groups ?? [] },
    address: platform.addressOf(request),
    body,
  };
  let answer: Answer;
  try {
    answer = await platform.post(path, message, gone.signal);
  } catch (error) {
    if (gone.signal.aborted) return;
    if (!(error instanceof Error)) throw error;
    return refuse(call, 503, 'unavailable', 'The assistant is unavailable. Try again in a minute.');
  }
  note({ kind: 'service', coding: 'identity', release: release.sha256 });
  const headers: Record<string, string> = {
    ...siteHeaders({ https: isSecure }),
    'Cache-Control': 'private, no-store, no-transform',
    'X-Accel-Buffering': 'no',
    'X-Robots-Tag': 'noindex',
  };
  for (const name of passedHeaders) {
    const value = answer.response.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const { statusCode = 502 } = answer.response;
  // What is wrong between this server and the platform is not for readers.
  if (statusCode === 401) {
    answer.end();
    return refuse(call, 503, 'unavailable', 'The assistant is unavailable. Try again in a minute.');
  }
  response.writeHead(statusCode, [...Object.entries(headers).flat(), ...extra]);
  response.flushHeaders();
  try {
    await pipeline(answer.response, response);
  } catch {
    // One of the two has ended early; the reader sees an incomplete stream.
  } finally {
    answer.end();
  }
}

function refuse(
  call: ServiceCall,
  status: number,
  code: string,
  error: string,
  headers: Record<string, string> = {},
): void {
  const retry = status === 503 ? { 'Retry-After': '60' } : {};
  sendAnswer(call, { status, headers: { ...retry, ...headers }, body: { error, code } });
}
