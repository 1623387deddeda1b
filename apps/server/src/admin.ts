import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ApiKey,
  type AuditEvent,
  type AuditFilter,
  type CreateApiKeyBody,
  type CreatedApiKey,
  createApiKeyBody,
  type Member,
  type OperatedOrganization,
  type OperatedUser,
  organizationName,
  type Plan,
  type Role,
  type User,
} from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { z } from 'zod';
import {
  createResetLink,
  createUser,
  findUserByEmail,
  listUsers,
  type NewAccount,
  prepareUser,
  setDisabled,
  setOperator,
} from './accounts/service.ts';
import { AdminError } from './admin-error.ts';
import {
  type AuditEntry,
  type AuditFormat,
  listAuditEvents,
  recordAct,
  writeAuditEvents,
} from './audit/service.ts';
import { type Config, readSecret } from './config.ts';
import { removeArtifactsOf } from './exports/artifact.ts';
import { previewRetention, type Retention, type RetentionPreview } from './exports/service.ts';
import { createKeyService } from './keys/service.ts';
import { createJobsAdmin, type JobsAdmin } from './operation/admin-jobs.ts';
import {
  addMember,
  changeRole,
  createOrganization,
  deleteOrganization,
  findOrganizations,
  listOrganizations,
  removeMember,
  roleOf,
  setPlan,
} from './organizations/service.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './platform/db/embedded/embedded.ts';
import { layoutOf } from './platform/db/embedded/layout.ts';
import { databaseFailure, isDatabaseFailure } from './platform/db/failure.ts';
import { withKeepAlive } from './platform/db/keep-alive.ts';
import { mayRemoveFiles } from './platform/db/keep-files.ts';
import { MigrationError, migrate } from './platform/db/migrate.ts';
import { isSecretOf, WRONG_SECRET } from './platform/db/secret-check.ts';
import { changesBetween } from './platform/http/changes.ts';
import { AppError } from './platform/http/error.ts';
import type { Reach } from './platform/http/route.ts';
import { createLogger } from './platform/log.ts';
import { deriveKey } from './platform/secret.ts';
import { removeUploadsOf } from './projects/upload.ts';
import { openStoredFiles } from './stored-files.ts';
import { VERSION } from './version.ts';

export type { CreateApiKeyBody, Plan, Role } from '@offprint/contract';
export { AdminError } from './admin-error.ts';
export type { QueueState } from './operation/admin-jobs.ts';
export type { LiveWorker } from './platform/jobs/stops.ts';

type Tx = Transaction<Database>;

/** A link with which somebody sets a new password. */
export interface ResetLink {
  url: string;
  expiresAt: string;
}

/**
 * Operations of operators on the database itself, whether the platform runs or not, and even if nobody can
 * sign in. An organization is named by its id, or by its name if only one has it; a user by the email
 * address. Every change is recorded in the audit log. Throws AdminError for what is wrong with the request.
 */
