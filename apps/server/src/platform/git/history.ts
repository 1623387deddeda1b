import { failureOf } from './failure.ts';
import { type Contact, initRepository, runFetch } from './fetch.ts';
import { checkObjectId } from './repository.ts';
import { runGit } from './run.ts';

/** History is fetched in steps of this number of generations: most ancestors are near. */
const DEPTHS = [32, 512, 8_192];

export interface AncestorQuestion {
  ancestor: string;
  commit: string;
  /** Maximum generations that are read; default 8,192. */
  most?: number | undefined;
  /** Commits of which the repository has the whole history; kept up to date here. */
  complete: Set<string>;
}

/**
 * Whether one commit is an ancestor of (or the same as) another of the remote repository. Fetches as much of the
 * history as that takes, commits only where the server can do so, into `contact.gitDir`, a repository of its own.
 */
export async function isAncestor(contact: Contact, question: AncestorQuestion): Promise<boolean> {
  const { ancestor, commit, most = 8_192, complete } = question;
  for (const id of [ancestor, commit]) checkObjectId(id);
  if (ancestor === commit) return true;
  const { gitDir, signal, repository } = contact;
  const isFound = async (): Promise<boolean> => {
    const args = ['merge-base', '--is-ancestor', ancestor, commit];
    return (await runGit({ gitDir, signal, args })).status === 0;
  };
  if (complete.has(commit)) return isFound();
  await initRepository(gitDir, commit, signal);
  for (const depth of DEPTHS.filter((step) => step <= most)) {
    const { status, stderr } = await runFetch(
      contact,
      [`--depth=${depth}`, '--filter=tree:0'],
      [`+${commit}:refs/offprint/kept/${commit}`],
    );
    if (status !== 0) throw failureOf(repository, stderr);
    const isWhole = !(await isShallow(gitDir, signal));
    if (isWhole) complete.add(commit);
    const found = await isFound();
    if (found || isWhole) return found;
  }
  return false;
}

/** The newest commit that two commits have in common, as far back as `most`, in a repository of its own; null: none. */
export async function mergeBase(
  contact: Contact,
  { one, other, most = 8_192 }: { one: string; other: string; most?: number },
): Promise<string | null> {
  for (const id of [one, other]) checkObjectId(id);
  const { gitDir, signal, repository } = contact;
  await initRepository(gitDir, one, signal);
  const refs = [one, other].map((id) => `+${id}:refs/offprint/kept/${id}`);
  for (const depth of DEPTHS.filter((step) => step <= most)) {
    const { status, stderr } = await runFetch(contact, [`--depth=${depth}`, '--filter=tree:0'], refs);
    if (status !== 0) throw failureOf(repository, stderr);
    const found = await runGit({ gitDir, signal, args: ['merge-base', one, other] });
    if (found.status === 0) return found.stdout.toString('latin1').trim();
    if (!(await isShallow(gitDir, signal))) return null;
  }
  return null;
}

async function isShallow(gitDir: string, signal: AbortSignal): Promise<boolean> {
  const { stdout } = await runGit({ gitDir, signal, args: ['rev-parse', '--is-shallow-repository'] });
  return stdout.toString('latin1').trim() === 'true';
}
