/** The assistant for keys that name groups, on a restricted site with a page for one group and a public page. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, deploy } from '../acceptance/api.ts';
import { type Answer, type ModelServer, startModelServer } from '../support/agent/model-server.ts';
import { HOST, modelEnv, question, readChunks, type ServedDocs, serveDocs, textOf } from './site.ts';

const STAFF = 'madagascarcanary';
const MEMBERS = 'zanzibarcanary';

const FILES: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    colors: { primary: '#0f766e' },
    navigation: {
      groups: [
        { group: 'Guides', pages: ['index', 'staff'] },
        { group: 'Open', public: true, pages: ['open'] },
      ],
    },
  }),
  'index.mdx': `---\ntitle: Home\n---\n\nThe password of members is ${MEMBERS}.\n`,
  'staff.mdx': `---\ntitle: Staff\ngroups: ["staff"]\n---\n\nThe password of staff is ${STAFF}.\n`,
  'open.mdx': '---\ntitle: Open\n---\n\nAsk for the password.\n',
};

let docs: ServedDocs;
let model: ModelServer;

/** Searches, reads what the question does not find, and links all pages. */
const script = ({ step }: { step: number }): Answer =>
  step === 0
    ? {
        calls: [
          { name: 'read_page', input: { path: 'staff' } },
          { name: 'read_page', input: { path: 'index' } },
          { name: 'search', input: { query: 'password' } },
        ],
      }
    : { text: 'See [staff](/staff), [home](/) and [open](/open).' };

beforeAll(async () => {
  model = await startModelServer({ script });
  docs = await serveDocs(FILES, { env: modelEnv(model.url) });
  const { platform, tenant, projectId } = docs;
  const access = await call(platform.url, 'PUT', `/v1/projects/${projectId}/access`, {
    key: tenant.key,
    body: { production: { kind: 'token', token: { loginUrls: [], issuer: null, audience: null } } },
  });
  expect(access.status, access.text).toBe(200);
  // As a sign-in of a reader with this group stores it.
  await platform.database.db
    .insertInto('reader_groups')
    .values({
      organization_id: tenant.organizationId,
      project_id: projectId,
      site: 'production',
      digest: createHash('sha256').update('["staff"]').digest(),
      groups: ['staff'],
    })
    .execute();
  await deploy(platform.url, tenant.key, projectId);
  const statuses = async () =>
    (await platform.database.db.selectFrom('deployment_variants').select('status').execute()).map(
      ({ status }) => status,
    );
  while ((await statuses()).filter((status) => status === 'success').length < 2) await sleep(50);
}, 300_000);
afterAll(async () => {
  await docs?.stop();
  await model?.close();
});

/** What the model received for a question of these groups, and the text of the answer. */
async function ask(groups: string[] | undefined): Promise<{ sent: string; text: string; response: string }> {
  const before = model.requests.length;
  const body = question('What is the password?', {
    fp: 'anonymous',
    ...(groups === undefined ? {} : { filter: { groups } }),
  });
  const response = await fetch(`${docs.platform.url}/discovery/v2/assistant/${HOST}/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${docs.tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const chunks = await readChunks(response);
  const sent = model.requests.slice(before).map((request) => request.body);
  return {
    sent: sent.join('\n'),
    text: textOf(chunks).replaceAll(JOINER, ''),
    response: JSON.stringify(chunks),
  };
}

/** Separates the text of a removed link from what follows. */
const JOINER = '\u2060';

const link = (name: string, path: string): string => `[${name}](https://${HOST}${path})`;

test('with a group, the answer comes from the pages of this group and of all readers', async () => {
  const { sent, text } = await ask(['staff']);
  expect(sent).toContain(STAFF);
  expect(sent).toContain(MEMBERS);
  expect(text).toBe(`See ${link('staff', '/staff')}, ${link('home', '/')} and ${link('open', '/open')}.`);
});

test('with another group, the answer has not a word of the page', async () => {
  const { sent, text, response } = await ask(['sales']);
  expect(sent + response).not.toContain(STAFF);
  expect(sent).toContain(MEMBERS);
  expect(text).toBe(`See staff, ${link('home', '/')} and ${link('open', '/open')}.`);
});

test('without groups, the answer comes from the public pages only', async () => {
  for (const groups of [undefined, []]) {
    const { sent, text, response } = await ask(groups);
    expect(sent + response).not.toMatch(new RegExp(`${STAFF}|${MEMBERS}`));
    expect(sent).toContain('Ask for the password.');
    expect(text).toBe(`See staff, home and ${link('open', '/open')}.`);
  }
});
