/** Notifications by signed webhooks and by email: who gets them, how often, and what the log of attempts contains. */
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asPerson, createPerson, type Person } from '../support/accounts.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, makeFolder, runExport, siteFiles } from './api.ts';

interface Request {
  url: string;
  headers: Record<string, string>;
  body: string;
}
interface Attempt {
  at: string;
  status: number | null;
  error: string | null;
  milliseconds: number;
}
interface Notification {
  id: string;
  event: string;
  channel: string;
  recipient: string;
  state: string;
  attempts: Attempt[];
}
interface Endpoint {
  id: string;
  url: string;
  enabled: boolean;
  disabledReason: string | null;
  secret: string;
}

let platform: TestPlatform;
let smtp: SMTPServer;
let receiver: Server;
let tenant: Tenant;
const mails: { to: string; text: string }[] = [];
const requests: Request[] = [];
/** Statuses of the next responses by path; 204 by default. */
const statuses = new Map<string, number[]>();

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (piece: string) => {
        text += piece;
      });
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), text });
        done();
      });
    },
  });
  smtp.on('error', () => undefined);
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const path = request.url ?? '/';
      requests.push({ url: path, headers: request.headers as Record<string, string>, body });
      response.writeHead(statuses.get(path)?.shift() ?? 204, { location: 'http://127.0.0.1:9/' }).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  platform = await startTestPlatform({
    env: {
      OFFPRINT_SMTP_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
      OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    },
  });
  tenant = await platform.createTenant();
});
afterAll(async () => {
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  receiver.closeAllConnections();
  receiver.close();
  await platform.stop();
});

