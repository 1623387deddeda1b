import { createHmac, generateKeyPairSync } from 'node:crypto';
import type {
  ReaderAccess,
  ReaderAccessInput,
  ReaderAccessKind,
  ReaderAccessUpdate,
  ReaderSite,
  ReaderTokenKey,
  SiteReaderAccess,
} from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import { hashPassword } from '../accounts/service.ts';
import { type Database, json } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { seal, unseal } from '../platform/secret.ts';
import { findProjectIn } from '../projects/service.ts';
import {
  type AccessChanges,
  type AccessRow,
  listAccess,
  listAllAccess,
  type SiteKey,
  saveAccess,
} from './store.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** The access to a site, as the hosting protocol has it. */
export type Access = { kind: 'public' } | { kind: Exclude<ReaderAccessKind, 'public'>; cookieKey: string };

export interface SettingsAdapters {
  db: Kysely<Database>;
  /** 32 bytes: seals client secrets, and derives the keys of cookies. */
  key: Buffer;
  /** Hosts of providers that the operator allows on private networks and without TLS. */
  allowedHosts: readonly string[];
}

export interface ReaderSettings {
  read(organizationId: string, projectId: string): Promise<ReaderAccess>;
  update(
    organizationId: string,
    projectId: string,
    body: ReaderAccessUpdate,
  ): Promise<{ before: ReaderAccess; after: ReaderAccess }>;
  createTokenKey(organizationId: string, projectId: string, site: ReaderSite): Promise<ReaderTokenKey>;
  signOut(organizationId: string, projectId: string, site: ReaderSite): Promise<void>;
  /** The access of hosts, in the order of `hosts`. */
  accessOf(hosts: readonly { host: string; projectId: string; site: ReaderSite }[]): Promise<Access[]>;
}

const SESSION_HOURS = 336;

/** Previews show what is not published: without a decision, only to those who work on it. */
export const DEFAULT_KIND: Readonly<Record<ReaderSite, ReaderAccessKind>> = {
  production: 'public',
  preview: 'members',
};

export const SITES: readonly ReaderSite[] = ['production', 'preview'];

