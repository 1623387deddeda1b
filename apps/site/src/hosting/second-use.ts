/** Slots of the table, a power of two: 64 kB. */
const slots = 1 << 14;

/**
 * Returns whether a key was asked for before and not replaced in the table since. What is asked for once, such as pages
 * that a crawler visits, does not replace what readers use, and ends as young garbage, which costs no pause.
 */
export function createSecondUse(): (key: string) => boolean {
  const seen = new Uint32Array(slots);
  return (key) => {
    const digest = digestOf(key);
    const slot = digest & (slots - 1);
    if (seen[slot] === digest) return true;
    seen[slot] = digest;
    return false;
  };
}

/** FNV-1a: a collision only keeps a value earlier. */
function digestOf(key: string): number {
  let digest = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) digest = Math.imul(digest ^ key.charCodeAt(at), 0x01000193);
  return digest >>> 0;
}
