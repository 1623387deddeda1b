const SEGMENT = /^[A-Za-z0-9._-]+$/;
const KEY_MAX = 512;

/**
 * Throws on anything but `/`-separated segments of `[A-Za-z0-9._-]`, none of them starting with a dot: a key
 * can then never leave the store's folder, on any driver.
 */
export function requireKey(key: string): void {
  const segments = key.split('/');
  const valid =
    key.length <= KEY_MAX && segments.every((segment) => SEGMENT.test(segment) && segment[0] !== '.');
  if (!valid) throw new Error(`Not a blob key: ${JSON.stringify(key.slice(0, 100))}`);
}
