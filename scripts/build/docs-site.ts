/**
 * Exports docs/ to dist/docs, from where the API serves it at /docs: the index of the export and its chunks. They are
 * written beside the folder and moved into it, the index last, so that a running API never reads a part of an export.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { artifactIndexFile, parseArtifactIndex } from '@offprint/bundle';
import { directorySource } from '@offprint/render';
import { exportSite } from '@offprint/server/export-site';
import { ROOT } from './manifest.ts';

const FOLDER = join(ROOT, 'dist/docs');
const PREFIX = '.docs-';
/** Much longer than an export takes. */
const STALE_MS = 600_000;

removeLeftovers(dirname(FOLDER));
const work = mkdtempSync(join(dirname(FOLDER), PREFIX));
try {
  const { warnings } = await exportSite({
    source: directorySource(join(ROOT, 'docs')),
    artifactDir: work,
    domain: '',
    // Every installation has another one, and links are relative.
    siteUrl: null,
    commit: null,
    committedAt: null,
  });
  for (const { file, line, message } of warnings)
    process.stderr.write(`docs/${file}:${line ?? 1}: ${message}\n`);
  replace(work, FOLDER);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Of exports that were killed. */
function removeLeftovers(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((one) => one.startsWith(PREFIX))) {
    const path = join(folder, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > STALE_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Chunks of the export before are kept, because an API may still read them; older ones are removed. */
function replace(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const kept = new Set([...namesOf(to), ...namesOf(from)]);
  for (const name of readdirSync(from).filter((one) => one !== artifactIndexFile))
    renameSync(join(from, name), join(to, name));
  renameSync(join(from, artifactIndexFile), join(to, artifactIndexFile));
  for (const name of readdirSync(to)) if (!kept.has(name)) rmSync(join(to, name), { force: true });
}

function namesOf(folder: string): string[] {
  const index = join(folder, artifactIndexFile);
  if (!existsSync(index)) return [];
  const { chunks } = parseArtifactIndex(readFileSync(index, 'utf8'));
  return [artifactIndexFile, ...chunks.map(({ sha256 }) => sha256)];
}
