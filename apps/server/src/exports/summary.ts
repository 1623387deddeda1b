import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArtifactChunk, type ArtifactIndex, linkFactsFile, parseArtifactIndex } from '@offprint/bundle';
import type { PageAccess, RenderResult, Warning } from '@offprint/render';

/** What came of a render: everything an export's row needs. The files are in the artifact folder. */
export interface ExportSummary {
  pageCount: number;
  /** Sorted by file, line, code. */
  warnings: Warning[];
  /** All there were; `warnings` of a sandboxed render holds the first MAX_WARNINGS. */
  warningCount: number;
  /** Label: as asked, else the first 12 characters of the commit, else those of the content digest. */
  version: string;
  commit: string | null;
  site: RenderResult['site'];
  /** What pages say of their readers. It is not part of the artifact. */
  access: PageAccess;
  /** As in `artifact.json`. */
  index: ArtifactIndex;
}

export interface RenderProgress {
  rendered: number;
  total: number;
}

/**
 * The result of the sandbox child: a summary, or the error for which the source cannot be exported at all.
 */
export type RenderAnswer =
  | { status: 'completed'; summary: ExportSummary }
  | { status: 'refused'; fault: Warning };

/** Warnings that a sandboxed render hands over. */
export const MAX_WARNINGS = 10_000;

/** Checks a result by form: it comes from a process that has read hostile content. Throws TypeError. */
export function readAnswer(value: unknown): RenderAnswer {
  const answer = record(value);
  if (answer.status === 'refused') return { status: 'refused', fault: readWarning(answer.fault) };
  if (answer.status !== 'completed') throw new TypeError('the renderer returned an invalid result');
  const summary = record(answer.summary);
  const site = record(summary.site);
  const version = text(summary.version, 64);
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(version))
    throw new TypeError('the renderer returned an invalid version');
  return {
    status: 'completed',
    summary: {
      pageCount: count(summary.pageCount),
      warnings: list(summary.warnings, MAX_WARNINGS).map(readWarning),
      warningCount: count(summary.warningCount),
      version,
      commit: summary.commit === null ? null : text(summary.commit, 64),
      site: {
        name: text(site.name, 10_000),
        description: site.description === null ? null : text(site.description, 100_000),
        url: site.url === null ? null : text(site.url, 10_000),
        languages: list(site.languages, 1_000).map((language) => text(language, 100)),
        versions: list(site.versions, 1_000).map((name) => text(name, 1_000)),
      },
      access: readAccess(record(summary.access)),
      index: parseArtifactIndex(JSON.stringify(summary.index)),
    },
  };
}

function readAccess({ groups, excluding, hasPublic }: Record<string, unknown>): PageAccess {
  const names = (value: unknown) => list(value, 200).map((name) => text(name, 200));
  return { groups: names(groups), excluding: names(excluding), hasPublic: hasPublic === true };
}

/** Checks a progress message; null for one that is none. */
export function readProgress(value: unknown): RenderProgress | null {
  const { rendered, total } = (value ?? {}) as Partial<RenderProgress>;
  const valid = Number.isSafeInteger(rendered) && Number.isSafeInteger(total);
  if (!valid || rendered === undefined || total === undefined || rendered < 0 || rendered > total)
    return null;
  return { rendered, total };
}

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Bytes of the compressed places of links of an export. */
const MAX_LINK_FACTS = 16 * 1024 * 1024;

/** The places of links of an artifact folder that a sandboxed render filled, compressed; null for one without them. */
export async function readLinkFacts(artifactDir: string): Promise<Uint8Array | null> {
  return readOutput(artifactDir, linkFactsFile, MAX_LINK_FACTS);
}

/** A file that a sandboxed render wrote, if it is a regular one of at most that many bytes; null otherwise. */
export async function readOutput(folder: string, name: string, maxBytes: number): Promise<Buffer | null> {
  const handle = await open(join(folder, name), FLAGS).catch(() => null);
  if (handle === null) return null;
  try {
    const stat = await handle.stat();
    return stat.isFile() && stat.nlink === 1 && stat.size <= maxBytes ? await handle.readFile() : null;
  } finally {
    await handle.close();
  }
}

/**
 * Reads a chunk of an artifact folder that a sandboxed render filled: a regular file of the size that the index
 * says, never through a link, or the server would publish whatever the link names. Throws when it is not so.
 */
export async function readChunk(artifactDir: string, chunk: ArtifactChunk): Promise<Uint8Array> {
  const handle = await open(join(artifactDir, chunk.sha256), FLAGS);
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size !== chunk.bytes || stat.nlink !== 1) {
      throw new Error(`chunk ${chunk.sha256} of the artifact is not as its index says`);
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function readWarning(value: unknown): Warning {
  const warning = record(value);
  return {
    file: text(warning.file, 10_000),
    // The API documents lines from 1: one bad line must not suppress all warnings.
    line: warning.line === null ? null : count(warning.line) || null,
    code: text(warning.code, 200),
    message: text(warning.message, 10_000),
  };
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null)
    throw new TypeError('the renderer returned an invalid result');
  return value as Record<string, unknown>;
}

function list(value: unknown, most: number): unknown[] {
  if (!Array.isArray(value) || value.length > most)
    throw new TypeError('the renderer returned an invalid list');
  return value;
}

function text(value: unknown, most: number): string {
  if (typeof value !== 'string') throw new TypeError('the renderer returned an invalid text');
  return value.slice(0, most);
}

function count(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new TypeError('the renderer returned an invalid number');
  return value as number;
}
