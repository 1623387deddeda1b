import type { Check } from './check.ts';

/**
 * Support for one part of the format: `supported` as the format defines it, `degraded` if support is partial, `none` if a
 * static site cannot support it, `missing` if it is not implemented yet.
 */
export interface Row {
  name: string;
  state: 'supported' | 'degraded' | 'none' | 'missing';
  /** Details or reason, one sentence without a full stop; may be empty. */
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
