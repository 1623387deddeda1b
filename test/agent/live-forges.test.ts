/**
 * The contract of all forges against a real one, when somebody names it: docs/agent/forges.mdx, "Try it against your
 * forge". Branches and pull requests that it makes are removed or closed.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { forgeSettingsFor, type StoredForge } from '../../apps/server/src/platform/forge/detect.ts';
import { createForge } from '../../apps/server/src/platform/forge/forge.ts';
import type { ForgeApiSettings } from '../../apps/server/src/platform/forge/port.ts';
import { type Ground, rows } from '../support/forge/contract.ts';

const { env } = process;
const kind = env.OFFPRINT_LIVE_KIND;
const repository = env.OFFPRINT_LIVE_REPOSITORY ?? '';
const token = env.OFFPRINT_LIVE_TOKEN ?? '';
const isNamed = kind !== undefined && repository !== '' && token !== '';
const why = isNamed
  ? ''
  : ' (skipped: OFFPRINT_LIVE_KIND, OFFPRINT_LIVE_REPOSITORY and OFFPRINT_LIVE_TOKEN name no forge)';

if (!isNamed) console.info(`The live suite of forges is not run${why}.`);

const run = promisify(execFile);

function settingsFor(secret: string): ForgeApiSettings {
  const stored: StoredForge = {
    kind: kind as StoredForge['kind'],
    ...(env.OFFPRINT_LIVE_API_URL === undefined ? {} : { apiUrl: env.OFFPRINT_LIVE_API_URL }),
    ...(env.OFFPRINT_LIVE_USERNAME === undefined ? {} : { username: env.OFFPRINT_LIVE_USERNAME }),
  };
  const settings = forgeSettingsFor({ repository, credential: null, stored, secret });
  if (settings.kind === 'git') throw new Error('A plain Git server has no pull requests to try.');
  return settings;
}

/** Closes by the shortest way that each forge has. */
async function close(settings: ForgeApiSettings, number: number): Promise<void> {
  const calls = {
    github: {
      method: 'PATCH',
      path: `/repos/${settings.repository}/pulls/${number}`,
      body: { state: 'closed' },
    },
    gitea: {
      method: 'PATCH',
      path: `/repos/${settings.repository}/pulls/${number}`,
      body: { state: 'closed' },
    },
    gitlab: {
      method: 'PUT',
      path: `/projects/${encodeURIComponent(settings.repository)}/merge_requests/${number}`,
      body: { state_event: 'close' },
    },
  };
  const { method, path, body } = calls[settings.kind];
  const response = await fetch(`${settings.apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'user-agent': 'Offprint',
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The forge did not close ${number}: ${response.status}`);
}

async function setGround(): Promise<Ground & { clear(): Promise<void> }> {
  const settings = settingsFor(token);
  const folder = await mkdtemp(join(tmpdir(), 'offprint-live-'));
  const askpass = join(folder, 'askpass');
  const clone = join(folder, 'clone');
  const clientFor = (secret: string) => createForge(settingsFor(secret), { fetch, now: () => new Date() });
  const credential = await clientFor(token).gitCredential(new AbortController().signal);
  if (credential?.kind !== 'token') throw new Error('Take a token and an https address.');
  await writeFile(
    askpass,
    '#!/bin/sh\ncase "$1" in [Uu]sername*) echo "$LIVE_USER" ;; *) echo "$LIVE_TOKEN" ;; esac\n',
  );
  await chmod(askpass, 0o700);
  const environment = {
    PATH: env.PATH ?? '',
    HOME: folder,
    GIT_ASKPASS: askpass,
    GIT_TERMINAL_PROMPT: '0',
    LIVE_USER: credential.username ?? 'x-access-token',
    LIVE_TOKEN: credential.token,
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) => [
        [`GIT_${role}_NAME`, 'Offprint'],
        [`GIT_${role}_EMAIL`, 'offprint@example.com'],
      ]),
    ),
  };
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: folder, env: environment })).stdout.trim();
  const inside = (...args: string[]): Promise<string> => git('-C', clone, ...args);
  await git('clone', '-q', repository, clone);
  const base = await inside('symbolic-ref', '--short', 'HEAD');
  const branches: string[] = [];
  const forge = clientFor(token);
  const opened: number[] = [];
  return {
    forge: {
      ...forge,
      async createPullRequest(request, signal) {
        const created = await forge.createPullRequest(request, signal);
        opened.push(created.number);
        return created;
      },
    },
    base,
    withToken: clientFor,
    newBranch: () => `offprint/live-${randomBytes(5).toString('hex')}`,
    async push(branch) {
      await inside('checkout', '-q', '-B', branch, `origin/${base}`);
      await writeFile(join(clone, 'live.md'), `${branch}\n`);
      await inside('add', 'live.md');
      await inside('commit', '-q', '-m', `Try ${branch}`);
      branches.push(branch);
      await inside('push', '-q', 'origin', `HEAD:refs/heads/${branch}`);
      return inside('rev-parse', 'HEAD');
    },
    async pushEmpty(...names) {
      for (const name of names) {
        branches.push(name);
        await inside('push', '-q', 'origin', `origin/${base}:refs/heads/${name}`);
      }
    },
    merge: async () => {
      throw new Error('Nothing is merged in a real repository.');
    },
    close: (number) => close(settings, number),
    async clear() {
      const signal = new AbortController().signal;
      const names = [...new Set(branches)];
      for (const name of names) {
        const found = await forge.findPullRequest(name, signal);
        if (found?.state === 'open' && opened.includes(found.number)) await close(settings, found.number);
      }
      if (names.length > 0)
        await inside('push', '-q', 'origin', ...names.map((name) => `:refs/heads/${name}`));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe.skipIf(!isNamed)(`a real forge${why}`, () => {
  let ground: Awaited<ReturnType<typeof setGround>>;
  beforeAll(async () => {
    ground = await setGround();
  });
  afterAll(() => ground.clear());
  test.each(rows)('$name', ({ run: play }) => play(ground));
});
