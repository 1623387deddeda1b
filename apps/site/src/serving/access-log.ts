import type { Answer } from './traffic.ts';

/** One request, as a line of the access log tells it. */
export interface Access {
  method: string;
  /** Target as it was asked for; what follows its `?` is not written. */
  target: string;
  status: number;
  answer: Answer;
  /** Sent, headers included. */
  bytes: number;
  seconds: number;
}

export interface AccessLog {
  write(access: Access): void;
  /** Writes what is held back. */
  flush(): void;
}

const longestPath = 1024;
/** Lines are written together: a write of each would take longer than many answers. */
const heldBytes = 16 * 1024;
const heldMilliseconds = 200;

/** A log of one line of JSON a request, without addresses of readers, queries and cookies. */
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
    write({ method, target, status, answer, bytes, seconds }) {
      const line = JSON.stringify({
        time: new Date().toISOString(),
        method,
        path: target.replace(/\?.*$/s, '').slice(0, longestPath),
        status,
        kind: answer.kind,
        coding: answer.coding,
        bytes,
        ms: Math.round(seconds * 1e4) / 10,
        release: answer.release?.slice(0, 16) ?? null,
      });
      // bytes beyond ASCII may mean something to the terminal that shows them
      held += `${line.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
      if (held.length >= heldBytes) flush();
      else timer ??= setTimeout(flush, heldMilliseconds).unref();
    },
    flush,
  };
}
