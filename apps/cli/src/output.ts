/** Messages go to standard error, data to standard output, so that output can be piped. */
import { wantsColor } from './config.ts';
import { countEqual, type Listed, listing } from './listing.ts';
import { printable } from './printable.ts';

export { printable };

const BAR_WIDTH = 28;

export interface Talk {
  say(line: string): void;
  /** Replaces the current progress line; `fraction` is 0 to 1. Without a terminal, writes a line every 10 %. */
  progress(fraction: number, text: string): void;
  /** Ends the progress line. */
  done(): void;
}

export function createTalk(options: { quiet: boolean }): Talk {
  const stream = process.stderr;
  const moving = stream.isTTY === true && wantsColor();
  let open = false;
  let lastTenth = -1;
  const clear = () => {
    if (open) stream.write('\r\x1b[2K');
    open = false;
  };
  if (options.quiet) return { say: () => {}, progress: () => {}, done: () => {} };
  return {
    say(line) {
      clear();
      stream.write(`${line}\n`);
    },
    progress(fraction, text) {
      const bounded = Math.min(1, Math.max(0, fraction));
      const percent = `${Math.floor(bounded * 100)}`.padStart(3);
      if (moving) {
        const filled = Math.round(bounded * BAR_WIDTH);
        const bar = `${'━'.repeat(filled)}${'─'.repeat(BAR_WIDTH - filled)}`;
        stream.write(`\r\x1b[2K${bar} ${percent} %  ${text}`);
        open = true;
        return;
      }
      const tenth = Math.floor(bounded * 10);
      if (tenth <= lastTenth) return;
      lastTenth = tenth;
      stream.write(`${percent} %  ${text}\n`);
    },
    done() {
      lastTenth = -1;
      clear();
    },
  };
}

/** One line of JSON on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** A size for people: B, kB or MB (1 kB = 1,000 bytes). */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function formatDuration(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.round(ms / 1000)} s`;
}

/** Prints a diff: unchanged for programs, without control characters for terminals. */
export function printDiff(diff: string): void {
  const lines = diff.split('\n').map((line) => line.split('\t').map(printable).join('\t'));
  process.stdout.write(process.stdout.isTTY === true ? lines.join('\n') : diff);
}

/** Shows the first `max` kinds of warnings with their number of occurrences, and how many more exist. */
export function sayWarnings(talk: Talk, warnings: readonly Listed[], max: number): void {
  const kinds = countEqual(warnings);
  const color = process.stderr.isTTY === true && wantsColor();
  const text = listing(kinds.slice(0, max), color);
  if (text !== '') talk.say(text.trimEnd());
  if (kinds.length > max) talk.say(`and ${kinds.length - max} more. Use --warnings all to show them.`);
}
