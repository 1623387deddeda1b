import type { Check } from './check.ts';

/**
 * How an export treats one thing of the format: `supported` as the format says, `degraded` to something less,
 * `none` where a static site can have no such thing, `missing` where ours does not have it yet.
 */
export interface Row {
  name: string;
  state: 'supported' | 'degraded' | 'none' | 'missing';
  /** How or why, one sentence without its full stop; empty where nothing is to say. */
  note: string;
  /** What is exported and checked; each `supported` row has one. */
  check: Check | null;
}

/** A table of the page. */
export interface Section {
  title: string;
  rows: readonly Row[];
}

export const supported = (name: string, check: Check, note = ''): Row => ({
  name,
  state: 'supported',
  note,
  check,
});

export const degraded = (name: string, how: string, check: Check | null = null): Row => ({
  name,
  state: 'degraded',
  note: how,
  check,
});

export const none = (name: string, why: string, check: Check | null = null): Row => ({
  name,
  state: 'none',
  note: why,
  check,
});

export const missing = (name: string, what: string): Row => ({
  name,
  state: 'missing',
  note: what,
  check: null,
});
