import type { ClientKind } from '@offprint/contract';
import type { DailyKind, StoredEventKind } from '../platform/db/database.ts';

/** An event as it is stored. */
export interface StoredEvent {
  at: Date;
  project_id: string;
  kind: StoredEventKind;
  client: ClientKind;
  path: string;
  visitor: Buffer | null;
  is_markdown: boolean;
  referrer: string | null;
  query: string | null;
  results: number | null;
  target: string | null;
}

/** What one row of the daily counts is about. */
export interface DailyKey {
  project: string;
  day: string;
  kind: DailyKind;
  subject: string;
  detail: string;
  client: ClientKind | '';
}

export interface DailyCount extends DailyKey {
  count: number;
  special: number;
  visitors: Buffer[];
  last: Date;
}

/** The key as one text. */
export const dailyName = ({ project, day, kind, subject, detail, client }: DailyKey): string =>
  JSON.stringify([project, day, kind, subject, detail, client]);

/** Adds events up by day. The order of the events does not matter. */
export function countByDay(events: Iterable<StoredEvent>): DailyCount[] {
  const counts = new Map<string, DailyCount>();
  for (const event of events) {
    for (const { special, ...key } of keysOf(event)) {
      const name = dailyName(key);
      let row = counts.get(name);
      if (row === undefined) {
        row = { ...key, count: 0, special: 0, visitors: [], last: event.at };
        counts.set(name, row);
      }
      row.count += 1;
      if (special) row.special += 1;
      if (key.kind === 'view' && event.visitor !== null) row.visitors.push(event.visitor);
      if (event.at > row.last) row.last = event.at;
    }
  }
  return [...counts.values()];
}

/** The rows that an event adds to. `special`: it also adds to their second count. */
function keysOf(event: StoredEvent): (DailyKey & { special: boolean })[] {
  const { client, path } = event;
  const base = {
    project: event.project_id,
    day: event.at.toISOString().slice(0, 10),
    detail: '',
    client: '' as const,
    special: false,
  };
  switch (event.kind) {
    case 'view': {
      const view = { ...base, kind: 'view', client, special: event.is_markdown } as const;
      const isLinked = client === 'person' && event.referrer !== null;
      return [
        { ...view, subject: '' },
        { ...view, subject: path },
        ...(isLinked ? [{ ...base, kind: 'referrer' as const, subject: event.referrer ?? '' }] : []),
      ];
    }
    case 'search':
      return [{ ...base, kind: 'search', subject: searchOf(event.query), special: event.results === 0 }];
    case 'click':
      return [{ ...base, kind: 'click', subject: searchOf(event.query), detail: event.target ?? '' }];
    case 'missing':
      return [{ ...base, kind: 'missing', subject: path, detail: event.referrer ?? '' }];
    case 'copy':
    case 'playground':
      return [{ ...base, kind: event.kind, subject: path }];
  }
}

/** Searches that differ in case and spaces are one. */
const searchOf = (query: string | null): string => (query ?? '').toLowerCase().replace(/\s+/g, ' ').trim();
