const SEGMENT = /^[A-Za-z0-9._-]+$/;
const KEY_MAX = 512;

/** `/`-separated segments of `[A-Za-z0-9._-]`, none of them starting with a dot. */
export function isKey(key: string): boolean {
  const segments = key.split('/');
  return key.length <= KEY_MAX && segments.every((segment) => SEGMENT.test(segment) && segment[0] !== '.');
}

/** Throws on anything that is not a key, so that a key can never leave the store's folder, on any driver. */
export function requireKey(key: string): void {
  if (!isKey(key)) throw new Error(`Not a blob key: ${JSON.stringify(key.slice(0, 100))}`);
}

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** A name that a header and a query carry as it is. */
export const isFileName = (name: string): boolean => FILE_NAME.test(name);

/** Throws on a name that a link must not carry. */
export function requireFileName(name: string): void {
  if (!isFileName(name)) throw new Error(`Not a file name for a link: ${JSON.stringify(name)}`);
}
