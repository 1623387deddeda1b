import { isUtf8 } from 'node:buffer';
import type { SourceTree } from './source.ts';
import type { Warn } from './warning.ts';

/** What a decoder writes for bytes that are not UTF-8, and what an author may write, too. */
const REPLACEMENT = '\ufffd';

/** Text of a file of the source; bytes that are not UTF-8 are reported. */
export function readTextFile(
  source: Pick<SourceTree, 'read' | 'readText'>,
  file: string,
  warn: Warn,
): string {
  const text = source.readText(file);
  reportEncoding(source, file, text, warn);
  return text;
}

/** Reports a file whose bytes are not UTF-8; `text` is what was read of it. */
export function reportEncoding(
  source: Pick<SourceTree, 'read'>,
  file: string,
  text: string,
  warn: Warn,
): void {
  if (!text.includes(REPLACEMENT)) return;
  const line = invalidLine(source.read(file));
  if (line === null) return;
  const message = 'The file is not UTF-8, so some characters are lost. Save it as UTF-8.';
  warn({ file, line, code: 'not-utf-8', message });
}

/** Number of the first line that is not UTF-8; null where all are. A character never extends over a line end. */
export function invalidLine(bytes: Uint8Array): number | null {
  if (isUtf8(bytes)) return null;
  let line = 1;
  for (let at = 0; at < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, at);
    const next = end < 0 ? bytes.length : end + 1;
    if (!isUtf8(bytes.subarray(at, next))) return line;
    at = next;
  }
  return 1;
}
