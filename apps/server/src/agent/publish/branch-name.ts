import { checkRef } from '../../platform/git/repository.ts';
import { harmlessTitle } from '../policy/harmless.ts';

const MAX_SLUG = 40;

/**
 * The branch of a job: prefix, what it is about in at most 40 ASCII characters, and eight characters of the job's id;
 * `-2` and so on from the second round. The same words give the same name; what is known for a secret, or is one of
 * `secrets`, gives none.
 *
 * Throws GitError `invalid` when the prefix is none that a branch can have.
 */
export function branchName(
  prefix: string,
  title: string,
  jobId: string,
  round: number,
  secrets: readonly string[] = [],
): string {
  const id = jobId
    .slice(jobId.lastIndexOf('_') + 1)
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 8)
    .toLowerCase();
  const words = harmlessTitle(title, { maxLength: 1_000, secrets }, '');
  const parts = [slug(words), id, ...(round > 1 ? [String(round)] : [])];
  return checkRef(`${prefix}${parts.filter((part) => part !== '').join('-')}`);
}

function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (plain.length <= MAX_SLUG) return plain || 'docs';
  // Whole words, unless the first is longer than all of it.
  const cut = plain.slice(0, MAX_SLUG + 1);
  const end = cut.lastIndexOf('-');
  return cut.slice(0, end > 0 ? end : MAX_SLUG);
}