export function createReaderSettings(adapters: SettingsAdapters): ReaderSettings {
  const { db, key } = adapters;

  const requireProject = async (on: Db, organizationId: string, projectId: string): Promise<void> => {
    if ((await findProjectIn(on, organizationId, projectId)) === undefined) throw notFound('project');
  };

  const present = async (on: Db, organizationId: string, projectId: string): Promise<ReaderAccess> => {
    const rows = await listAccess(on, organizationId, projectId);
    const of = (site: ReaderSite) =>
      presentSite(
        site,
        rows.find((row) => row.site === site),
      );
    return { production: of('production'), preview: of('preview') };
  };

  const save = (on: Db, site: SiteKey, changes: AccessChanges, signsOut: boolean): Promise<void> => {
    const defaults = { kind: DEFAULT_KIND[site.site], session_hours: SESSION_HOURS };
    return saveAccess(on, site, defaults, changes, signsOut);
  };

  return {
    async read(organizationId, projectId) {
      await requireProject(db, organizationId, projectId);
      return present(db, organizationId, projectId);
    },

    async update(organizationId, projectId, body) {
      await requireProject(db, organizationId, projectId);
      // Slow, so before the transaction.
      const hashes = new Map<ReaderSite, string>();
      for (const site of SITES) {
        const password = body[site]?.password;
        if (password !== undefined) hashes.set(site, await hashPassword(password));
      }
      return db.transaction().execute(async (tx) => {
        const before = await present(tx, organizationId, projectId);
        for (const site of SITES) {
          const input = body[site];
          if (input === undefined) continue;
          checkInput(site, input, before[site], adapters.allowedHosts);
          const siteKey = { organizationId, projectId, site };
          const hash = hashes.get(site);
          const changes = columnsOf(input, siteKey, key, hash);
          await save(tx, siteKey, changes, signsOut(input, before[site]));
        }
        return { before, after: await present(tx, organizationId, projectId) };
      });
    },

    async createTokenKey(organizationId, projectId, site) {
      await requireProject(db, organizationId, projectId);
      const pair = generateKeyPairSync('ed25519');
      const changes = {
        token_public_key: pair.publicKey.export({ format: 'der', type: 'spki' }),
        token_key_created_at: new Date(),
      };
      await save(db, { organizationId, projectId, site }, changes, true);
      return { privateKey: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
    },

    async signOut(organizationId, projectId, site) {
      await requireProject(db, organizationId, projectId);
      await save(db, { organizationId, projectId, site }, {}, true);
    },

    async accessOf(hosts) {
      const rows = await listAllAccess(
        db,
        hosts.map(({ projectId }) => projectId),
      );
      const known = new Map(rows.map((row) => [`${row.project_id} ${row.site}`, row]));
      return hosts.map(({ host, projectId, site }): Access => {
        const row = known.get(`${projectId} ${site}`);
        const kind = row?.kind ?? DEFAULT_KIND[site];
        if (kind === 'public') return { kind };
        return { kind, cookieKey: cookieKeyOf(key, { host, projectId, site }, row?.key_version ?? 1) };
      });
    },
  };
}

/**
 * The key of the cookies of one host: 32 bytes, base64url. Derived, so that no table contains it; `version` is that of
 * the row, whose next number makes all earlier cookies invalid.
 */
export function cookieKeyOf(
  key: Buffer,
  { host, projectId, site }: { host: string; projectId: string; site: ReaderSite },
  version: number,
): string {
  const purpose = JSON.stringify(['reader cookies', projectId, site, host, version]);
  return createHmac('sha256', key).update(purpose).digest('base64url');
}

const contextOf = ({ projectId, site }: Pick<SiteKey, 'projectId' | 'site'>): string =>
  `${projectId} ${site} oidc`;

/** The client secret of the site at its provider; undefined: a public client. */
export function clientSecretOf(key: Buffer, row: AccessRow): string | undefined {
  const { oidc_secret_sealed: sealed, project_id: projectId, site } = row;
  return sealed === null ? undefined : unseal(key, sealed, contextOf({ projectId, site }));
}

function columnsOf(
  input: ReaderAccessInput,
  site: SiteKey,
  key: Buffer,
  passwordHash: string | undefined,
): AccessChanges {
  const { kind, sessionHours, oidc, token } = input;
  const { clientSecret, ...provider } = oidc ?? {};
  const sealed =
    clientSecret === undefined
      ? {}
      : { oidc_secret_sealed: clientSecret === null ? null : seal(key, clientSecret, contextOf(site)) };
  return {
    kind,
    ...(sessionHours === undefined ? {} : { session_hours: sessionHours }),
    ...(passwordHash === undefined ? {} : { password_hash: passwordHash, password_set_at: new Date() }),
    ...(oidc === undefined ? {} : { oidc: json(provider) }),
    ...sealed,
    ...(token === undefined ? {} : { token: json(token) }),
  };
}

/** Readers stay signed in over changes that say nothing about who they are. */
function signsOut(input: ReaderAccessInput, before: SiteReaderAccess): boolean {
  const hasNewProvider =
    input.oidc !== undefined &&
    (input.oidc.issuer !== before.oidc?.issuer ||
      input.oidc.clientId !== before.oidc.clientId ||
      input.oidc.groupsClaim !== before.oidc.groupsClaim);
  const hasNewToken =
    input.token !== undefined &&
    (input.token.issuer !== before.token.issuer || input.token.audience !== before.token.audience);
  return (
    input.kind !== before.kind ||
    input.password !== undefined ||
    (input.kind === 'oidc' && hasNewProvider) ||
    (input.kind === 'token' && hasNewToken)
  );
}

/** Throws the 400 for an access with which no reader could sign in. */
function checkInput(
  site: ReaderSite,
  input: ReaderAccessInput,
  before: SiteReaderAccess,
  allowedHosts: readonly string[],
): void {
  const refuse = (field: string, message: string): never => {
    throw new AppError('invalid_request', `/${site}/${field}: ${message}`, { param: `/${site}/${field}` });
  };
  if (input.kind === 'password' && input.password === undefined && before.passwordSetAt === null) {
    refuse('password', 'The site has no password yet. Set one of at least 8 characters.');
  }
  if (input.kind === 'oidc' && input.oidc === undefined && before.oidc === null) {
    refuse('oidc', 'The site has no provider yet. Set its issuer and the client id.');
  }
  const issuer = input.oidc === undefined ? null : new URL(input.oidc.issuer);
  if (
    issuer?.protocol === 'http:' &&
    !allowedHosts.includes('*') &&
    !allowedHosts.includes(issuer.hostname)
  ) {
    refuse('oidc/issuer', 'Use an https URL. The operator must allow a host without TLS.');
  }
}

function presentSite(site: ReaderSite, row: AccessRow | undefined): SiteReaderAccess {
  const oidc = row?.oidc ?? null;
  return {
    kind: row?.kind ?? DEFAULT_KIND[site],
    sessionHours: row?.session_hours ?? SESSION_HOURS,
    passwordSetAt: row?.password_set_at?.toISOString() ?? null,
    oidc: oidc === null ? null : { ...oidc, hasClientSecret: row?.oidc_secret_sealed != null },
    token: {
      ...(row?.token ?? { loginUrls: [], issuer: null, audience: null }),
      keyCreatedAt: row?.token_key_created_at?.toISOString() ?? null,
    },
  };
}
