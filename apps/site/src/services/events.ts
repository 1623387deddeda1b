import type { IncomingMessage } from 'node:http';
import type { Analytics, Happening } from '../analytics/analytics.ts';
import { fieldsOf } from '../hosting/protocol.ts';
import { readBody, type Service, type ServiceCall, sendAnswer } from './service.ts';

const maxBodyBytes = 32 * 1024;
const maxEvents = 50;
/** Events of one reader in a minute, and of one site. */
const limits = { reader: 120, site: 6_000 };
const maxReaders = 20_000;

/** Takes what scripts of pages report: `POST /_offprint/events`. Everything in it may be made up. */
export function createEventsService(analytics: Analytics): Service {
  const limit = createMinuteLimit();
  return {
    matches: (path) => path === '/_offprint/events',
    async respond(call) {
      const { request } = call.exchange;
      const answer = (status: number, body = '', headers: Record<string, string> = {}) =>
        sendAnswer(call, { status, body, headers });
      if (request.method !== 'POST') return answer(405, 'Send events with POST.\n', { Allow: 'POST' });
      if (!isOwnPage(request)) return answer(403, 'Only pages of this site send events.\n');
      const body = await readBody(request, maxBodyBytes);
      if (body === null) return answer(413, `The limit is ${maxBodyBytes} bytes.\n`);
      const { host, projectId, isMeasured } = call.site;
      // a page that was loaded before the site stopped to count sends its events without an error
      if (!isMeasured || host === null || projectId === null || !analytics.mayCount(request))
        return answer(202);
      const happenings = parseEvents(body, call);
      if (happenings === null) return answer(400, 'The body must be a list of events.\n');
      if (!limit.take(analytics.visitorOf(request, host), host, happenings.length))
        return answer(429, 'Too many events. Send fewer.\n', { 'Retry-After': '60' });
      let isStored = true;
      for (const one of happenings)
        isStored = analytics.record(request, { host, projectId }, one) && isStored;
      return isStored ? answer(202) : answer(503, 'Events cannot be stored now.\n', { 'Retry-After': '60' });
    },
  };
}

/** Whether the request is from a page of the site, or from a program that says nothing about it. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin, host } = headers;
  return origin === undefined || URL.parse(origin)?.host === host;
}

/** The events of a body that are of the known form; null if it is not a list. */
function parseEvents(body: Buffer, { site }: ServiceCall): Happening[] | null {
  let list: unknown;
  try {
    list = JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
  if (!Array.isArray(list) || list.length > maxEvents) return null;
  return list.flatMap(
    (entry: unknown) => parseEvent(fieldsOf(entry) ?? {}, site.basePath, site.host ?? '') ?? [],
  );
}

/** Null for an event of an unknown form. */
export function parseEvent(
  fields: Record<string, unknown>,
  basePath: string,
  host: string,
): Happening | null {
  const path = pagePath(fields.path, basePath);
  if (path === null) return null;
  switch (fields.kind) {
    case 'copy':
    case 'playground':
      return { kind: fields.kind, path };
    case 'search': {
      const query = textOf(fields.query, 200);
      const { results } = fields;
      const isCount = typeof results === 'number' && Number.isSafeInteger(results);
      if (query === null || !isCount || results < 0 || results > 1_000_000) return null;
      return { kind: 'search', path, query, results };
    }
    case 'click': {
      const query = textOf(fields.query, 200);
      const target = pagePath(fields.target, basePath);
      return query === null || target === null ? null : { kind: 'click', path, query, target };
    }
    case 'missing':
      return { kind: 'missing', path, referrer: linkingPage(fields.from, basePath, host) };
    case 'feedback': {
      const { entry, helpful, comment } = fields;
      if (typeof entry !== 'string' || !/^[\w.-]{8,64}$/.test(entry)) return null;
      if (typeof helpful !== 'boolean') return null;
      return { kind: 'feedback', path, entry, helpful, comment: textOf(comment, 1_000), isAgent: false };
    }
    default:
      return null;
  }
}

/** Printable text of at most that many characters; null without any. */
function textOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .slice(0, max)
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
    .trim();
  return text === '' ? null : text;
}

/** A path of the site as views are counted: below the base path, without `.html`; null for anything else. */
export function pagePath(value: unknown, basePath: string): string | null {
  if (typeof value !== 'string' || value.length > 1_024 || !value.startsWith(`${basePath}/`)) return null;
  let path = value.slice(basePath.length).replace(/[?#].*$/s, '');
  try {
    path = decodeURIComponent(path);
  } catch {
    return null;
  }
  const plain = path.replace(/(?:\/index)?\.html$/, '').replace(/\/+$/, '');
  return textOf(plain === '' ? '/' : plain, 1_024);
}

/** The page with a broken link: a path of the site, or host and path of another one; empty if unknown. */
function linkingPage(value: unknown, basePath: string, host: string): string {
  const url = typeof value === 'string' && value.length <= 4_096 ? URL.parse(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return '';
  if (url.hostname === host) return pagePath(url.pathname, basePath) ?? '';
  return `${url.protocol}//${url.host}${url.pathname}`.slice(0, 500);
}

/** Counts per minute, in memory that does not grow with the number of readers. */
export function createMinuteLimit(): { take(reader: string, site: string, count: number): boolean } {
  let minute = 0;
  let readers = new Map<string, number>();
  let sites = new Map<string, number>();
  return {
    take(reader, site, count) {
      const now = Math.floor(performance.now() / 60_000);
      if (now !== minute || readers.size > maxReaders) {
        minute = now;
        readers = new Map();
        sites = new Map();
      }
      const [ofReader, ofSite] = [(readers.get(reader) ?? 0) + count, (sites.get(site) ?? 0) + count];
      if (ofReader > limits.reader || ofSite > limits.site) return false;
      readers.set(reader, ofReader);
      sites.set(site, ofSite);
      return true;
    },
  };
}
