import { BundleError, quote } from './error.ts';

const maxPathBytes = 1024;
const maxSegmentBytes = 255;
// a device name stays one with an extension, and with spaces before the extension
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;
/** C0, DEL, C1, the two line separators, and the ones that change the direction of the text around them. */
export const hidden = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u;

/**
 * Why a path is not allowed in a bundle, as a sentence fragment (`contains a backslash`); null if it is
 * allowed. A valid path is relative, `/`-separated, and names the same file on Linux, macOS and Windows.
 */
export function pathFault(path: string): string | null {
  if (path === '') return 'is empty';
  if (!path.isWellFormed()) return 'is not valid Unicode';
  if (path.startsWith('/')) return 'is absolute';
  if (path.includes('\\')) return 'contains a backslash';
  if (/^[A-Za-z]:/.test(path)) return 'starts with a drive letter';
  if (hidden.test(path)) return 'contains a control character';
  if (Buffer.byteLength(path) > maxPathBytes) return `is longer than ${maxPathBytes} bytes`;
  for (const segment of path.split('/')) {
    const fault = segmentFault(segment);
    if (fault !== null) return fault;
  }
  return null;
}

function segmentFault(segment: string): string | null {
  if (segment === '') return 'has an empty segment';
  if (segment === '.' || segment === '..') return `has a ${segment} segment`;
  if (segment.endsWith('.') || segment.endsWith(' ')) return 'has a segment that ends with a dot or a space';
  if (reserved.test(segment)) return `has the segment ${segment}, which is a device name on Windows`;
  if (Buffer.byteLength(segment) > maxSegmentBytes)
    return `has a segment longer than ${maxSegmentBytes} bytes`;
  return null;
}

/** Equal for paths that name one file on a file system that folds case or normalizes Unicode. */
export function collisionKey(path: string): string {
  // upper then lower also folds letters with only an upper form: long s, Kelvin sign, sharp s
  return /^[\x20-\x7e]*$/.test(path) ? path.toLowerCase() : path.normalize('NFC').toUpperCase().toLowerCase();
}

/**
 * Checks paths one by one and returns the number of folders so far. Throws a BundleError at the first path
 * that is unsafe or collides with an earlier one.
 */
export function createPathGuard(): (path: string) => number {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  return (path) => {
    const fault = pathFault(path);
    if (fault !== null) throw new BundleError('path_unsafe', `The path ${fault}.`, path);
    const key = collisionKey(path);
    const twin = files.get(key) ?? folders.get(key);
    if (twin !== undefined) throw collision(path, twin);
    files.set(key, path);
    for (let slash = key.lastIndexOf('/'); slash > 0; slash = key.lastIndexOf('/', slash - 1)) {
      const folder = key.slice(0, slash);
      if (folders.has(folder)) break;
      const file = files.get(folder);
      if (file !== undefined) throw collision(path, file);
      folders.set(folder, path);
    }
    return folders.size;
  };
}

function collision(path: string, twin: string): BundleError {
  return new BundleError(
    'path_collision',
    `The path collides with ${quote(twin)} on file systems that fold case or normalize Unicode, or one is a folder in the other. Rename one.`,
    path,
  );
}
