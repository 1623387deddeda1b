/** Main module of the sandbox child: one export request in, progress and a RenderAnswer out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RemoteAnswer, type RemoteRequest, SourceError } from '@offprint/render';
import { type ChildFolders, type ChildTalk, serveOnce } from '../platform/sandbox/protocol.ts';
import { type ArtifactRequest, exportSite } from './export-site.ts';
import { askingEncoder } from './images/asking-encoder.ts';
import { isStale, type KeptQuestion, openKeptPages, programDigest } from './kept-pages.ts';
import type { FetchedFiles, FetchQuestion } from './remote-fetch.ts';
import { type ExportSummary, MAX_WARNINGS, type RenderAnswer, type RenderProgress } from './summary.ts';

export type RenderInput = Omit<
  ArtifactRequest,
  'source' | 'artifactDir' | 'cache' | 'onProgress' | 'onPage' | 'fetchRemote' | 'openEncoder'
> & {
  /** Whether the parent has or keeps pages of the last export. */
  canKeep?: boolean;
  /** Whether the parent answers questions for files of other hosts. */
  canFetch?: boolean;
  /** Whether the parent has images encoded. */
  canEncode?: boolean;
  /** Whether the parent has or keeps encoded images of the last export. */
  canKeepImages?: boolean;
};

/** Often enough for a progress bar, and for a parent to see that the render continues. */
const PROGRESS_MS = 50;

// A child that waits for its input has the time.
programDigest();

serveOnce<RenderInput, RenderProgress, RenderAnswer>(
  async ({ canFetch, canKeep, canEncode, canKeepImages, ...input }, { folders, send, begin, ask }) => {
    let sent = 0;
    const onProgress = (progress: RenderProgress): void => {
      const now = performance.now();
      const isEdge = progress.rendered === 0 || progress.rendered === progress.total;
      if (!isEdge && now - sent < PROGRESS_MS) return;
      sent = now;
      send(progress);
    };
    const encoder = canEncode === true ? askingEncoder(ask, canKeepImages === true) : null;
    try {
      const request: ArtifactRequest = {
        ...input,
        source: folders.source,
        artifactDir: folders.output,
        onProgress,
        onPage: begin,
        ...(encoder === null ? {} : { openEncoder: encoder.open }),
        ...(canFetch === true ? { fetchRemote: (requests) => readAnswers(requests, ask) } : {}),
      };
      const summary =
        canKeep === true ? await exportChanges(request, folders, ask) : await exportSite(request);
      encoder?.keep(folders.output);
      return {
        status: 'completed',
        summary: { ...summary, warnings: summary.warnings.slice(0, MAX_WARNINGS) },
      };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const { file, line, code } = error;
      const prefix = `${file}${line === null ? '' : `:${line}`}: `;
      return { status: 'refused', fault: { file, line, code, message: error.message.slice(prefix.length) } };
    }
  },
);

/** Exports with the pages that the last export has left, and leaves those for the next one. */
async function exportChanges(
  request: ArtifactRequest,
  folders: ChildFolders,
  ask: ChildTalk<never>['ask'],
): Promise<ExportSummary> {
  const { answer, folder } = await ask({ kept: true } satisfies KeptQuestion);
  const pages = openKeptPages(folders.source, answer === true ? folder : null);
  const { source, cache } = pages;
  try {
    const {
      renderedPages: _,
      kept,
      ...summary
    } = await exportSite({ ...request, source, cache }).catch((error: unknown) => {
      if (cache.earlier === null || !isStale(error)) throw error;
      return exportSite({ ...request, source, cache: { ...cache, earlier: null } });
    });
    pages.keep(kept, folders.output);
    return summary;
  } finally {
    pages.close();
  }
}

/** The parent fetches, by its policy, and leaves the files in a folder that only it writes. */
async function readAnswers(
  requests: readonly RemoteRequest[],
  ask: ChildTalk<never>['ask'],
): Promise<Map<string, RemoteAnswer>> {
  const { answer: answers, folder } = await ask({ fetch: requests } satisfies FetchQuestion);
  return new Map(
    (answers as FetchedFiles).map(({ url, ...answer }) => [
      url,
      'fault' in answer ? answer : { type: answer.type, content: readFileSync(join(folder, answer.file)) },
    ]),
  );
}
