import type { ArtifactFile } from '@offprint/bundle';
import type { ExportPageChanges } from '@offprint/contract';
import { notFound } from '../platform/http/error.ts';
import { textDiff } from '../platform/text-diff.ts';
import { comparePage, copyOf } from './changes.ts';
import type { StoredArtifact } from './stored-artifact.ts';

/** Bytes of a Markdown copy, and of an HTML file, that are compared: they are held in memory. */
const MAX_TEXT = 512 * 1024;
const MAX_HTML = 4 * 1024 ** 2;
const MAX_LINKS = 100;
/** Characters of a link that are shown. */
const MAX_LINK = 500;
/** Milliseconds that finding the least difference may take. */
const PATIENCE_MS = 200;

type Details = Omit<ExportPageChanges, 'jobId' | 'since'>;

/** What differs in a page of two artifacts; `before` null: there is no other. Throws the 404 when neither has it. */
export async function describePageChanges(
  before: StoredArtifact | null,
  after: StoredArtifact,
  path: string,
): Promise<Details> {
  const change = comparePage(before?.manifest.files ?? [], after.manifest.files, path);
  if (change === null) throw notFound('page');
  const sides = [before, after] as const;
  const copies = sides.map((artifact) => findFile(artifact, copyOf(path)));
  const details = { path, change, additions: 0, deletions: 0, diff: null, links: null };
  const links =
    change === 'layout' || change === 'undetermined'
      ? await compareLinks(sides.map((artifact) => ({ artifact, file: findFile(artifact, `${path}.html`) })))
      : null;
  const [old, now] = copies;
  if (old === null && now === null) return { ...details, links, diffMissing: 'no_markdown' };
  if (old?.sha256 === now?.sha256) return { ...details, links, diffMissing: 'same_text' };
  if (copies.some((file) => (file?.size ?? 0) > MAX_TEXT)) return { ...details, diffMissing: 'too_large' };
  const [text, current] = [await readText(before, old), await readText(after, now)];
  const { additions, deletions, diff } = textDiff(
    copyOf(path),
    text,
    current,
    performance.now() + PATIENCE_MS,
  );
  return { ...details, additions, deletions, diff, diffMissing: null };
}

function findFile(artifact: StoredArtifact | null, path: string): ArtifactFile | null {
  return artifact?.manifest.files.find((file) => file.path === path) ?? null;
}

async function readText(
  artifact: StoredArtifact | null,
  file: ArtifactFile | null | undefined,
): Promise<string | null> {
  if (artifact === null || file === null || file === undefined) return null;
  if (file.size === 0) return '';
  const pieces: Uint8Array[] = [];
  for await (const piece of artifact.read(file)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Addresses that only one of two HTML files names: what a change without a change of text consists of, mostly. */
async function compareLinks(
  sides: { artifact: StoredArtifact | null; file: ArtifactFile | null }[],
): Promise<ExportPageChanges['links']> {
  if (sides.some(({ file }) => (file?.size ?? 0) > MAX_HTML)) return null;
  const sets: Set<string>[] = [];
  for (const { artifact, file } of sides) sets.push(linksOf((await readText(artifact, file)) ?? ''));
  const [old = new Set<string>(), now = new Set<string>()] = sets;
  const without = (links: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...links].filter((link) => !others.has(link)).slice(0, MAX_LINKS);
  return { added: without(now, old), removed: without(old, now) };
}

/** Values of `href` and `src` as our renderer writes them, in double quotes. */
function linksOf(html: string): Set<string> {
  const links = new Set<string>();
  for (const [, link = ''] of html.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
    links.add(link.slice(0, MAX_LINK).replaceAll('&amp;', '&').toWellFormed());
  }
  return links;
}
