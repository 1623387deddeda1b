import { loadConfig } from '../config/config.ts';
import { namesRemoteDescription } from '../remote/site-files.ts';
import type { SourceTree } from '../source.ts';
import { findPage, openPages } from './open-pages.ts';

/**
 * Position of the first path that renderSite would reject as an unknown page; null when each is a page, and when that cannot be
 * determined without a network. Nothing is rendered.
 * Throws SourceError when the source cannot be exported at all.
 */
export function findUnknownPath(question: {
  source: SourceTree;
  /** As `paths` of renderSite. */
  paths: readonly string[];
  /** As `groups` of renderSite. */
  groups?: readonly string[];
  /** Whether the export may fetch API descriptions, whose pages are not known here. */
  canFetch?: boolean;
}): number | null {
  const { source, paths, groups = [], canFetch = false } = question;
  const warn = () => undefined;
  const config = loadConfig(source, warn);
  if (canFetch && namesRemoteDescription(config.raw)) return null;
  const { index } = openPages(source, config, groups, warn);
  const at = paths.findIndex((path) => findPage(index, path) === null);
  return at === -1 ? null : at;
}