export interface Admin extends JobsAdmin {
  listOrganizations(query: { search?: string | undefined; limit: number }): Promise<OperatedOrganization[]>;
  readOrganization(idOrName: string): Promise<OperatedOrganization>;
  /** `admin`: address of the user who becomes its admin. */
  createOrganization(body: { name: string; plan?: Plan; admin?: string }): Promise<OperatedOrganization>;
  setPlan(idOrName: string, plan: Plan): Promise<OperatedOrganization>;
  /** Deletes it with its projects, exports, agent jobs, keys and what is stored of them; its events stay. */
  deleteOrganization(idOrName: string): Promise<OperatedOrganization>;
  listUsers(query: { search?: string | undefined; limit: number }): Promise<OperatedUser[]>;
  /** Without a password, a link with which the user sets one. */
  createUser(account: NewAccount): Promise<{ user: User; resetLink: ResetLink | null }>;
  createResetLink(email: string): Promise<ResetLink>;
  setDisabled(email: string, disabled: boolean): Promise<OperatedUser>;
  setOperator(email: string, isOperator: boolean): Promise<OperatedUser>;
  addMember(idOrName: string, email: string, role: Role): Promise<Member>;
  removeMember(idOrName: string, email: string): Promise<void>;
  changeRole(idOrName: string, email: string, role: Role): Promise<Member>;
  listKeys(idOrName: string, query: { limit: number }): Promise<ApiKey[]>;
  createKey(idOrName: string, body: CreateApiKeyBody): Promise<CreatedApiKey>;
  revokeKey(idOrName: string, keyId: string): Promise<void>;
  /** What retention would delete now: with these values instead of the settings where they are given. */
  previewRetention(query: {
    organization?: string | undefined;
    days?: number | undefined;
    count?: number | undefined;
  }): Promise<RetentionPreview & { retention: Retention }>;
  /** Newest first; of every organization when none is named. */
  listEvents(
    filter: AuditFilter & { organization?: string | undefined; limit: number },
  ): Promise<AuditEvent[]>;
  /** Oldest first, as pieces of a file. */
  writeEvents(
    filter: AuditFilter & { organization?: string | undefined },
    format: AuditFormat,
  ): AsyncIterable<string>;
}

/** Events and keys name it as who did it. */
const ACTOR = 'offprint admin';
const PAGE = 100;
const CONNECTIONS = 2;

/**
 * Calls `run` with the URL of the database of the configuration that keeps sessions. Throws an AdminError if it does not
 * exist and may not be created: an empty one that was created for the question would report that everything is gone.
 */
export async function withDatabase<Value>(
  config: Config,
  run: (url: string) => Promise<Value>,
  { mayCreate = false }: { mayCreate?: boolean } = {},
): Promise<Value> {
  if (config.databaseUrl === undefined && !mayCreate && !hasEmbeddedDatabase(config)) {
    throw new AdminError(
      `No database in ${config.dataDir}. Set OFFPRINT_DATA_DIR to the data folder of the platform, or DATABASE_URL to its database.`,
    );
  }
  const embedded = config.databaseUrl === undefined ? await startQuietly(config) : null;
  try {
    return await run(embedded?.url ?? config.databaseDirectUrl ?? config.databaseUrl ?? '');
  } catch (error) {
    throw explainForOperators(error);
  } finally {
    await embedded?.stop();
  }
}

export function hasEmbeddedDatabase({ dataDir }: Config): boolean {
  return statSync(layoutOf(dataDir).cluster, { throwIfNoEntry: false }) !== undefined;
}

/** Starts the embedded database of the data folder, which is created if it does not exist, or joins it. */
export function startQuietly({ dataDir }: Config): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir, log: { info: () => {}, error: () => {} } });
}

/** Opens the database of the configuration, brought to the newest schema, for `run`, and closes it again. */
export async function withAdmin<Value>(
  config: Config,
  run: (admin: Admin) => Promise<Value>,
): Promise<Value> {
  return withDatabase(config, async (url) => {
    const { db, close } = openDatabase(url, { role: 'admin', max: CONNECTIONS });
    try {
      await requireTables(config, db);
      const log = createLogger({ level: 'info', format: 'text', role: 'admin' });
      await migrate(url, { log, program: VERSION });
      // Without the secret of the servers, this command must not become the first to have one.
      if (hasSecret(config) && !(await isSecretOf(db, readSecret(config))))
        throw new AdminError(WRONG_SECRET, { fault: true });
      return await run(createAdmin(config, db));
    } finally {
      await close();
    }
  });
}

/** Throws an AdminError for a database that the platform has never used. */
export async function requireTables(config: Config, db: Kysely<Database>): Promise<void> {
  if (await hasTables(db)) return;
  throw new AdminError(
    `${databaseName(config)} contains no Offprint tables. Check the URL in DATABASE_URL, or run \`offprint migrate\` to set the database up.`,
  );
}