const hook = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`;
const ask = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  key = tenant.key,
) => call<Body>(platform.url, method, path, { key, body });

async function createEndpoint(
  projectId: string,
  path: string,
  events = ['export.failed'],
): Promise<Endpoint> {
  const reply = await ask<Endpoint>('POST', `/v1/projects/${projectId}/webhook-endpoints`, {
    url: hook(path),
    events,
  });
  expect(reply.status, reply.text).toBe(201);
  return reply.body;
}

/** A project whose exports fail, because its folder has no docs.json. */
async function brokenProject() {
  return createProject(platform.url, tenant.key, { kind: 'folder', path: await makeFolder({ 'a.md': 'x' }) });
}

const notificationsOf = async (projectId: string) =>
  (await ask<{ data: Notification[] }>('GET', `/v1/projects/${projectId}/notifications`)).body.data;

/** Waits until the newest notification of the project fulfils the condition. */
async function newest(projectId: string, fulfils: (one: Notification) => boolean): Promise<Notification> {
  await expect
    .poll(async () => {
      const [one] = await notificationsOf(projectId);
      return one !== undefined && fulfils(one);
    })
    .toBe(true);
  const [one] = await notificationsOf(projectId);
  if (one === undefined) throw new Error('no notification');
  return one;
}

const asMember = (person: Person, method: string, projectId: string, body?: unknown) =>
  call<{ events: string[]; available: boolean }>(
    platform.url,
    method,
    `/v1/user/email-notifications/${projectId}`,
    { headers: asPerson(platform, person.session), body },
  );

const isSettled = ({ state }: Notification) => state !== 'queued';

describe('webhooks', () => {
  test('a failed export is reported once, signed by the secret that only the creation returned', async () => {
    const { projectId, domain } = await brokenProject();
    const endpoint = await createEndpoint(projectId, '/signed?token=hidden');
    expect(endpoint.url).toBe(new URL(hook('/')).origin);
    const job = await runExport(platform.url, tenant.key, { domain });
    expect(job.status).toBe('failed');
    const { id, attempts, state, event } = await newest(projectId, isSettled);
    expect({ state, event, attempts }).toEqual({
      state: 'delivered',
      event: 'export.failed',
      attempts: [{ at: expect.any(String), status: 204, error: null, milliseconds: expect.any(Number) }],
    });
    const [sent, ...more] = requests.filter(({ url }) => url === '/signed?token=hidden');
    if (sent === undefined) throw new Error('no request');
    expect(more).toEqual([]);
    const {
      'webhook-id': webhookId,
      'webhook-timestamp': time,
      'webhook-signature': signature,
    } = sent.headers;
    const expected = createHmac('sha256', Buffer.from(endpoint.secret.slice('whsec_'.length), 'base64'))
      .update(`${webhookId}.${time}.${sent.body}`)
      .digest('base64');
    expect(signature).toBe(`v1,${expected}`);
    expect(webhookId).toBe(id);
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(300);
    expect(JSON.parse(sent.body)).toEqual({
      type: 'export.failed',
      timestamp: expect.any(String),
      data: {
        organizationId: tenant.organizationId,
        projectId,
        subject: `The export of ${domain} failed`,
        url: null,
        jobId: job.jobId,
        domain,
        commit: null,
        error: job.error,
        errorCode: expect.any(String),
      },
    });
  });

  test('an export that completes is not reported as failed', async () => {
    const path = await makeFolder(siteFiles(1));
    const { projectId, domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path });
    await createEndpoint(projectId, '/quiet');
    expect((await runExport(platform.url, tenant.key, { domain })).status).toBe('completed');
    const test = await ask<Notification>(
      'POST',
      `/v1/projects/${projectId}/webhook-endpoints/${(await createEndpoint(projectId, '/other')).id}/test`,
      {},
    );
    await newest(projectId, isSettled);
    expect((await notificationsOf(projectId)).map(({ id }) => id)).toEqual([test.body.id]);
  });

  test('a failed attempt is repeated with the same id, and the log shows both', async () => {
    const { projectId, domain } = await brokenProject();
    await createEndpoint(projectId, '/again');
    statuses.set('/again', [500]);
    await runExport(platform.url, tenant.key, { domain });
    const { attempts, id } = await newest(projectId, isSettled);
    expect(attempts.map(({ status }) => status)).toEqual([500, 204]);
    expect(attempts[0]?.error).toContain('500');
    const ids = requests.filter(({ url }) => url === '/again').map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([id, id]);
  });

  test('the status 410 disables the endpoint, which gets nothing until it is enabled again', async () => {
    const { projectId, domain } = await brokenProject();
    const endpoint = await createEndpoint(projectId, '/gone');
    statuses.set('/gone', [410]);
    await runExport(platform.url, tenant.key, { domain });
    expect((await newest(projectId, isSettled)).state).toBe('failed');
    const list = () => ask<{ data: Endpoint[] }>('GET', `/v1/projects/${projectId}/webhook-endpoints`);
    expect((await list()).body.data[0]).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining('410'),
    });
    await runExport(platform.url, tenant.key, { domain });
    expect(await notificationsOf(projectId)).toHaveLength(1);
    const path = `/v1/projects/${projectId}/webhook-endpoints/${endpoint.id}`;
    expect((await ask('PATCH', path, { enabled: true })).status).toBe(200);
    expect((await list()).body.data[0]).toMatchObject({ enabled: true, disabledReason: null });
    await runExport(platform.url, tenant.key, { domain });
    expect((await newest(projectId, isSettled)).state).toBe('delivered');
  });

  test('a redirect is not followed, and a notification that failed is sent again on request', async () => {
    const { projectId, domain } = await brokenProject();
    await createEndpoint(projectId, '/moved');
    statuses.set('/moved', [302]);
    await runExport(platform.url, tenant.key, { domain });
    const failed = await newest(projectId, isSettled);
    expect(failed).toMatchObject({ state: 'failed', attempts: [{ status: null }] });
    expect(failed.attempts[0]?.error).toContain('redirects are not followed');
    const again = await ask('POST', `/v1/projects/${projectId}/notifications/${failed.id}/redeliver`, {});
    expect(again.status).toBe(202);
    expect((await newest(projectId, isSettled)).attempts).toHaveLength(2);
    expect((await newest(projectId, isSettled)).state).toBe('delivered');
  });

  test('private hosts are not asked, and http is refused for hosts that are not allowed', async () => {
    const { projectId, domain } = await brokenProject();
    const path = `/v1/projects/${projectId}/webhook-endpoints`;
    const events = ['export.failed'];
    expectError(
      await ask('POST', path, { url: 'http://example.com/', events }),
      400,
      'invalid_request',
      '/url',
    );
    for (const url of ['file:///etc/passwd', 'https://user:pw@example.com/', 'https://example.com/#x', 'x'])
      expectError(await ask('POST', path, { url, events }), 400, 'invalid_request', '/url');
    expectError(await ask('POST', path, { url: hook('/x'), events: [] }), 400, 'invalid_request', '/events');
    expect((await ask('POST', path, { url: 'https://localhost:1/', events })).status).toBe(201);
    await runExport(platform.url, tenant.key, { domain });
    const { state, attempts } = await newest(projectId, isSettled);
    expect(state).toBe('failed');
    expect(attempts[0]?.error).toContain('not a public host');
  });

  test('a project has at most ten endpoints, also when they are created at once', async () => {
    const { projectId } = await brokenProject();
    const replies = await Promise.all(
      Array.from({ length: 14 }, () =>
        ask('POST', `/v1/projects/${projectId}/webhook-endpoints`, {
          url: hook('/many'),
          events: ['export.failed'],
        }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectError(reply, 409, 'too_many_endpoints');
  });

  test('another organization sees and changes nothing', async () => {
    const { projectId } = await brokenProject();
    const { id } = await createEndpoint(projectId, '/mine');
    const other = await platform.createTenant();
    const path = `/v1/projects/${projectId}/webhook-endpoints`;
    for (const [method, at, body] of [
      ['GET', path, undefined],
      ['POST', path, { url: hook('/x'), events: ['export.failed'] }],
      ['PATCH', `${path}/${id}`, { enabled: false }],
      ['DELETE', `${path}/${id}`, undefined],
      ['POST', `${path}/${id}/test`, {}],
      ['GET', `/v1/projects/${projectId}/notifications`, undefined],
    ] as const)
      expectError(await ask(method, at, body, other.key), 404, 'not_found');
    expect((await ask('DELETE', `${path}/${id}`)).status).toBe(204);
    expectError(await ask('DELETE', `${path}/${id}`), 404, 'not_found');
  });
});

describe('emails', () => {
  test('only members who turned them on get them, in one line of subject, with what happened', async () => {
    const { projectId, domain } = await brokenProject();
    const member = await createPerson(platform, { organizationId: tenant.organizationId, role: 'viewer' });
    await createPerson(platform, { organizationId: tenant.organizationId, role: 'viewer' });
    expect((await asMember(member, 'GET', projectId)).body).toEqual({ events: [], available: true });
    const set = await asMember(member, 'PUT', projectId, { events: ['export.failed', 'export.failed'] });
    expect(set.body).toEqual({ events: ['export.failed'], available: true });
    const job = await runExport(platform.url, tenant.key, { domain });
    const sent = await newest(projectId, isSettled);
    expect(sent).toMatchObject({ channel: 'email', state: 'delivered', recipient: member.email });
    const [mail, ...more] = mails.filter(({ text }) => text.includes(domain));
    expect(more).toEqual([]);
    expect(mail?.to).toBe(member.email);
    const text = mail?.text.replaceAll('=\r\n', '') ?? '';
    expect(text).toContain(`Subject: The export of ${domain} failed`);
    expect(text).toContain(job.jobId);
    expect((await asMember(member, 'PUT', projectId, { events: [] })).status).toBe(200);
    await runExport(platform.url, tenant.key, { domain });
    expect(await notificationsOf(projectId)).toHaveLength(1);
  });

  test('a former member of the organization gets no more emails', async () => {
    const { projectId, domain } = await brokenProject();
    const member = await createPerson(platform, { organizationId: tenant.organizationId, role: 'viewer' });
    await asMember(member, 'PUT', projectId, { events: ['export.failed'] });
    await platform.database.db.deleteFrom('members').where('user_id', '=', member.id).execute();
    expectError(await asMember(member, 'GET', projectId), 404, 'not_found');
    await runExport(platform.url, tenant.key, { domain });
    const { state, attempts } = await newest(projectId, isSettled);
    expect(state).toBe('failed');
    expect(attempts[0]?.error).toContain('no longer a member');
    expect(mails.filter(({ to }) => to === member.email)).toEqual([]);
  });

  test('a member of another organization cannot turn them on', async () => {
    const { projectId } = await brokenProject();
    const other = await platform.createTenant();
    const stranger = await createPerson(platform, { organizationId: other.organizationId });
    expectError(await asMember(stranger, 'PUT', projectId, { events: ['export.failed'] }), 404, 'not_found');
  });
});

test('an event and its notifications are one transaction: none without the other when the worker is killed', async () => {
  const { projectId, domain } = await brokenProject();
  await createEndpoint(projectId, '/killed');
  const started = await ask<{ jobId: string }>('POST', '/v1/static-export/jobs', { domain });
  expect(started.status).toBe(202);
  const before = platform.processes().length;
  for (let kill = 0; kill < 3; kill += 1) {
    const worker = platform.start(['worker'], { OFFPRINT_PORT: '0' });
    await new Promise((resolve) => setTimeout(resolve, 300 * (kill + 1)));
    worker.kill('SIGKILL');
  }
  expect(platform.processes().length).toBe(before + 3);
  const { id } = await newest(projectId, isSettled);
  expect((await notificationsOf(projectId)).map((one) => one.id)).toEqual([id]);
  const { body: job } = await ask<{ status: string }>('GET', `/v1/static-export/jobs/${started.body.jobId}`);
  expect(job.status).toBe('failed');
});
