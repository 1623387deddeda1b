import type { ReaderCode } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { RateStore } from '../platform/http/shared-rate-limit.ts';
import type { Logger } from '../platform/log.ts';
import { createCode, type FindSite } from './members.ts';
import { createProviders } from './oidc.ts';
import { createReaderSettings, type ReaderSettings } from './settings.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import type { SiteKey } from './store.ts';

export { readAudience } from './groups.ts';
export type { FindSite } from './members.ts';
export type { Access } from './settings.ts';
export type { SignInSite, SiteKey } from './store.ts';

/** The access to the sites of projects, and the sign-in of their readers. */
export interface ReaderService extends ReaderSettings {
  signIn: SignIn;
  /** The way back to a site for a signed-in member of its organization. */
  createCode(request: string, user: { id: string; email: string }): Promise<ReaderCode>;
}

export interface ReaderAdapters {
  db: Kysely<Database>;
  log: Logger;
  /** 32 bytes. */
  key: Buffer;
  /** Sends requests to the providers of sites, whose hosts anyone with a project can name. */
  fetch: typeof fetch;
  allowedHosts: readonly string[];
  publicUrl: () => string;
  rates: RateStore | null;
  findSite: FindSite;
  /** Readers of a site have groups that have not occurred before. */
  onNewGroups: (site: SiteKey) => Promise<void>;
}

export function createReaderService(adapters: ReaderAdapters): ReaderService {
  const { db, key, findSite } = adapters;
  return {
    ...createReaderSettings(adapters),
    signIn: createSignIn({ ...adapters, providers: createProviders(adapters) }),
    createCode: (request, user) => createCode({ db, key, findSite }, request, user),
  };
}