/** The database of the configuration as a person knows it, without its password. */
export function databaseName({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === undefined) return `The embedded database in ${dataDir}`;
  const { hostname, port, pathname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? `${hostname}${port === '' ? '' : `:${port}`}`;
  return `The database ${decodeURIComponent(pathname.slice(1))} on ${host} (DATABASE_URL)`;
}

async function hasTables(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{
    found: boolean;
  }>`SELECT to_regclass('organizations') IS NOT NULL AS found`.execute(db);
  return rows[0]?.found === true;
}

/** What features throw at callers of the API, in the words of the command line. */
export function explainForOperators(error: unknown): unknown {
  if (error instanceof AdminError) return error;
  if (error instanceof AppError && error.status < 500) return new AdminError(error.message, { cause: error });
  if (error instanceof MigrationError) return new AdminError(error.message, { fault: true, cause: error });
  if (!isDatabaseFailure(error)) return error;
  return new AdminError(databaseFailure(error), { fault: true, cause: error });
}

function createAdmin(config: Config, db: Kysely<Database>): Admin {
  const publicUrl = config.publicUrl ?? `http://127.0.0.1:${config.port}`;

  /** Does it in a transaction with its event, which `learn` completes; a refusal is written down too. */
  async function act<Value>(
    told: { organizationId?: string; action: string; target?: string },
    run: (tx: Tx) => Promise<Value>,
    learn: (value: Value) => Pick<AuditEntry, 'changes' | 'described'> & {
      organizationId?: string;
      target?: string;
    } = () => ({}),
  ): Promise<Value> {
    const event = {
      organizationId: told.organizationId ?? null,
      target: told.target ?? null,
      actor: { kind: 'operator', id: null, name: ACTOR },
      action: told.action,
      address: null,
      requestId: null,
    } as const;
    try {
      return await db.transaction().execute(async (tx) => {
        const value = await run(tx);
        await recordAct(tx, { ...event, ...learn(value), outcome: 'done', code: null });
        return value;
      });
    } catch (error) {
      if (error instanceof AppError && error.status < 500) {
        await recordAct(db, { ...event, outcome: 'refused', code: error.code });
      }
      throw error;
    }
  }

  async function organizationOf(idOrName: string): Promise<OperatedOrganization> {
    const found = await findOrganizations(db, idOrName);
    const [only] = found;
    if (only === undefined) {
      throw new AdminError(
        `Organization ${JSON.stringify(idOrName)} not found. \`offprint admin organization list\` lists all organizations.`,
      );
    }
    if (found.length > 1) {
      throw new AdminError(
        `Several organizations are named ${JSON.stringify(idOrName)}. Use an id instead: ${found.map(({ id }) => id).join(', ')}.`,
      );
    }
    return only;
  }

  async function userOf(email: string): Promise<OperatedUser> {
    const user = await findUserByEmail(db, email);
    if (user !== undefined) return user;
    throw new AdminError(
      `User with the email address ${JSON.stringify(email)} not found. \`offprint admin user create\` creates one.`,
    );
  }

  async function memberOf(
    idOrName: string,
    email: string,
  ): Promise<{ organizationId: string; userId: string }> {
    const organization = await organizationOf(idOrName);
    const user = await userOf(email);
    if ((await roleOf(db, organization.id, user.id)) !== undefined)
      return { organizationId: organization.id, userId: user.id };
    throw new AdminError(
      `${user.email} is not a member of ${organization.name}. \`offprint admin member add\` adds members.`,
    );
  }

  const keys = () =>
    createKeyService({
      db,
      log: createLogger({ level: 'silent', format: 'text', role: 'admin' }),
      pepper: deriveKey(readSecret(config), 'api-keys'),
      keysPerHour: config.keysPerHour,
      idempotencyHours: config.idempotencyHours,
      answerKey: deriveKey(readSecret(config), 'answers'),
    });

  return {
    ...createJobsAdmin({ db, act, organizationOf }),
    listOrganizations: ({ search, limit }) =>
      collect(limit, (page) => listOrganizations(db, { search, ...page })),
    readOrganization: organizationOf,
    async createOrganization({ name, plan, admin }) {
      const user = admin === undefined ? undefined : await userOf(admin);
      const { id } = await act(
        { action: 'createOrganization' },
        async (tx) => {
          const made = await createOrganization(tx, {
            name: valid(organizationName, name, 'the name'),
            plan: plan ?? config.defaultPlan,
          });
          if (user !== undefined) {
            await addMember(tx, { organizationId: made.id, userId: user.id, role: 'admin' });
          }
          return made;
        },
        (made) => ({ organizationId: made.id, target: made.id }),
      );
      return organizationOf(id);
    },
    async setPlan(idOrName, plan) {
      const { id, plan: before } = await organizationOf(idOrName);
      return act(
        { organizationId: id, action: 'updateOperatedOrganization', target: id },
        (tx) => setPlan(tx, id, plan),
        (after) => ({ changes: changesBetween({ plan: before }, { plan: after.plan }) }),
      );
    },
    async deleteOrganization(idOrName) {
      const organization = await organizationOf(idOrName);
      const { id } = organization;
      await act(
        { organizationId: id, action: 'deleteOrganization', target: id },
        (tx) => deleteOrganization(tx, id),
        () => ({ described: { name: organization.name, projectId: null } }),
      );
      const secret = readSecret(config);
      const { blobs, close } = await openStoredFiles(config, { secret, publicUrl: () => publicUrl });
      try {
        await db.transaction().execute(async (tx) => {
          // While a backup runs, the files are left to the end of it and to the sweep of orphans.
          if (!(await mayRemoveFiles(tx))) return;
          await withKeepAlive(tx, async () => {
            await removeArtifactsOf(blobs, id);
            await removeUploadsOf(blobs, id);
          });
        });
      } finally {
        close();
      }
      return organization;
    },

    listUsers: ({ search, limit }) => collect(limit, (page) => listUsers(db, { search, ...page })),
    async createUser(account) {
      const prepared = await prepareUser(account);
      const user = await act(
        { action: 'createUser' },
        (tx) => createUser(tx, prepared),
        (made) => ({ target: made.id }),
      );
      const resetLink = account.password === undefined ? await createResetLink(db, publicUrl, user.id) : null;
      return { user, resetLink };
    },
    async createResetLink(email) {
      const { id, disabledAt } = await userOf(email);
      if (disabledAt !== null) {
        throw new AdminError(`${email} is disabled. \`offprint admin user enable\` enables the account.`);
      }
      return act({ action: 'createPasswordResetLink', target: id }, (tx) =>
        createResetLink(tx, publicUrl, id),
      );
    },
    async setDisabled(email, disabled) {
      const { id, disabledAt } = await userOf(email);
      await act(
        { action: 'updateOperatedUser', target: id },
        (tx) => setDisabled(tx, id, disabled),
        () => ({ changes: changesBetween({ disabled: disabledAt !== null }, { disabled }) }),
      );
      return userOf(email);
    },
    async setOperator(email, isOperator) {
      const { id, isOperator: before } = await userOf(email);
      await act(
        { action: 'updateOperatedUser', target: id },
        (tx) => setOperator(tx, id, isOperator),
        () => ({ changes: changesBetween({ isOperator: before }, { isOperator }) }),
      );
      return userOf(email);
    },

    async addMember(idOrName, email, role) {
      const { id: organizationId } = await organizationOf(idOrName);
      const { id: userId } = await userOf(email);
      return act({ organizationId, action: 'addMember', target: userId }, (tx) =>
        addMember(tx, { organizationId, userId, role }),
      );
    },
    async removeMember(idOrName, email) {
      const { organizationId, userId } = await memberOf(idOrName, email);
      await act({ organizationId, action: 'removeMember', target: userId }, (tx) =>
        removeMember(tx, organizationId, userId),
      );
    },
    async changeRole(idOrName, email, role) {
      const { organizationId, userId } = await memberOf(idOrName, email);
      const { member } = await act(
        { organizationId, action: 'updateMember', target: userId },
        (tx) => changeRole(tx, organizationId, userId, role),
        ({ before, member: { role: after } }) => ({
          changes: changesBetween({ role: before }, { role: after }),
        }),
      );
      return member;
    },

    async listKeys(idOrName, { limit }) {
      const { id } = await organizationOf(idOrName);
      const service = keys();
      return collect(limit, (page) => service.list({ organizationId: id, projects: null }, page));
    },
    async createKey(idOrName, given) {
      const { id: organizationId } = await organizationOf(idOrName);
      const body = valid(createApiKeyBody, given, 'the key');
      requireSharedSecret(config);
      const service = keys();
      return act(
        { organizationId, action: 'createApiKey' },
        (tx) => service.issue(tx, organizationId, ACTOR, body),
        (key) => ({ target: key.id }),
      );
    },
    async revokeKey(idOrName, keyId) {
      const { id: organizationId, name } = await organizationOf(idOrName);
      const service = keys();
      await act({ organizationId, action: 'revokeApiKey', target: keyId }, () =>
        service.revoke({ organizationId, projects: null }, keyId),
      ).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
        throw new AdminError(
          `${name} has no key with the id ${JSON.stringify(keyId)}. \`offprint admin key list\` lists all keys.`,
        );
      });
    },

    async previewRetention({ organization, days, count }) {
      const retention = {
        days: days ?? config.exportRetentionDays,
        count: count ?? config.exportRetentionCount,
      };
      const id = organization === undefined ? undefined : (await organizationOf(organization)).id;
      return { retention, ...(await previewRetention(db, retention, id)) };
    },
    async listEvents({ organization, limit, ...filter }) {
      const scope = organization === undefined ? null : await scopeOf(organization);
      return collect(limit, (page) => listAuditEvents(db, scope, { ...filter, ...page }));
    },
    async *writeEvents({ organization, ...filter }, format) {
      const scope = organization === undefined ? null : await scopeOf(organization);
      yield* writeAuditEvents(db, scope, filter, format);
    },
  };

  /** Events outlive their organization, whose id is still known then. */
  async function scopeOf(idOrName: string): Promise<Reach> {
    const isId = /^org_[0-9a-f]{32}$/.test(idOrName);
    const organizationId = isId ? idOrName : (await organizationOf(idOrName)).id;
    return { organizationId, projects: null };
  }
}

/** Pages of a list until there are as many as wanted. */
async function collect<Item>(
  limit: number,
  read: (page: { limit: number; cursor?: string }) => Promise<{ data: Item[]; nextCursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: Item[]; nextCursor: string | null } = await read({
      limit: Math.min(PAGE, limit - items.length),
      ...(cursor === null ? {} : { cursor }),
    });
    items.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < limit);
  return items;
}

function valid<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? what : `${what}: ${issue.path.join('.')}`;
  throw new AdminError(`${where} ${issue?.message ?? 'is wrong'}`);
}

/** A key made with a secret that the servers of the installation do not have would never work. */
function requireSharedSecret(config: Config): void {
  if (hasSecret(config)) return;
  throw new AdminError(
    `OFFPRINT_SECRET is not set and ${config.dataDir} contains no secret, so the servers would not accept a key created here. Set OFFPRINT_SECRET to the value that the servers use, or run this command on one of them.`,
  );
}

/** Whether this process has the secret of the servers: configured, or in the data folder that it shares with them. */
export function hasSecret({ databaseUrl, secret, dataDir }: Config): boolean {
  return databaseUrl === undefined || secret !== undefined || existsSync(join(dataDir, 'secret'));
}
