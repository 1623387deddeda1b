import type { PageHeads } from '../nav/page-files.ts';
import type { SourceTree } from '../source.ts';
import { createHeads, type KnownHeads } from './heads.ts';
import type { PageCache } from './page-cache.ts';
import { readState, type State } from './state.ts';
import { createWatch, type Watch } from './watch.ts';

/** A cache that is used for a render. */
export interface OpenCache {
  cache: PageCache;
  watch: Watch;
  state: State | null;
  heads: PageHeads & { all: KnownHeads };
}

export function openCache(cache: PageCache, source: SourceTree): OpenCache {
  const watch = createWatch(source);
  const state = readState(cache);
  return { cache, watch, state, heads: createHeads(state, source, cache) };
}
