/**
 * Main module of a sandbox child: finds the first path that is not a page of a docs folder. Nothing is rendered.
 */
import { directorySource, findUnknownPath, SourceError } from '@offprint/render';
import { serveOnce } from '../platform/sandbox/protocol.ts';

export interface PathInput {
  paths: readonly string[];
  groups: readonly string[];
  /** Whether the export may fetch what a site names on other hosts. */
  canFetch: boolean;
}

/**
 * Position of the first path that is not a page; null if all are pages, or if the docs cannot be exported at
 * all.
 */
export type PathAnswer = number | null;

serveOnce<PathInput, never, PathAnswer>(({ paths, groups, canFetch }, { folders }) => {
  try {
    return findUnknownPath({ source: directorySource(folders.source), paths, groups, canFetch });
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
});
