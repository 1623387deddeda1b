import type { AuditEvent, AuditEventList, AuditFilter } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import { csvLine as formatCsvLine } from '../platform/csv.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import {
  type AuditRow,
  type AuditScope,
  deleteOldEvents,
  lastEventId,
  listEvents,
  nextEvents,
} from './store.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** Events of an organization, or of the whole installation, newest first. */
export async function listAuditEvents(
  db: Db,
  scope: AuditScope,
  query: AuditFilter & { cursor?: string | undefined; limit: number },
): Promise<AuditEventList> {
  const rows = await listEvents(db, scope, query, { before: parseCursor(query.cursor), limit: query.limit });
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    data: shown.map(presentEvent),
    nextCursor: rows.length > query.limit && last !== undefined ? formatCursor(last.id) : null,
  };
}

export type AuditFormat = 'csv' | 'jsonl';

const BATCH = 1_000;

/**
 * The events that there are at the first read, oldest first, as pieces of a file. Reads a batch at a time, so that the
 * length of the log does not matter.
 */
export async function* writeAuditEvents(
  db: Db,
  scope: AuditScope,
  filter: AuditFilter,
  format: AuditFormat,
): AsyncGenerator<string> {
  const last = await lastEventId(db);
  const write = format === 'csv' ? csvLine : jsonLine;
  if (format === 'csv') yield `${CSV_COLUMNS.map(({ name }) => name).join(',')}\r\n`;
  for (let after = 0; ; ) {
    const rows = await nextEvents(db, scope, filter, { after, last, limit: BATCH });
    if (rows.length > 0) yield rows.map((row) => write(presentEvent(row))).join('');
    if (rows.length < BATCH) return;
    after = rows.at(-1)?.id ?? last;
  }
}

/** Deletes the events older than the given number of days; returns how many. */
export async function forgetAuditEvents(db: Db, days: number, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  while (!signal.aborted) {
    const count = await deleteOldEvents(db, days, BATCH);
    deleted += count;
    if (count < BATCH) break;
  }
  return deleted;
}

const CSV_COLUMNS: readonly { name: string; of(event: AuditEvent): string | null }[] = [
  { name: 'id', of: (event) => event.id },
  { name: 'at', of: (event) => event.at },
  { name: 'actor_kind', of: (event) => event.actor.kind },
  { name: 'actor_id', of: (event) => event.actor.id },
  { name: 'actor_name', of: (event) => event.actor.name },
  { name: 'action', of: (event) => event.action },
  { name: 'target', of: (event) => event.target },
  { name: 'outcome', of: (event) => event.outcome },
  { name: 'code', of: (event) => event.code },
  { name: 'address', of: (event) => event.address },
  { name: 'request_id', of: (event) => event.requestId },
  { name: 'target_name', of: (event) => event.targetName },
  { name: 'project_id', of: (event) => event.projectId },
  {
    name: 'changes',
    of: ({ changes }) => (changes.length === 0 ? null : JSON.stringify(changes)),
  },
];

function csvLine(event: AuditEvent): string {
  return formatCsvLine(CSV_COLUMNS.map(({ of }) => of(event)));
}

function jsonLine(event: AuditEvent): string {
  return `${JSON.stringify(event)}\n`;
}

function presentEvent(row: AuditRow): AuditEvent {
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    action: row.action,
    target: row.target,
    targetName: row.target_name,
    projectId: row.project_id,
    changes: row.changes ?? [],
    outcome: row.outcome,
    code: row.code,
    address: row.address,
    requestId: row.request_id,
  };
}

function formatCursor(id: number): string {
  return Buffer.from(String(id)).toString('base64url');
}

/** Throws the 400 for anything that is not our cursor. */
function parseCursor(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Buffer.from(text, 'base64url').toString('utf8');
  if (/^\d{1,15}$/.test(number)) return Number(number);
  throw new AppError('invalid_request', 'cursor must be the nextCursor of an earlier response.', {
    param: 'cursor',
  });
}
