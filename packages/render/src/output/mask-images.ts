import { posix } from 'node:path';

/**
 * Properties whose images browsers request with CORS, which pages that are opened from disk fail. The value of a custom
 * property may be used in one of them.
 */
const MASK = /^(?:(?:-webkit-)?mask(?:-|$)|shape-outside$|--)/;
const TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.gif': 'image/gif',
};
/** Bytes of an image that a style sheet contains; larger ones would delay every page. */
const MAX_IMAGE = 32_000;
/** Bytes of all images in a style sheet, which may name the same one many times. */
const MAX_SHEET = 256_000;

/** A `data:` URL in place of a file that a property of a style sheet names, or null where the file is loaded instead. */
export type InlineMask = (property: string, path: string, read: () => Uint8Array | null) => string | null;

/** For one style sheet. */
export function maskInliner(): InlineMask {
  let left = MAX_SHEET;
  const known = new Map<string, Uint8Array | null>();
  return (property, path, read) => {
    const type = TYPES[posix.extname(path).toLowerCase()];
    if (type === undefined || !MASK.test(property)) return null;
    if (property.startsWith('--') && type !== TYPES['.svg']) return null;
    let content = known.get(path);
    if (content === undefined) {
      content = read();
      known.set(path, content);
    }
    if (content === null || content.length > Math.min(MAX_IMAGE, left)) return null;
    left -= content.length;
    return `data:${type};base64,${Buffer.from(content).toString('base64')}`;
  };
}

/** Whether a file is small enough to be read for a style sheet. */
export function isSmallImage(size: number): boolean {
  return size <= MAX_IMAGE;
}
