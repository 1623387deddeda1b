/**
 * Where a tar stream is cut into chunks. The limits depend on paths, and inside large files on their bytes, never on
 * offsets: a change moves no limit behind it, so that most chunks of the next export have the same digests.
 */
import { isHashed } from './site/headers.ts';

/** Maximum tar bytes of a chunk. */
export const chunkSize = 256 * 1024;

/** Files of a group: from the minimum on, it ends after one of four paths, which their hash selects. */
const minFiles = 8;
const maxFiles = 16;

/** Whether a group of files, the last one of which has this path, ends after it. */
export function endsGroup(path: string, files: number): boolean {
  if (files >= maxFiles) return true;
  // a name that changes with its content must not move limits
  return files >= minFiles && !isHashed.test(path) && (hashPath(path) & 3) === 0;
}

function hashPath(path: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) sum = Math.imul(sum ^ path.charCodeAt(at), 0x01000193);
  return sum ^ (sum >>> 15);
}

/** Bytes of a piece of a large file: at least these, then twice as many on average. */
const minPiece = 32 * 1024;
const pieceBits = 15;

/** A number for each byte, always the same (xorshift, Marsaglia 2003). */
const gear = new Uint32Array(256);
let state = 0x9e3779b9;
for (let byte = 0; byte < gear.length; byte++) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  gear[byte] = state;
}

/**
 * Length of the first piece of a large file: it ends after the first bytes whose rolling hash (Gear, as in FastCDC)
 * starts with zeros, or with `bytes`.
 */
export function pieceLength(bytes: Uint8Array): number {
  let sum = 0;
  // the hash has no bits of a byte further back
  for (let at = minPiece - 32; at < bytes.length; at++) {
    sum = ((sum << 1) + gear[bytes[at]!]!) | 0;
    if (sum >>> (32 - pieceBits) === 0 && at >= minPiece) return at + 1;
  }
  return bytes.length;
}
