import type { Kysely, Transaction } from 'kysely';
import { type Database, json, plainText } from '../platform/db/database.ts';
import type { Act } from '../platform/http/route.ts';
import { describeTarget } from './target.ts';

export { type AuditFormat, listAuditEvents, writeAuditEvents } from './events.ts';
export { type Quotas, requireStorage, takeDaily } from './quota.ts';
export { describeTarget } from './target.ts';
export { addUsage, readUsage, type UsageDelta } from './usage.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** An act as written: also those of the platform itself, which come from no request. */
export type AuditEntry = Omit<Act, 'actor' | 'address' | 'requestId'> & {
  actor: { kind: Act['actor']['kind'] | 'webhook' | 'schedule'; id: string | null; name: string };
  address: string | null;
  requestId: string | null;
};

/** Characters of a text of strangers that are kept: an id in a path can be of any length. */
const TEXT_LENGTH = 300;

/** Adds an event to the audit log. */
export async function recordAct(db: Db, entry: AuditEntry): Promise<void> {
  const { name, projectId } = entry.described ?? (await describeTarget(db, entry));
  const changes = entry.changes ?? [];
  await db
    .insertInto('audit_events')
    .values({
      organization_id: entry.organizationId,
      actor_kind: entry.actor.kind,
      actor_id: entry.actor.id,
      actor_name: kept(entry.actor.name),
      action: entry.action,
      target: entry.target === null ? null : kept(entry.target),
      target_name: name === null ? null : kept(name),
      project_id: projectId,
      changes: changes.length === 0 ? null : json([...changes]),
      outcome: entry.outcome,
      code: entry.code,
      address: entry.address,
      request_id: entry.requestId,
    })
    .execute();
}

function kept(text: string): string {
  return plainText(text.slice(0, TEXT_LENGTH));
}
