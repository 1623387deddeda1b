import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import {
  type AssistantSettingsTable,
  type AssistantTurnsTable,
  type Database,
  json,
  type StoredAssistantSource,
} from '../platform/db/database.ts';
import { newUlid } from './ulid.ts';

type Db = Kysely<Database> | Transaction<Database>;

export type TurnRow = Selectable<AssistantTurnsTable>;
export type SettingsRow = Selectable<AssistantSettingsTable>;

interface Owner {
  organizationId: string;
  projectId: string;
}

export function findSettings(db: Db, { organizationId, projectId }: Owner): Promise<SettingsRow | undefined> {
  return db
    .selectFrom('assistant_settings')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

export async function saveSettings(
  db: Db,
  { organizationId, projectId }: Owner,
  values: Pick<
    SettingsRow,
    'model' | 'starter_questions' | 'deflection' | 'deflection_target' | 'allowed_origins'
  >,
): Promise<void> {
  await db
    .insertInto('assistant_settings')
    .values({ organization_id: organizationId, project_id: projectId, ...values })
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet({ ...values, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

/** Earlier turns of a thread, newest first. Empty if the thread is of another project. */
export function listTurns(
  db: Db,
  { organizationId, projectId }: Owner,
  threadId: string,
  limit: number,
): Promise<TurnRow[]> {
  return db
    .selectFrom('assistant_turns')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export interface NewTurn extends Owner {
  id: string;
  threadId: string;
  query: string;
  response: string;
  sources: readonly StoredAssistantSource[];
  resolution: TurnRow['resolution'];
  caller: TurnRow['caller'];
  pageUrl: string | null;
  groups: readonly string[];
  inputTokens: number;
  outputTokens: number;
}

/** Stores a question with its answer, in a thread that is made if it is new. */
export async function insertTurn(db: Kysely<Database>, turn: NewTurn): Promise<void> {
  const of = { organization_id: turn.organizationId, project_id: turn.projectId };
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto('assistant_threads')
      .values({ id: turn.threadId, ...of })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await tx
      .insertInto('assistant_turns')
      .values({
        id: turn.id,
        thread_id: turn.threadId,
        ...of,
        query: storable(turn.query),
        response: storable(turn.response),
        sources: json(turn.sources.map(({ title, url }) => ({ title: storable(title), url: storable(url) }))),
        resolution: turn.resolution,
        caller: turn.caller,
        page_url: turn.pageUrl === null ? null : storable(turn.pageUrl),
        groups: [...turn.groups],
        input_tokens: turn.inputTokens,
        output_tokens: turn.outputTokens,
      })
      .execute();
  });
}

/** The database stores no NUL and no half of a surrogate pair. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

/** A thread of the project. */
export function findThread(db: Db, { organizationId, projectId }: Owner, threadId: string) {
  return db
    .selectFrom('assistant_threads')
    .select(['id', 'created_at'])
    .where('id', '=', threadId)
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** Sets or removes the rating of an answer; false if the project has no such answer. */
export async function rateTurn(
  db: Db,
  projectId: string,
  id: string,
  rating: -1 | 1 | null,
): Promise<boolean> {
  const row = await db
    .updateTable('assistant_turns')
    .set({ rating })
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export interface Period {
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
}

export function listConversations(
  db: Db,
  { organizationId, projectId }: Owner,
  query: Period & {
    resolutionStatus?: TurnRow['resolution'] | undefined;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<TurnRow[]> {
  const { resolutionStatus, cursor } = query;
  const { from, to } = idsOf(query);
  return db
    .selectFrom('assistant_turns')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .$if(from !== null, (list) => list.where('id', '>=', from))
    .$if(to !== null, (list) => list.where('id', '<', to))
    .$if(resolutionStatus !== undefined, (list) =>
      list.where('resolution', '=', resolutionStatus ?? 'answered'),
    )
    .$if(cursor !== undefined, (list) => list.where('id', '<', cursor ?? ''))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute();
}

export async function countCallers(
  db: Db,
  { organizationId, projectId }: Owner,
  period: Period,
): Promise<Record<TurnRow['caller'], number>> {
  const { from, to } = idsOf(period);
  const rows = await db
    .selectFrom('assistant_turns')
    .select(['caller', sql<number>`count(*)::int`.as('count')])
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .$if(from !== null, (list) => list.where('id', '>=', from))
    .$if(to !== null, (list) => list.where('id', '<', to))
    .groupBy('caller')
    .execute();
  const counts = { web: 0, api: 0, other: 0 };
  for (const { caller, count } of rows) counts[caller] = count;
  return counts;
}

/** The ids of a period: they start with their time, and the index is on them. */
function idsOf({
  dateFrom,
  dateTo,
}: Period):
  | { from: string; to: string }
  | { from: null; to: null }
  | { from: string | null; to: string | null } {
  const first = (date: string | undefined) =>
    date === undefined ? null : newUlid(Math.max(0, Date.parse(date))).slice(0, 10);
  return { from: first(dateFrom), to: first(dateTo) };
}

/** Deletes turns older than the days, and threads without turns. */
export async function forgetTurns(db: Kysely<Database>, days: number): Promise<void> {
  const before = sql<Date>`now() - make_interval(days => ${days})`;
  await db.deleteFrom('assistant_turns').where('created_at', '<', before).execute();
  await db
    .deleteFrom('assistant_threads')
    .where('created_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('assistant_turns')
            .select('assistant_turns.id')
            .whereRef('thread_id', '=', 'assistant_threads.id'),
        ),
      ),
    )
    .execute();
}
