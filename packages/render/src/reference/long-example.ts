/** Characters as JSON of the largest example that samples and forms contain, which show and send all of it. */
const MAX_SENT = 20_000;

/** One example can be that of thousands of operations. */
const known = new WeakMap<object, boolean>();

/** Whether an example is shown in part only. Samples and forms have one that is made of the schema then. */
export function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_SENT;
  if (typeof value !== 'object' || value === null) return false;
  const before = known.get(value);
  if (before !== undefined) return before;
  const found = JSON.stringify(value).length > MAX_SENT;
  known.set(value, found);
  return found;
}
