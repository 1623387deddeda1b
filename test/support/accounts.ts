/** People of a test platform, written to its tables as the accounts feature would, without waiting for passwords. */
import { randomBytes } from 'node:crypto';
import type { Role } from '@offprint/contract';
import { hashPassword } from '../../apps/server/src/accounts/password.ts';
import { digestOf, newToken } from '../../apps/server/src/accounts/token.ts';
import { newId } from '../../apps/server/src/platform/ids.ts';
import type { TestPlatform } from './platform.ts';
import { noteSecrets } from './secrets.ts';

export interface Person {
  id: string;
  email: string;
  /** Null where none was asked for: the account signs in by single sign-on only. */
  password: string | null;
  /** Token of a live session. */
  session: string;
}

/** Adds a person who is signed in. `withPassword` takes a moment of the processor, as passwords are meant to. */
export async function createPerson(
  platform: TestPlatform,
  options: {
    organizationId?: string;
    role?: Role;
    isOperator?: boolean;
    email?: string;
    withPassword?: boolean;
  } = {},
): Promise<Person> {
  const id = newId('usr');
  const email = options.email ?? `person-${randomBytes(6).toString('hex')}@example.com`;
  const password = options.withPassword === true ? `correct horse ${randomBytes(8).toString('hex')}` : null;
  await platform.database.db
    .insertInto('users')
    .values({
      id,
      email,
      name: email.split('@')[0] ?? '',
      password_hash: password === null ? null : await hashPassword(password),
      email_verified_at: new Date(),
      is_operator: options.isOperator ?? false,
    })
    .execute();
  if (options.organizationId !== undefined) {
    await platform.database.db
      .insertInto('members')
      .values({ organization_id: options.organizationId, user_id: id, role: options.role ?? 'admin' })
      .execute();
  }
  if (password !== null) noteSecrets(password);
  return { id, email, password, session: await createSession(platform, id) };
}

/** Signs a person in once more and returns the token of the session. */
export async function createSession(platform: TestPlatform, userId: string): Promise<string> {
  const token = newToken();
  await platform.database.db
    .insertInto('sessions')
    .values({
      id: newId('ses'),
      user_id: userId,
      token_sha256: digestOf(token),
      address: '127.0.0.1',
      user_agent: 'test',
      expires_at: new Date(Date.now() + 14 * 86_400_000),
    })
    .execute();
  noteSecrets(token);
  return token;
}

/** Headers with which the dashboard calls for a person, in an organization. */
export function asPerson(
  platform: { url: string },
  session: string,
  organizationId?: string,
): Record<string, string> {
  return {
    cookie: `offprint_session=${session}`,
    origin: new URL(platform.url).origin,
    'sec-fetch-site': 'same-origin',
    ...(organizationId === undefined ? {} : { 'offprint-organization': organizationId }),
  };
}
