import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { mergeTrees, readCommit, writeCommit } from './commit.ts';
import { withAccess } from './credential.ts';
import { GitError, redact } from './error.ts';
import { type Contact, checkedAddresses, fetchTip, listRefs } from './fetch.ts';
import { isAncestor, mergeBase } from './history.ts';
import { type Mirror, mirrorFailure, openMirror } from './mirror.ts';
import { pushCommit } from './push.ts';
import type { CommitFacts, GitRemote, OpenRemote } from './remote.ts';
import { checkRef, parseRepository } from './repository.ts';
import { listTree, readContents, readText } from './tree.ts';

/**
 * Opens a repository for reading and pushing by way of a bare one in the attempt's folder, which `close` deletes.
 * Nothing is asked of the network yet.
 *
 * Throws GitError `invalid` for an address that cannot be used.
 */
export const openRemote: OpenRemote = async (request, opening) => {
  opening.throwIfAborted();
  const { policy, limits } = request;
  const repository = parseRepository(request.repository, policy);
  const url = redact(repository.url);
  await makeFolder(request.folder);
  const work = await mkdtemp(join(request.folder, 'git-'));
  const gitDir = join(work, 'repository');
  const head = 'refs/heads/';
  let mirror: Mirror | undefined;

  /** Bounds one operation in time and bytes, and says which bound it hit. */
  async function bounded<T>(
    signal: AbortSignal,
    use: (signal: AbortSignal, transfer: AbortController) => Promise<T>,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(limits.timeoutMs);
    const transfer = new AbortController();
    try {
      return await use(AbortSignal.any([signal, deadline, transfer.signal]), transfer);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (transfer.signal.aborted) throw transfer.signal.reason;
      if (!deadline.aborted) throw await mirrorFailure(error, mirror, url);
      const seconds = Math.round(limits.timeoutMs / 1000);
      throw new GitError('timeout', `An operation on ${url} took longer than ${seconds} s.`);
    }
  }

  /** Sends requests: the host is checked and the credential read again each time. */
  function contact<T>(signal: AbortSignal, use: (contact: Contact) => Promise<T>): Promise<T> {
    return bounded(signal, async (both, transfer) => {
      const addresses = await checkedAddresses(repository, policy);
      const credential = (await request.credential(both)) ?? undefined;
      return withAccess(repository, addresses, credential, policy, work, (access) =>
        use({ repository, gitDir, access, limits, signal: both, transfer }),
      );
    });
  }

  // What is known of this folder needs no process to find out.
  const here = new Set<string>();
  const facts = new Map<string, CommitFacts>();
  const complete = new Set<string>();

  const branches: GitRemote['branches'] = (signal) =>
    contact(signal, async (open) => {
      const { ids } = await listRefs(open, [`${head}*`]);
      const heads = [...ids].filter(([name]) => name.startsWith(head));
      return new Map(heads.map(([name, id]) => [name.slice(head.length), id]));
    });

  return {
    async fetchCommit(ref, signal) {
      const asked = ref === null ? null : checkRef(ref);
      if (asked !== null && here.has(asked)) return { commit: asked, branch: asked };
      mirror ??= request.mirror === undefined ? undefined : await openMirror(request.mirror);
      const { commit, ref: branch } = await contact(signal, (open) => fetchTip({ ...open, mirror }, asked));
      here.add(commit);
      return { commit, branch };
    },
    defaultBranch: (signal) =>
      contact(signal, async (open) => {
        const { head: name } = await listRefs(open, ['HEAD']);
        if (name !== null) return name;
        throw new GitError('ref-not-found', `${url} has no default branch.`);
      }),
    listTree: (commit, folder, signal) =>
      bounded(signal, (both) => listTree(gitDir, { commit, folder, limits }, both)),
    readContents: (files, take, signal) =>
      bounded(signal, (both) => readContents(gitDir, { files, limits }, take, both)),
    readText: (commit, path, signal) => bounded(signal, (both) => readText(gitDir, commit, path, both)),
    async readCommit(commit, signal) {
      const known = facts.get(commit) ?? (await bounded(signal, (both) => readCommit(gitDir, commit, both)));
      facts.set(commit, known);
      return known;
    },
    branchTip: (branch, signal) =>
      contact(signal, async (open) => {
        const name = `${head}${checkRef(branch)}`;
        return (await listRefs(open, [name])).ids.get(name) ?? null;
      }),
    branches,
    async commit(made, signal) {
      const commit = await bounded(signal, (both) => writeCommit(gitDir, made, both));
      here.add(commit);
      return commit;
    },
    isAncestor: (ancestor, commit, signal, most) =>
      contact(signal, (open) =>
        isAncestor({ ...open, gitDir: join(work, 'history') }, { ancestor, commit, most, complete }),
      ),
    mergeBase: (one, other, signal, most) =>
      contact(signal, (open) =>
        mergeBase({ ...open, gitDir: join(work, 'bases') }, { one, other, ...(most && { most }) }),
      ),
    merge: (sides, signal) => bounded(signal, (both) => mergeTrees(gitDir, sides, both)),
    push: (pushed, signal) => contact(signal, (open) => pushCommit(open, pushed)),
    close: () => rm(work, { recursive: true, force: true, maxRetries: 3 }),
  };
};
