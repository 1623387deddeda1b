import { runGit } from './run.ts';

/** What a commit says of itself. Every text was written by others: it is short, of one line and without controls. */
export interface CommitDetails {
  /** First paragraph of the message; '' without one. */
  subject: string;
  /** Name of the author, never an email address; '' without one. */
  author: string;
  /** RFC 3339, UTC, to the millisecond; null when the commit has no date that can be read. */
  authoredAt: string | null;
  /** Date of the committer, RFC 3339, UTC, to the second; the start of 1970 when the commit has none that can be read. */
  committedAt: string;
}

const MAX_SUBJECT = 200;
const MAX_AUTHOR = 100;
/** Bytes of a commit that are kept: a message can be of any size. */
const MAX_BYTES = 256 * 1024;

/** Reads the details of a commit that the repository has. Throws the reason of `signal`. */
export async function readCommitDetails(
  gitDir: string,
  commit: string,
  signal: AbortSignal,
): Promise<CommitDetails> {
  const kept: Buffer[] = [];
  let size = 0;
  await runGit({
    gitDir,
    signal,
    args: ['cat-file', 'commit', commit],
    async consume(stdout) {
      for await (const chunk of stdout) {
        if (size < MAX_BYTES) kept.push(chunk.subarray(0, MAX_BYTES - size));
        size += chunk.byteLength;
      }
    },
  });
  return parseCommit(Buffer.concat(kept));
}

/** Parses the start of a commit object. Whatever is missing or malformed is left empty. */
export function parseCommit(raw: Buffer): CommitDetails {
  const end = raw.indexOf('\n\n');
  const header = raw.subarray(0, end === -1 ? raw.byteLength : end);
  const encoding = /^encoding (\S+)$/m.exec(header.toString('latin1'))?.[1];
  const lines = decode(header, encoding);
  const author = /^author (.*?) ?<[^\n]*> ?(\S*) ?\S*$/m.exec(lines);
  const committer = /^committer .*> (\d{1,12}) [+-]\d+$/m.exec(lines);
  const message = end === -1 ? '' : decode(raw.subarray(end + 2), encoding);
  const paragraph = message.trimStart().split(/\r?\n[ \t]*\r?\n/, 1)[0] ?? '';
  return {
    subject: shorten(plain(paragraph), MAX_SUBJECT),
    author: shorten(withoutAddress(plain(author?.[1] ?? '')), MAX_AUTHOR),
    authoredAt: dateOf(author?.[2]),
    committedAt: (dateOf(committer?.[1]) ?? new Date(0).toISOString()).replace('.000Z', 'Z'),
  };
}

function decode(raw: Buffer, encoding: string | undefined): string {
  try {
    return new TextDecoder(encoding ?? 'utf-8').decode(raw);
  } catch {
    // An encoding that nobody knows.
    return raw.toString('utf8');
  }
}

/** One line without what is invisible or changes the direction of the text around it. */
function plain(text: string): string {
  return text
    .slice(0, 10 * MAX_SUBJECT)
    .toWellFormed()
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cc}\p{Bidi_Control}\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/gu, '')
    .trim();
}

/** A name that is an email address, as some accounts have it, without its host. */
function withoutAddress(name: string): string {
  return name.replace(/([^\s<>@()]+)@[^\s<>@()]+/g, '$1').replace(/[<>]/g, '');
}

function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`;
}

function dateOf(seconds: string | undefined): string | null {
  if (seconds === undefined || !/^\d{1,12}$/.test(seconds)) return null;
  const date = new Date(Number(seconds) * 1000);
  // Years of five digits have another form, which the API does not document.
  return date.getUTCFullYear() > 9999 ? null : date.toISOString();
}
