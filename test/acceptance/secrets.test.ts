/** The search for secrets that ends every test with a platform, shown to find what it is for. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPerson } from '../support/accounts.ts';
import { startTestPlatform } from '../support/platform.ts';
import { call } from './api.ts';

test('a secret in a table, a file or the log fails the test that left it there, by place and without the secret', async () => {
  const platform = await startTestPlatform({ roles: ['api'] });
  const { key, organizationId } = await platform.createTenant();
  const person = await createPerson(platform);
  await platform.database.db
    .updateTable('organizations')
    .set({ name: `named ${key}` })
    .where('id', '=', organizationId)
    .execute();
  await writeFile(join(platform.dataDir, 'note.txt'), `the session is ${person.session}`);
  // The log contains paths, and no program of the project requests this one.
  await call(platform.url, 'GET', `/${person.session}`);
  const fault = await platform.stop().catch((error: Error) => error.message);
  expect(fault).toContain(`organizations.name: ${key.slice(0, 4)}`);
  expect(fault).toContain('file note.txt: ');
  expect(fault).toMatch(/log line \d+ \(\{.*"path":"\/\*\*\*"/);
  expect(fault).not.toContain(key);
  expect(fault).not.toContain(person.session);
});
