/** What every forge must do through its client, and the ground it is done on: a double, or a real forge. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert';
import {
  type Forge,
  ForgeError,
  type ForgeFault,
  type NewPullRequest,
} from '../../../apps/server/src/platform/forge/port.ts';
import type { ForgeDouble } from './double.ts';

export interface Ground {
  forge: Forge;
  /** Default branch of the repository. */
  base: string;
  /** Pushes a new branch with one commit on top of the base, or one more commit of a branch that is there. */
  push(branch: string): Promise<string>;
  /** Points new branches at the tip of the base. */
  pushEmpty(...branches: string[]): Promise<void>;
  /** A branch name that was not used. */
  newBranch(): string;
  /** The same forge with another token. */
  withToken(token: string): Forge;
  merge(number: number): Promise<void>;
  close(number: number): Promise<void>;
}

/** A forge of our own, which can be made to fail. */
export interface DoubleGround extends Ground {
  double: ForgeDouble;
  /** Pushes a commit on top of main, or a deletion, by git over HTTP; whether the server took it. */
  pushTo(branch: string, what?: 'commit' | 'delete'): Promise<boolean>;
}

export interface Row<G> {
  /** The guarantee. */
  name: string;
  run(ground: G): Promise<void>;
}

export const signal = new AbortController().signal;

export function request(headBranch: string, change: Partial<NewPullRequest> = {}): NewPullRequest {
  const body = 'Adds a page.\n\n- "quoted" & <b>raw</b> ✓\n\n<!-- offprint-job:job_1 -->';
  return { headBranch, baseBranch: 'main', title: 'Add a page', body, draft: false, ...change };
}

/** The error of a call that must fail with one; its message holds none of the secrets. */
export async function refused(call: Promise<unknown>, fault: ForgeFault): Promise<ForgeError> {
  const error = await call.then(
    () => null,
    (caught: unknown) => caught,
  );
  ok(error instanceof ForgeError, `Expected a ForgeError ${fault}, got ${String(error)}.`);
  strictEqual(error.fault, fault, error.message);
  ok(error.message.length > 20, 'The message says too little.');
  return error;
}

