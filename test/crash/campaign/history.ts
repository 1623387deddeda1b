/** What happens in a campaign of kills: one JSON object a line, only ever appended, read by the checker alone. */
import { appendFileSync, readFileSync } from 'node:fs';

export const VICTIMS = ['worker', 'api', 'child', 'postmaster', 'guard'] as const;
export type Victim = (typeof VICTIMS)[number];
export type JobKind = 'export' | 'agent';

/** A job and the attempt that a worker held. */
export interface Lease {
  id: string;
  attempt: number;
}

/** What an undisturbed job makes: of an export its digest, of an agent job the tree of its branch. */
export interface Baseline {
  kind: 'baseline';
  project: string;
  result: string;
}

export type Entry =
  | { kind: 'begin'; seed: number; options: Record<string, unknown> }
  | Baseline
  /** A client is about to send the first request with this key. */
  | { kind: 'asked'; job: JobKind; project: string; key: string }
  /** A response that started a job or replayed the start, or a refusal (`id` is null). */
  | { kind: 'answer'; key: string; status: number; id: string | null; text?: string }
  /** A client sees the end of a job. */
  | { kind: 'end'; id: string; status: string; result: string | null; text?: string }
  /** A client downloaded the bundle of a completed export. */
  | { kind: 'download'; id: string; sha256: string; expected: string }
  | { kind: 'started'; role: 'worker' | 'api'; pid: number }
  | { kind: 'kill'; victim: Victim; pid: number; isActive: boolean; held: Lease[]; burst: number }
  | {
      kind: 'exit';
      role: 'worker' | 'api';
      pid: number;
      code: number | null;
      signal: string | null;
      isKilled: boolean;
    }
  /** Kills are over; everything that was started is to end. */
  | { kind: 'calm' }
  | { kind: 'load'; load: number };

/** An entry with its time in milliseconds since 1970. */
export type Line = Entry & { at: number };

export interface History {
  add(entry: Entry): void;
}

/** Appends to a file that may exist. Each line is written whole before the call returns. */
export function openHistory(file: string): History {
  return { add: (entry) => appendFileSync(file, `${JSON.stringify({ at: Date.now(), ...entry })}\n`) };
}

export function readHistory(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text !== '')
    .map((text): Line => JSON.parse(text));
}
