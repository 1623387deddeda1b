import type { Answer } from './traffic.ts';

/** One request in the form in which the access log records it. */
export interface Access {
  method: string;
  /** Host of the site; left out by a server of one site. */
  host?: string;
  /** Request target; the query string is not logged. */
  target: string;
  status: number;
  answer: Answer;
  /** Bytes sent, headers included. */
  bytes: number;
  seconds: number;
}

export interface AccessLog {
  write(access: Access): void;
  /** Writes buffered lines. */
  flush(): void;
}

const longestPath = 1024;
/** Lines are written in batches: one write per line would take longer than many responses. */
const bufferBytes = 16 * 1024;
const flushMilliseconds = 200;

/** A log of one line of JSON per request, without IP addresses of readers, query strings and cookies. */
export function createAccessLog(write: (lines: string) => void): AccessLog {
  let held = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (held !== '') write(held);
    held = '';
  };
  return {
    write({ host, method, target, status, answer, bytes, seconds }) {
      const line = JSON.stringify({
        time: new Date().toISOString(),
        host,
        method,
        path: target.replace(/\?.*$/s, '').slice(0, longestPath),
        status,
        kind: answer.kind,
        coding: answer.coding,
        bytes,
        ms: Math.round(seconds * 1e4) / 10,
        release: answer.release?.slice(0, 16) ?? null,
      });
      // non-ASCII bytes may be control sequences for the terminal that shows them
      held += `${line.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
      if (held.length >= bufferBytes) flush();
      else timer ??= setTimeout(flush, flushMilliseconds).unref();
    },
    flush,
  };
}
