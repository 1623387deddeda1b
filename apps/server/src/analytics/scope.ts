import { type RawBuilder, sql } from 'kysely';

/** The counts of one project on some days. `to` is exclusive. Days are `YYYY-MM-DD`. */
export interface Scope {
  organizationId: string;
  projectId: string;
  from: string;
  to: string;
}

export const within = ({ organizationId, projectId, from, to }: Scope): RawBuilder<boolean> =>
  sql<boolean>`organization_id = ${organizationId} AND project_id = ${projectId}
    AND day >= ${from}::date AND day < ${to}::date`;
