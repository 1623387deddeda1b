import { loadConfig } from '../config/config.ts';
import type { SourceTree } from '../source.ts';
import { findPage, openPages } from './open-pages.ts';

/**
 * Position of the first path that renderSite would refuse as no page; null when each is one. Nothing is rendered.
 * Throws SourceError when the source cannot be exported at all.
 */
export function findUnknownPath(question: {
  source: SourceTree;
  /** As `paths` of renderSite. */
  paths: readonly string[];
  /** As `groups` of renderSite. */
  groups?: readonly string[];
}): number | null {
  const { source, paths, groups = [] } = question;
  const warn = () => undefined;
  const { index } = openPages(source, loadConfig(source, warn), groups, warn);
  const at = paths.findIndex((path) => findPage(index, path) === null);
  return at === -1 ? null : at;
}
