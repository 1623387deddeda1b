import { type IdKind, isWellFormedId } from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Act, TargetFacts } from '../platform/http/route.ts';

type Db = Kysely<Database> | Transaction<Database>;

const UNKNOWN: TargetFacts = { name: null, projectId: null };

/**
 * Name and project of a target by its id. An event of an organization names only what belongs to that organization. It
 * names a user who is not a member only if the request succeeded: the request removed the user, or let the user join.
 */
export async function describeTarget(
  db: Db,
  { organizationId, target, outcome }: Pick<Act, 'organizationId' | 'target' | 'outcome'>,
): Promise<TargetFacts> {
  if (target === null) return UNKNOWN;
  const kind = (Object.keys(READERS) as (keyof typeof READERS)[]).find((each) =>
    isWellFormedId(each, target),
  );
  if (kind === undefined) return UNKNOWN;
  const found = await READERS[kind](db, target, { organizationId, isDone: outcome === 'done' });
  return found === undefined ? UNKNOWN : { name: found.name, projectId: found.project_id };
}

interface Scope {
  /** Null: an event of the installation, which only operators read. */
  organizationId: string | null;
  isDone: boolean;
}

type Reader = (
  db: Db,
  id: string,
  scope: Scope,
) => Promise<{ name: string | null; project_id: string | null } | undefined>;

const noProject = sql<string | null>`NULL`.as('project_id');

const READERS = {
  project: (db, id, { organizationId }) =>
    db
      .selectFrom('projects')
      .select(['name', 'id as project_id'])
      .where('id', '=', id)
      .$if(organizationId !== null, (query) => query.where('organization_id', '=', organizationId ?? ''))
      .executeTakeFirst(),
  export: (db, id, { organizationId }) =>
    db
      .selectFrom('exports')
      .select([
        sql<string>`concat_ws(' ', domain, coalesce(version, version_requested))`.as('name'),
        'project_id',
      ])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId ?? '')
      .executeTakeFirst(),
  deployment: (db, id, { organizationId }) =>
    db
      .selectFrom('deployments')
      .innerJoin('projects', 'projects.id', 'deployments.project_id')
      .select([
        sql<string>`concat_ws(' ', projects.name, left(deployments.commit, 12))`.as('name'),
        'deployments.project_id',
      ])
      .where('deployments.id', '=', id)
      .where('deployments.organization_id', '=', organizationId ?? '')
      .executeTakeFirst(),
  agentJob: (db, id, { organizationId }) =>
    db
      .selectFrom('agent_jobs')
      .select([sql<string>`coalesce(title, subject)`.as('name'), 'project_id'])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId ?? '')
      .executeTakeFirst(),
  feedback: (db, id, { organizationId }) =>
    db
      .selectFrom('analytics_feedback')
      .select(['path as name', 'project_id'])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId ?? '')
      .executeTakeFirst(),
  domain: (db, id, { organizationId }) =>
    db
      .selectFrom('site_domains')
      .select(['host as name', 'project_id'])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId ?? '')
      .executeTakeFirst(),
  apiKey: (db, id, { organizationId }) =>
    db
      .selectFrom('api_keys')
      .select(['name', noProject])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId ?? '')
      .executeTakeFirst(),
  invitation: (db, id, { organizationId }) =>
    db
      .selectFrom('invitations')
      .select(['email as name', noProject])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId ?? '')
      .executeTakeFirst(),
  webhookEndpoint: (db, id, { organizationId }) =>
    db
      .selectFrom('webhook_endpoints')
      .select(['origin as name', 'project_id'])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId ?? '')
      .executeTakeFirst(),
  notification: (db, id, { organizationId }) =>
    db
      .selectFrom('notifications')
      .select(['subject as name', 'project_id'])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId ?? '')
      .executeTakeFirst(),
  user: (db, id, { organizationId, isDone }) =>
    db
      .selectFrom('users')
      .select(['email as name', noProject])
      .where('id', '=', id)
      .$if(organizationId !== null && !isDone, (query) =>
        query.where((eb) =>
          eb.exists(
            eb
              .selectFrom('members')
              .select('user_id')
              .where('user_id', '=', id)
              .where('organization_id', '=', organizationId ?? ''),
          ),
        ),
      )
      .executeTakeFirst(),
  organization: (db, id, { organizationId }) =>
    db
      .selectFrom('organizations')
      .select(['name', noProject])
      .where('id', '=', id)
      .$if(organizationId !== null, (query) => query.where('id', '=', organizationId ?? ''))
      .executeTakeFirst(),
} as const satisfies Partial<Record<IdKind, Reader>>;
