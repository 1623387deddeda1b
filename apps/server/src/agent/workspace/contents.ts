import { isUtf8 } from 'node:buffer';

/** Bytes of a file that a model reads. */
const MAX_TEXT_BYTES = 1_000_000;
/** The same of configurations and API descriptions: beyond this the renderer does not read them either. */
const MAX_DATA_BYTES = 32 * 1024 ** 2;
/** Bytes of all files larger than `MAX_TEXT_BYTES`, and of one of them, as in exports: they are in memory during a job. */
const MAX_LARGE_BYTES = 256 * 1024 ** 2;

/** Files whose text the renderer reads, whether or not it is text. Of others it reads at most the size and the start. */
export const isReadWhole = (path: string): boolean =>
  path === '.mintignore' || /\.(?:mdx?|[jt]sx?|json|css|html?|ya?ml|txt|svg)$/i.test(path);

/** The largest size at which a file is text for the tools of a model. The check has files of any size. */
export const readableBytes = (path: string): number =>
  /\.(?:json|ya?ml)$/i.test(path) ? MAX_DATA_BYTES : MAX_TEXT_BYTES;

/** Whether the tools of a model read a content as text: UTF-8 without NUL, and not too large. */
export const isReadable = (path: string, content: Uint8Array): boolean =>
  content.byteLength <= readableBytes(path) && isUtf8(content) && !content.includes(0);

/**
 * Decides file by file whether a base keeps the content of a file: of each small one, and of each that the renderer
 * reads, up to a total. A file of the second kind without its content makes the docs uncheckable.
 */
export function contentRule(most = MAX_LARGE_BYTES): (file: { path: string; bytes: number }) => boolean {
  let left = most;
  return ({ path, bytes }) => {
    if (bytes <= MAX_TEXT_BYTES) return true;
    if (!isReadWhole(path) || bytes > left) return false;
    left -= bytes;
    return true;
  };
}
