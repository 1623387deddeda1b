/** The operations of the API as its document describes them, with requests to try them and what they leave behind. */
import { createHmac } from 'node:crypto';
import type { plans, roles, Scope } from '@offprint/contract';
import { sql } from 'kysely';
import { newUlid } from '../../apps/server/src/assistant/ulid.ts';
import { newId } from '../../apps/server/src/platform/ids.ts';
import type { TestPlatform } from '../support/platform.ts';
import { type CallOptions, call, type Reply } from './api.ts';

type Json = Record<string, unknown>;

/** A call as the document describes it. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  scope: Scope | undefined;
  limitedKeys: 'path' | 'filtered' | 'refused' | undefined;
  role: (typeof roles)[number] | undefined;
  access: 'user' | 'operator' | undefined;
  plan: (typeof plans)[number] | undefined;
  isPublic: boolean;
  /** First content type of the body. */
  bodyType: string | undefined;
  example: unknown;
}

/** Bodies of calls whose schema has no example; functions of the names that exist. */
const BODIES: Readonly<Record<string, (names: { domain: string }) => unknown>> = {
  startExport: ({ domain }) => ({ domain }),
  createProject: () => ({ name: 'Docs', source: { kind: 'upload' } }),
  updateProject: () => ({ name: 'Docs' }),
  // The example names a project.
  createApiKey: () => ({ name: 'Docs' }),
  addDomain: () => ({ domain: 'docs.example.com' }),
  updateDomain: () => ({ redirectTo: null }),
  updateAutomation: () => ({ webhook: { enabled: true } }),
  previewInvitation: () => ({ token: 'x'.repeat(43) }),
  acceptInvitation: () => ({ token: 'x'.repeat(43) }),
  resetPassword: () => ({ token: 'x'.repeat(43), password: 'a password of nobody' }),
  changePassword: () => ({ currentPassword: 'of nobody here', newPassword: 'a password of nobody' }),
  // The example names a host outside.
  testConnection: () => ({ source: { kind: 'git', repository: 'https://127.0.0.1:9/docs.git' } }),
};

/** A domain of a project that is not checked while a test runs; its id. */
export async function insertDomain(
  { database: { db } }: TestPlatform,
  organizationId: string,
  projectId: string,
): Promise<string> {
  const id = newId('dom');
  await db
    .insertInto('site_domains')
    .values({
      id,
      organization_id: organizationId,
      project_id: projectId,
      host: `${id.slice(4, 14)}.example.com`,
      next_check_at: new Date('2100-01-01'),
    })
    .execute();
  return id;
}

/** Feedback on a page of a project; its id. */
export async function insertFeedback(
  { database: { db } }: TestPlatform,
  organizationId: string,
  projectId: string,
): Promise<string> {
  const id = newId('fb');
  await db
    .insertInto('analytics_feedback')
    .values({
      ...{ id, organization_id: organizationId, project_id: projectId, entry: id },
      ...{ path: '/quickstart', source: 'thumbs_only', helpful: false },
    })
    .execute();
  return id;
}

/** A thread of the assistant without questions; its id. */
export async function insertThread(
  { database: { db } }: TestPlatform,
  organizationId: string,
  projectId: string,
): Promise<string> {
  const id = newUlid();
  await db
    .insertInto('assistant_threads')
    .values({ id, organization_id: organizationId, project_id: projectId })
    .execute();
  return id;
}

