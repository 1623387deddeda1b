import { type Scope, scopeAliases, scopes } from '@offprint/contract';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../../../test/support/postgres.ts';
import { requireGrantable } from '../organizations/key-rights.ts';
import { migrate, readMigrations } from '../platform/db/migrate.ts';

test('an upgrade gives keys for everything the areas that came later, and other keys nothing', async () => {
  const database = await createEmptyDatabase();
  const files = await readMigrations();
  await migrate(database.url, { migrations: files.filter(({ name }) => name < '0009') });
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query("INSERT INTO organizations (id, name) VALUES ('org_1', 'Acme')");
  const insert = (id: string, held: readonly string[]) =>
    client.query(
      `INSERT INTO api_keys (id, organization_id, name, key_hmac, last4, scopes, created_by)
        VALUES ($1, 'org_1', $1, $2, 'abcd', $3, 'owner@example.com')`,
      [id, Buffer.from(id), held],
    );
  await insert('key_read', ['read']);
  await insert('key_write', ['write']);
  await migrate(database.url, { migrations: files.filter(({ name }) => name < '0029') });
  const chosen: Scope[] = ['exports:write', 'agent:write', 'projects:write', 'organization:write'];
  await insert('key_chosen', chosen);
  await migrate(database.url, { migrations: files });

  const { rows } = await client.query<{ id: string; scopes: string[] }>('SELECT id, scopes FROM api_keys');
  const held = new Map(rows.map((row) => [row.id, scopes.filter((scope) => row.scopes.includes(scope))]));
  expect(held.get('key_read')).toEqual(scopeAliases.read);
  expect(held.get('key_write')).toEqual(scopeAliases.write);
  expect(held.get('key_chosen')).toEqual(chosen);
  const key = {
    kind: 'key',
    id: 'key_write',
    name: 'key_write',
    organizationId: 'org_1',
    scopes: held.get('key_write') ?? [],
    projects: null,
    allowedCidrs: [],
    expiresAt: null,
  } as const;
  expect(() => requireGrantable(key, 'editor')).not.toThrow();
  await client.end();
  await database.drop();
});
