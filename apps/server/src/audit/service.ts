import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Act } from '../platform/http/route.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** An act as written: also those of the platform itself, which come from no request. */
export type AuditEntry = Omit<Act, 'actor' | 'address' | 'requestId'> & {
  actor: { kind: Act['actor']['kind'] | 'webhook' | 'schedule'; id: string | null; name: string };
  address: string | null;
  requestId: string | null;
};

/** Adds an event to the audit log. */
export async function recordAct(db: Db, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit_events')
    .values({
      organization_id: entry.organizationId,
      actor_kind: entry.actor.kind,
      actor_id: entry.actor.id,
      actor_name: entry.actor.name,
      action: entry.action,
      target: entry.target,
      outcome: entry.outcome,
      code: entry.code,
      address: entry.address,
      request_id: entry.requestId,
    })
    .execute();
}