/** Delivers the pull request of a fork, as GitHub does; the id of the deployment, which waits for approval. */
export async function insertForkDeployment(url: string, key: string, projectId: string): Promise<string> {
  const send = async <Body = Json>(method: string, path: string, options: CallOptions) => {
    const reply = await call<Body>(url, method, path, options);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.text}`);
    return reply.body;
  };
  const project = `/v1/projects/${projectId}`;
  await send('PUT', `${project}/hosting`, { key, body: { enabled: true, previews: { enabled: true } } });
  await send('PUT', `${project}/automation`, { key, body: { webhook: { enabled: true } } });
  const made = await send<{ secret: string }>('POST', `${project}/automation/secret`, { key, body: {} });
  const base = { ref: 'main', repo: { full_name: 'acme/docs' } };
  const head = { ref: 'topic', sha: 'a'.repeat(40), repo: { full_name: 'mallory/docs' } };
  const body = JSON.stringify({
    action: 'opened',
    number: 7,
    repository: { full_name: 'acme/docs', default_branch: 'main' },
    pull_request: { number: 7, user: { login: 'mallory' }, head, base },
  });
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'pull_request',
    'x-github-delivery': 'fork',
    'x-hub-signature-256': `sha256=${createHmac('sha256', made.secret).update(body).digest('hex')}`,
  };
  await send('POST', `/v1/webhooks/${projectId}`, { body, headers });
  const list = await send<{ data: { id: string; status: string }[] }>('GET', `${project}/deployments`, {
    key,
  });
  const [waiting] = list.data;
  if (waiting?.status !== 'waiting') throw new Error(`no deployment waits: ${JSON.stringify(list)}`);
  return waiting.id;
}

/** What calls that need one have in the query: the things that exist stand for `missing` ones too. */
const QUERIES: Readonly<Record<string, (known: Json) => string>> = {
  getExportChanges: ({ jobId }) => `?since=${jobId}`,
  getChangeReport: ({ jobId }) => `?since=${jobId}`,
  getExportPageChanges: ({ jobId }) => `?path=index&since=${jobId}`,
  getLatestBundle: ({ domain }) => `?domain=${domain}`,
};

/** The operations of an OpenAPI document of the platform. */
export function readDocument(document: Json): Operation[] {
  const schemas = (document.components as { schemas: Record<string, Json> }).schemas;
  const found = Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]): Operation => {
        const content = (operation.requestBody as { content?: Record<string, { schema?: Json }> } | undefined)
          ?.content;
        const [bodyType] = Object.keys(content ?? {});
        const schema = content?.['application/json']?.schema;
        const named =
          typeof schema?.$ref === 'string' ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
        return {
          id: operation.operationId as string,
          method: method.toUpperCase(),
          path,
          scope: operation['x-scope'] as Operation['scope'],
          limitedKeys: operation['x-limited-keys'] as Operation['limitedKeys'],
          role: operation['x-role'] as Operation['role'],
          access: operation['x-access'] as Operation['access'],
          plan: operation['x-plan'] as Operation['plan'],
          isPublic: (operation.security as unknown[] | undefined)?.length === 0,
          bodyType,
          example: (named?.examples as unknown[] | undefined)?.[0],
        };
      }),
  );
  return found;
}

/** The address of a call, with the owner's things or with some that do not exist. */
export function target(operation: Operation, known: Record<string, string>): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = known[name];
    if (id === undefined) throw new Error(`${operation.id}: the matrix knows no id for {${name}}`);
    return id;
  });
  return `${path}${QUERIES[operation.id]?.(known) ?? ''}`;
}

export const hasIds = ({ path }: Operation): boolean => path.includes('{');

/** Whether an operation names an object in its query. */
export const needsQuery = ({ id }: Operation): boolean => QUERIES[id] !== undefined;

/** A request that is right in all but, perhaps, the caller. */
export function request(operation: Operation, domain: string): CallOptions {
  if (operation.bodyType === undefined) return {};
  if (operation.bodyType !== 'application/json' || operation.id === 'receiveWebhook')
    return { body: new Uint8Array(10), headers: { 'content-type': operation.bodyType } };
  const body = BODIES[operation.id]?.({ domain }) ?? operation.example;
  if (body === undefined)
    throw new Error(`${operation.id}: its body has no example, and the matrix has none`);
  return { body };
}

/** What every table holds, by table, but for the times of use, the audit log, counters of requests and leases of sweeps. */
export async function everything(platform: TestPlatform): Promise<Record<string, string>> {
  const { db } = platform.database;
  const { rows: tables } = await sql<{ name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'
      AND tablename NOT IN ('audit_events', 'sign_in_failures', 'rate_limits', 'periodic_tasks')`.execute(db);
  const parts = tables.map(({ name }) => {
    // The use of a session postpones its end, at most once a minute.
    const ofUse = ['last_used_at', 'last_seen_at', ...(name === 'sessions' ? ['expires_at'] : [])];
    return sql`SELECT ${sql.lit(name)} AS name,
      md5(coalesce(string_agg(row, '' ORDER BY row), '')) AS digest
      FROM (SELECT md5((to_jsonb(t) - ${sql.val(ofUse)}::text[])::text) AS row FROM ${sql.table(name)} t) r`;
  });
  const { rows } = await sql<{ name: string; digest: string }>`${sql.join(parts, sql` UNION ALL `)}`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** A response without the parts that differ between any two. */
export function anonymous(reply: Reply): unknown {
  const headers = Object.fromEntries(
    [...reply.headers]
      .filter(([name]) => !/^(?:x-request-id|date)$/.test(name))
      .map(([name, value]) => [name, name === 'ratelimit' ? value.replace(/;r=\d+;t=\d+$/, '') : value]),
  );
  const text = reply.text.replaceAll(reply.headers.get('x-request-id') ?? '-', 'req');
  return { status: reply.status, headers, text };
}