/** Rows that hold on doubles and on real forges. */
export const rows: Row<Ground>[] = [
  {
    name: 'a branch without a pull request has none',
    async run({ forge, newBranch, push }) {
      const branch = newBranch();
      strictEqual(await forge.findPullRequest(branch, signal), null);
      await push(branch);
      strictEqual(await forge.findPullRequest(branch, signal), null);
    },
  },
  {
    name: 'a pull request that was created is found as it was asked for',
    async run({ forge, base, newBranch, push }) {
      const branch = newBranch();
      const commit = await push(branch);
      const asked = request(branch, { baseBranch: base });
      const created = await forge.createPullRequest(asked, signal);
      const found = await forge.findPullRequest(branch, signal);
      for (const one of [created, found]) {
        ok(one !== null);
        const { number, url, ...rest } = one;
        ok(Number.isInteger(number) && number > 0);
        match(url, new RegExp(`^https?://.+/${number}$`));
        deepStrictEqual(rest, {
          state: 'open',
          isDraft: false,
          title: asked.title,
          body: asked.body,
          headBranch: branch,
          headCommit: commit,
          baseBranch: base,
        });
      }
      strictEqual(found?.number, created.number);
    },
  },
  {
    name: 'a second pull request of a branch is refused as a duplicate',
    async run({ forge, base, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      await forge.createPullRequest(request(branch, { baseBranch: base }), signal);
      await refused(forge.createPullRequest(request(branch, { baseBranch: base }), signal), 'duplicate');
    },
  },
  {
    name: 'a head that is not there is a missing branch',
    async run({ forge, base, newBranch }) {
      await refused(
        forge.createPullRequest(request(newBranch(), { baseBranch: base }), signal),
        'branch-missing',
      );
    },
  },
  {
    name: 'a base that is not there is a missing branch',
    async run({ forge, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      await refused(
        forge.createPullRequest(request(branch, { baseBranch: 'no-such-base' }), signal),
        'branch-missing',
      );
    },
  },
  {
    name: 'nothing between head and base is no pull request',
    async run({ forge, base, newBranch, pushEmpty }) {
      const branch = newBranch();
      await pushEmpty(branch);
      await refused(forge.createPullRequest(request(branch, { baseBranch: base }), signal), 'no-commits');
    },
  },
  {
    name: 'title and text change, each alone and both',
    async run({ forge, base, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      const asked = request(branch, { baseBranch: base });
      const { number } = await forge.createPullRequest(asked, signal);
      const titled = await forge.updatePullRequest(number, { title: 'Another title' }, signal);
      deepStrictEqual([titled.title, titled.body], ['Another title', asked.body]);
      const texted = await forge.updatePullRequest(number, { body: 'Another text' }, signal);
      deepStrictEqual([texted.title, texted.body], ['Another title', 'Another text']);
      await forge.updatePullRequest(number, { title: 'Third', body: 'Both' }, signal);
      const found = await forge.findPullRequest(branch, signal);
      deepStrictEqual([found?.title, found?.body, found?.isDraft], ['Third', 'Both', false]);
    },
  },
  {
    name: 'a draft is one until it is ready, whatever happens to its title',
    async run({ forge, base, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      const asked = request(branch, { baseBranch: base, draft: true });
      const created = await forge.createPullRequest(asked, signal);
      deepStrictEqual([created.isDraft, created.title], [true, asked.title]);
      const titled = await forge.updatePullRequest(created.number, { title: 'Renamed' }, signal);
      deepStrictEqual([titled.isDraft, titled.title], [true, 'Renamed']);
      const ready = await forge.updatePullRequest(created.number, { draft: false }, signal);
      deepStrictEqual([ready.isDraft, ready.title], [false, 'Renamed']);
      const again = await forge.updatePullRequest(created.number, { draft: true, body: 'x' }, signal);
      deepStrictEqual([again.isDraft, again.title, again.body], [true, 'Renamed', 'x']);
      deepStrictEqual(await forge.findPullRequest(branch, signal), again);
    },
  },
  {
    name: 'a title that is too long is shortened, drafts with room for their mark',
    async run({ forge, base, newBranch, push }) {
      for (const draft of [false, true]) {
        const branch = newBranch();
        await push(branch);
        const title = `Ä${'ö𝒳'.repeat(200)}`;
        const created = await forge.createPullRequest(
          request(branch, { baseBranch: base, title, draft }),
          signal,
        );
        // Some count bytes.
        ok(Array.from(created.title).length > 60 && created.title.startsWith('Äö𝒳'), created.title);
        strictEqual(created.isDraft, draft);
      }
    },
  },
  {
    name: 'a pull request that was closed is told as closed, and the branch can have another',
    async run({ forge, base, newBranch, push, close }) {
      const branch = newBranch();
      await push(branch);
      const asked = request(branch, { baseBranch: base });
      const first = await forge.createPullRequest(asked, signal);
      await close(first.number);
      strictEqual((await forge.findPullRequest(branch, signal))?.state, 'closed');
      const second = await forge.createPullRequest(asked, signal);
      notStrictEqual(second.number, first.number);
      const found = await forge.findPullRequest(branch, signal);
      deepStrictEqual([found?.number, found?.state], [second.number, 'open']);
    },
  },
  {
    name: 'a token that is none is refused, in words without it',
    async run({ withToken, newBranch, base }) {
      const token = 'wrong-token-0123456789';
      const forge = withToken(token);
      for (const call of [
        () => forge.findPullRequest(newBranch(), signal),
        () => forge.createPullRequest(request(newBranch(), { baseBranch: base }), signal),
        () => forge.protectedBranches(signal),
      ]) {
        const error = await refused(call(), 'auth');
        ok(!error.message.includes(token), error.message);
      }
    },
  },
  {
    name: 'the default branch is never one to push to',
    async run({ forge, base }) {
      ok((await forge.protectedBranches(signal)).includes(base));
    },
  },
  {
    name: 'git signs in with a token',
    async run({ forge }) {
      const credential = await forge.gitCredential(signal);
      ok(credential?.kind === 'token' && credential.token !== '' && credential.username !== '');
    },
  },
];

/** Rows that need a forge with controlled failures. */
export const doubleRows: Row<DoubleGround>[] = [
  {
    name: 'after a merge the branch can have another, and the open one is found before the merged one',
    async run({ forge, newBranch, push, merge }) {
      const branch = newBranch();
      await push(branch);
      const first = await forge.createPullRequest(request(branch), signal);
      await merge(first.number);
      strictEqual((await forge.findPullRequest(branch, signal))?.state, 'merged');
      await push(branch);
      const second = await forge.createPullRequest(request(branch), signal);
      strictEqual((await forge.findPullRequest(branch, signal))?.number, second.number);
      notStrictEqual(second.number, first.number);
    },
  },
  {
    name: 'a merged pull request is found after its branch was deleted',
    async run({ forge, double, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      const { number } = await forge.createPullRequest(request(branch), signal);
      await double.merge(number, { deleteBranch: true });
      const found = await forge.findPullRequest(branch, signal);
      deepStrictEqual([found?.number, found?.state, found?.headBranch], [number, 'merged', branch]);
    },
  },
  {
    name: "a fork's branch of the same name does not count",
    async run({ forge, double, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      await double.addFork(branch);
      // A fork within the organization has the same owner.
      await double.addFork(branch, 'acme/docs-copy');
      strictEqual(await forge.findPullRequest(branch, signal), null);
      const { number } = await forge.createPullRequest(request(branch), signal);
      await double.addFork(branch);
      strictEqual((await forge.findPullRequest(branch, signal))?.number, number);
    },
  },
  {
    name: 'what is behind many others is found',
    async run({ forge, double, newBranch, push, pushEmpty }) {
      const branch = newBranch();
      await push(branch);
      const { number } = await forge.createPullRequest(request(branch), signal);
      double.closePull(number);
      double.addClosed(120);
      strictEqual((await forge.findPullRequest(branch, signal))?.number, number);
      const names = Array.from({ length: 120 }, (_, index) => `release/${String(index).padStart(3, '0')}`);
      await pushEmpty(...names);
      await double.protect(...names);
      deepStrictEqual((await forge.protectedBranches(signal)).sort(), ['main', ...names]);
    },
  },
  {
    name: 'a token that may only read is told which right it lacks',
    async run({ double, withToken, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      const forge = withToken(double.tokens.read);
      const error = await refused(forge.createPullRequest(request(branch), signal), 'auth');
      match(error.message, /Pull requests: read and write|scope api.*Developer|write:repository/);
      ok(!error.message.includes(double.tokens.read));
      strictEqual(await forge.findPullRequest(branch, signal), null);
    },
  },
  {
    name: 'a repository that is hidden from a token is told as such, not as a missing branch',
    async run({ double, withToken, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      const forge = withToken(double.tokens.stranger);
      for (const call of [
        () => forge.findPullRequest(branch, signal),
        () => forge.createPullRequest(request(branch), signal),
        () => forge.updatePullRequest(1, { title: 'x' }, signal),
        () => forge.protectedBranches(signal),
      ]) {
        const error = await refused(call(), 'not-found');
        ok(error.message.includes(double.repository), error.message);
      }
    },
  },
  {
    name: 'an archived repository is refused as such',
    async run({ forge, double, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      double.archive();
      const error = await refused(forge.createPullRequest(request(branch), signal), 'rejected');
      match(error.message, /archived/);
    },
  },
  {
    name: 'a protected branch is told, and pushing to it is refused',
    async run({ forge, double, pushEmpty, pushTo, newBranch }) {
      await pushEmpty('stable');
      await double.protect('stable');
      deepStrictEqual((await forge.protectedBranches(signal)).sort(), ['main', 'stable']);
      strictEqual(await pushTo('stable'), false);
      strictEqual(await pushTo(newBranch()), true);
    },
  },
  {
    name: 'a creation whose answer was lost is known as a duplicate, found, and there once',
    async run({ forge, double, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      double.fail({ kind: 'lost-answer', methods: ['POST'] });
      await refused(forge.createPullRequest(request(branch), signal), 'duplicate');
      const found = await forge.findPullRequest(branch, signal);
      strictEqual(found?.state, 'open');
      strictEqual(double.rows().filter((row) => row.head === branch).length, 1);
    },
  },
  {
    name: 'a branch that the forge does not see at once is waited for',
    async run({ forge, double, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      double.fail({ kind: 'late' });
      strictEqual((await forge.createPullRequest(request(branch), signal)).state, 'open');
    },
  },
  {
    name: 'a forge that is away for two tries is waited for, for three it is not',
    async run({ forge, double, newBranch }) {
      const branch = newBranch();
      double.fail({ kind: 502 });
      double.fail({ kind: 'broken' });
      strictEqual(await forge.findPullRequest(branch, signal), null);
      double.fail({ kind: 503, times: 3 });
      const error = await refused(forge.findPullRequest(branch, signal), 'unavailable');
      ok(error.retryable);
      strictEqual(await forge.findPullRequest(branch, signal), null);
    },
  },
  {
    name: 'an error of the forge itself is not tried again at once',
    async run({ forge, double, newBranch }) {
      double.fail({ kind: 500 });
      const before = double.requests().length;
      await refused(forge.findPullRequest(newBranch(), signal), 'unavailable');
      strictEqual(double.requests().length, before + 1);
    },
  },
  {
    name: 'a limit is waited for when it is short, and told with its end when it is long',
    async run({ forge, double, newBranch, push }) {
      const branch = newBranch();
      await push(branch);
      double.fail({ kind: 'limit', retryAfter: 1, methods: ['POST'] });
      strictEqual((await forge.createPullRequest(request(branch), signal)).state, 'open');
      double.fail({ kind: 'limit', retryAfter: 120 });
      const error = await refused(forge.findPullRequest(branch, signal), 'rate-limited');
      deepStrictEqual([error.retryable, error.retryAfterMs], [true, 120_000]);
      double.fail({ kind: 'limit' });
      const silent = await refused(forge.findPullRequest(branch, signal), 'rate-limited');
      ok((silent.retryAfterMs ?? 0) >= 1000);
    },
  },
  {
    name: 'an aborted call ends with the reason of its signal',
    async run({ forge, newBranch }) {
      const reason = new Error('stopped');
      const error = await forge.findPullRequest(newBranch(), AbortSignal.abort(reason)).catch((one) => one);
      strictEqual(error, reason);
    },
  },
];
