import { failureOf } from './failure.ts';
import { type Contact, initRepository, runFetch } from './fetch.ts';
import { checkObjectId } from './repository.ts';
import { runGit } from './run.ts';

/** History is fetched in steps of so many generations: most ancestors are near. */
const DEPTHS = [32, 512, 8_192];

/**
 * Whether one commit is an ancestor of (or the same as) another of the remote repository. Fetches as much of the
 * history as that takes, commits only where the server can do so, into `contact.gitDir`, a repository of its own.
 * An ancestor further back than `most` generations is not looked for.
 */
export async function isAncestor(
  contact: Contact,
  ancestor: string,
  commit: string,
  most = 8_192,
): Promise<boolean> {
  for (const id of [ancestor, commit]) checkObjectId(id);
  if (ancestor === commit) return true;
  const { gitDir, signal, repository } = contact;
  await initRepository(gitDir, commit, signal);
  for (const depth of DEPTHS.filter((step) => step <= most)) {
    const { status, stderr } = await runFetch(
      contact,
      [`--depth=${depth}`, '--filter=tree:0'],
      [`+${commit}:refs/offprint/kept/${commit}`],
    );
    if (status !== 0) throw failureOf(repository, stderr);
    const found = await runGit({ gitDir, signal, args: ['merge-base', '--is-ancestor', ancestor, commit] });
    if (found.status === 0) return true;
    if (!(await isShallow(gitDir, signal))) return false;
  }
  return false;
}

async function isShallow(gitDir: string, signal: AbortSignal): Promise<boolean> {
  const { stdout } = await runGit({ gitDir, signal, args: ['rev-parse', '--is-shallow-repository'] });
  return stdout.toString('latin1').trim() === 'true';
}
