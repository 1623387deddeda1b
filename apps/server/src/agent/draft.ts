import { type Kysely, sql } from 'kysely';
import { type Database, plainText } from '../platform/db/database.ts';
import type { Fence } from '../platform/jobs/jobs.ts';
import { hideKeys } from './present.ts';
import { HELD_PHASES } from './state.ts';

/** Channel of the notifications of drafts; the payload is the id of the job. */
export const AGENT_DRAFT_CHANGED = 'offprint_agent_draft_changed';

/** Milliseconds between two saves of a draft. */
const SAVE_MS = 300;
/** Characters of a draft that are shown; the message that follows it is complete. */
const MAX_CHARACTERS = 20_000;

/** The text of one call of the model while it arrives. */
export interface Draft {
  add(delta: string): void;
  /** Ends it: its message has been received, or (`isKept` false) the call failed and the text is withdrawn. */
  close(isKept: boolean): Promise<void>;
}

/**
 * A draft that is saved at most every 300 ms, one save at a time. Errors of saves are ignored: people who watch see
 * the text later.
 */
export function openDraft(save: (text: string) => Promise<void>, everyMs = SAVE_MS): Draft {
  let text = '';
  let saved = '';
  let saving: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const write = async (): Promise<void> => {
    timer = undefined;
    const next = stableStart(text);
    if (next === saved) return;
    saved = next;
    saving = save(next).catch(() => undefined);
    await saving;
    saving = undefined;
    if (stableStart(text) !== saved) plan();
  };
  const plan = (): void => {
    if (saving === undefined && !isClosed) timer ??= setTimeout(() => void write(), everyMs);
  };
  return {
    add(delta) {
      if (text.length >= MAX_CHARACTERS) return;
      text = (text + delta).slice(0, MAX_CHARACTERS);
      plan();
    },
    async close(isKept) {
      isClosed = true;
      clearTimeout(timer);
      await saving;
      if (!isKept && saved !== '') await save('').catch(() => undefined);
    },
  };
}

/**
 * The start of a text that no later text changes: without half of a character, and without a last
 * word, which may become a key that is hidden.
 */
function stableStart(text: string): string {
  const hidden = hideKeys(plainText(text.replace(/[\ud800-\udbff]$/, '')));
  return hidden.replace(/\w{1,60}$/, '');
}

/** Saves the draft of a held job whose last event is `after`; an empty one is deleted. */
export async function saveDraft(
  db: Kysely<Database>,
  fence: Fence,
  after: number,
  text: string,
): Promise<void> {
  const written =
    text === ''
      ? sql`DELETE FROM agent_drafts WHERE job_id = ${fence.id} AND after_seq = ${after} RETURNING job_id`
      : sql`INSERT INTO agent_drafts (job_id, turn, after_seq, text)
          SELECT id, turn, last_seq, ${text} FROM agent_jobs
          WHERE id = ${fence.id} AND attempt = ${fence.attempt} AND last_seq = ${after}
            AND phase = ANY (${[...HELD_PHASES]}::text[])
          ON CONFLICT (job_id) DO UPDATE SET turn = excluded.turn, after_seq = excluded.after_seq,
            text = excluded.text
          RETURNING job_id`;
  await sql`WITH written AS (${written}) SELECT pg_notify(${AGENT_DRAFT_CHANGED}, job_id) FROM written`.execute(
    db,
  );
}

/** The draft of a job whose last event is `after`; undefined without one. */
export function findDraft(db: Kysely<Database>, jobId: string, after: number) {
  return db
    .selectFrom('agent_drafts')
    .select(['turn', 'text', 'at'])
    .where('job_id', '=', jobId)
    .where('after_seq', '=', after)
    .executeTakeFirst();
}
