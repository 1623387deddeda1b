import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { prefersMarkdown } from '@offprint/bundle';
import { clientAddressOf, type IsProxy } from '../hosting/client-address.ts';
import type { Log } from '../log.ts';
import { type EventSink, startSender } from './send.ts';
import { openSpool } from './spool.ts';
import { type ClientKind, classifyClient } from './user-agents.ts';
import { createVisitorHash } from './visitor.ts';

/** The site of an event. */
export interface MeasuredSite {
  host: string;
  projectId: string;
}

/** An event without what the request says about its sender. */
export type Happening =
  | { kind: 'search'; path: string; query: string; results: number }
  | { kind: 'click'; path: string; query: string; target: string }
  | { kind: 'copy' | 'playground'; path: string }
  | { kind: 'missing'; path: string; referrer: string }
  | {
      kind: 'feedback';
      path: string;
      entry: string;
      helpful: boolean | null;
      comment: string | null;
      isAgent: boolean;
    };

/** Counts what readers do on sites that allow it. */
export interface Analytics {
  /** Whether the reader may be counted: neither Do Not Track nor Global Privacy Control is set. */
  mayCount(request: IncomingMessage): boolean;
  /** A page or its Markdown copy is being sent. Does nothing for requests that are not views. */
  countView(request: IncomingMessage, site: MeasuredSite, page: { path: string; isMarkdown: boolean }): void;
  /** Stores an event. False: it was dropped. */
  record(request: IncomingMessage, site: MeasuredSite, happening: Happening): boolean;
  /** Identifies the reader of a request today, in memory, for limits. */
  visitorOf(request: IncomingMessage, host: string): string;
  setKeys(keys: unknown): void;
  figures(): AnalyticsFigures;
  stop(): Promise<void>;
}

export interface AnalyticsFigures {
  recorded: number;
  sent: number;
  dropped: number;
  waitingBytes: number;
}

export interface AnalyticsOptions {
  /** Folder of events that wait. */
  dir: string;
  maxBytes: number;
  isProxy: IsProxy;
  sink: EventSink;
  log: Log;
  adoptMs?: number;
  intervalMs?: number;
}

/** User agents whose kind is kept in memory. */
const maxKinds = 2_000;
const stopMs = 3_000;

/** Opens the spool and starts to send. Throws if the folder cannot be made. */
export async function startAnalytics(options: AnalyticsOptions): Promise<Analytics> {
  const spool = await openSpool(options);
  const sender = startSender({ ...options, spool });
  const visitors = createVisitorHash();
  // for limits; it never leaves the process
  const ownVisitors = createVisitorHash();
  const ownKey = randomBytes(32).toString('base64url');
  const kinds = new Map<string, ClientKind>();
  let recorded = 0;

  const kindOf = ({ headers }: IncomingMessage): ClientKind => {
    const key = `${prefersMarkdown(headers.accept)} ${headers['user-agent'] ?? ''}`;
    let kind = kinds.get(key);
    if (kind === undefined) {
      kind = classifyClient(headers['user-agent'], prefersMarkdown(headers.accept));
      if (kinds.size >= maxKinds) kinds.clear();
      kinds.set(key, kind);
    }
    return kind;
  };
  const senderOf = (request: IncomingMessage, host: string) => ({
    address: clientAddressOf(request, options.isProxy),
    userAgent: request.headers['user-agent'] ?? '',
    host,
  });
  const write = (event: object): boolean => {
    const isStored = spool.append(JSON.stringify(event));
    if (isStored) recorded += 1;
    return isStored;
  };
  return {
    mayCount,
    countView(request, { host, projectId }, { path, isMarkdown }) {
      if (!isView(request) || !mayCount(request)) return;
      const at = new Date();
      write({
        at: at.getTime(),
        projectId,
        kind: 'view',
        client: kindOf(request),
        path,
        visitor: visitors.of(senderOf(request, host), at),
        isMarkdown,
        referrer: otherHost(request.headers.referer, host),
      });
    },
    record: (request, { projectId }, happening) =>
      write({ at: Date.now(), projectId, client: kindOf(request), ...happening }),
    visitorOf(request, host) {
      const at = new Date();
      ownVisitors.setKeys([{ day: at.toISOString().slice(0, 10), key: ownKey }]);
      return ownVisitors.of(senderOf(request, host), at) ?? '';
    },
    setKeys: visitors.setKeys,
    figures: () => ({
      recorded,
      sent: sender.sent(),
      dropped: spool.dropped(),
      waitingBytes: spool.bytes(),
    }),
    stop: () => sender.stop(stopMs),
  };
}

function mayCount({ headers }: IncomingMessage): boolean {
  return headers.dnt !== '1' && headers['sec-gpc'] !== '1';
}

/**
 * Whether a request for a page is a view. A page that has not changed (304) was viewed again. One that a browser fetches
 * ahead may never be shown, a part of a page is not requested by browsers, and what a script of a page fetches, such as the
 * text that a reader copies, belongs to the view of that page.
 */
function isView({ method, headers }: IncomingMessage): boolean {
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''} ${headers['x-moz'] ?? ''}`;
  const isFetched = headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-dest'] === 'empty';
  if (method !== 'GET' || headers.range !== undefined || isFetched) return false;
  return !/prefetch|prerender|preview/i.test(purpose);
}

/** Host of the page with the link; null for the same site, and where none is named. */
export function otherHost(referer: string | undefined, host: string): string | null {
  const url = referer === undefined || referer.length > 4_096 ? null : URL.parse(referer);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === host) return null;
  return url.hostname.slice(0, 253);
}
