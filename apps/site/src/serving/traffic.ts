import { type Coding, encodings } from '@offprint/bundle';

/** The kind of a response. */
export const answerKinds = [
  'page',
  'markdown',
  'asset',
  'redirect',
  'missing',
  'refused',
  'sign-in',
  'service',
  'fault',
] as const;

export type AnswerKind = (typeof answerKinds)[number];

/** What is known about a response at its start. */
export interface Answer {
  kind: AnswerKind;
  coding: Coding;
  /** SHA-256 of the bundle it comes from; null if it comes from none. */
  release: string | null;
}

/** Response counters. Their number is fixed, whatever clients request. */
export interface Traffic {
  /** A response has ended. `bytes` is the size of its body, `seconds` the time since the request was read. */
  count(answer: Answer, status: number, bytes: number, seconds: number): void;
  /** Input that never became a request: not HTTP, too large, too slow. */
  countBroken(status: number): void;
  /** A connection above the limit was closed. */
  countDropped(): void;
  snapshot(): TrafficSnapshot;
}

export interface TrafficSnapshot {
  answers: { kind: AnswerKind; coding: Coding; statusClass: string; count: number; bytes: number }[];
  /** Responses that took at most this number of seconds, and all responses. */
  seconds: { buckets: { atMost: number; count: number }[]; count: number; sum: number };
  broken: { status: string; count: number }[];
  dropped: number;
}

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const codings: readonly Coding[] = ['identity', ...encodings];
const statusClasses = ['2xx', '3xx', '4xx', '5xx'];
const brokenStatuses = ['400', '408', '413', '431', 'other'];

export function createTraffic(): Traffic {
  const cells = answerKinds.length * codings.length * statusClasses.length;
  const counts = new Float64Array(cells);
  const bytesOf = new Float64Array(cells);
  const buckets = new Float64Array(bounds.length + 1);
  const broken = new Float64Array(brokenStatuses.length);
  let sum = 0;
  let dropped = 0;
  return {
    count({ kind, coding }, status, bytes, seconds) {
      const statusClass = Math.min(3, Math.max(0, Math.floor(status / 100) - 2));
      const cell =
        (answerKinds.indexOf(kind) * codings.length + codings.indexOf(coding)) * statusClasses.length +
        statusClass;
      counts[cell]! += 1;
      bytesOf[cell]! += bytes;
      const bucket = bounds.findIndex((bound) => seconds <= bound);
      buckets[bucket < 0 ? bounds.length : bucket]! += 1;
      sum += seconds;
    },
    countBroken(status) {
      const place = brokenStatuses.indexOf(String(status));
      broken[place < 0 ? brokenStatuses.length - 1 : place]! += 1;
    },
    countDropped() {
      dropped += 1;
    },
    snapshot() {
      const answers: TrafficSnapshot['answers'] = [];
      let cell = 0;
      for (const kind of answerKinds) {
        for (const coding of codings) {
          for (const statusClass of statusClasses) {
            const [count = 0, bytes = 0] = [counts[cell], bytesOf[cell]];
            if (count > 0) answers.push({ kind, coding, statusClass, count, bytes });
            cell++;
          }
        }
      }
      let count = 0;
      const below = bounds.map((atMost, place) => {
        count += buckets[place] ?? 0;
        return { atMost, count };
      });
      count += buckets[bounds.length] ?? 0;
      return {
        answers,
        seconds: { buckets: below, count, sum },
        broken: brokenStatuses.map((status, place) => ({ status, count: broken[place] ?? 0 })),
        dropped,
      };
    },
  };
}
