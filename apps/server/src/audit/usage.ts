import type { UsageMonth } from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** What to add to the month of an organization; what is left out stays. */
export interface UsageDelta {
  exports?: number;
  pages?: number;
  agentJobs?: number;
  agentCalls?: number;
  inputTokens?: number;
  outputTokens?: number;
  /** US dollars; null: the price is not known. */
  costUsd?: number | null;
}

/**
 * Counts what was used in the current month, by the clock of the database. Call it in the transaction that writes the
 * row it counts: then both are there or neither, and what is written once counts once.
 */
export async function addUsage(
  tx: Transaction<Database>,
  organizationId: string,
  delta: UsageDelta,
): Promise<void> {
  const { exports = 0, pages = 0, agentJobs = 0, agentCalls = 0 } = delta;
  const [inputTokens, outputTokens] = [tokens(delta.inputTokens), tokens(delta.outputTokens)];
  const costUsd = Number.isFinite(delta.costUsd) ? Math.max(0, delta.costUsd as number) : null;
  await sql`
    INSERT INTO usage_months AS held
      (organization_id, month, exports, pages, agent_jobs, agent_calls, input_tokens, output_tokens, cost_usd)
    VALUES (${organizationId}, ${monthBefore(sql`0`)}, ${exports}, ${pages}, ${agentJobs}, ${agentCalls},
      ${inputTokens}, ${outputTokens}, ${costUsd}::double precision)
    ON CONFLICT (organization_id, month) DO UPDATE SET
      exports = held.exports + excluded.exports,
      pages = held.pages + excluded.pages,
      agent_jobs = held.agent_jobs + excluded.agent_jobs,
      agent_calls = held.agent_calls + excluded.agent_calls,
      input_tokens = held.input_tokens + excluded.input_tokens,
      output_tokens = held.output_tokens + excluded.output_tokens,
      cost_usd = CASE WHEN excluded.cost_usd IS NULL THEN held.cost_usd
        ELSE coalesce(held.cost_usd, 0) + excluded.cost_usd END`.execute(tx);
}

/** More tokens than any call takes. */
const MAX_TOKENS = 1e9;

/** A number reported by a model server, made safe to count. */
function tokens(told = 0): number {
  return Number.isFinite(told) ? Math.min(Math.max(0, Math.round(told)), MAX_TOKENS) : 0;
}

/** The last months, this one first, empty ones included. */
export async function readUsage(db: Db, organizationId: string, months: number): Promise<UsageMonth[]> {
  const { rows } = await sql<UsageMonth>`
    SELECT month,
      coalesce(exports, 0) AS exports,
      coalesce(pages, 0) AS pages,
      coalesce(agent_jobs, 0) AS "agentJobs",
      coalesce(agent_calls, 0) AS "agentCalls",
      coalesce(input_tokens, 0) AS "inputTokens",
      coalesce(output_tokens, 0) AS "outputTokens",
      cost_usd AS "costUsd"
    FROM (SELECT ${monthBefore(sql`ago`)} AS month FROM generate_series(0, ${months}::int - 1) AS ago) AS wanted
    LEFT JOIN (SELECT * FROM usage_months WHERE organization_id = ${organizationId}) AS held USING (month)
    ORDER BY month DESC`.execute(db);
  return rows;
}

/** The month this many months before the current one, `YYYY-MM` in UTC. */
function monthBefore(months: ReturnType<typeof sql>) {
  return sql`to_char(now() AT TIME ZONE 'UTC' - make_interval(months => ${months}), 'YYYY-MM')`;
}
