import { isReference } from './resolver.ts';

/** Whether two values of a description are the same, without descending far into large ones. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [one, other] = [JSON.stringify(a, limitDepth()), JSON.stringify(b, limitDepth())];
  return one.length < 100_000 && one === other;
}

function limitDepth(): (key: string, value: unknown) => unknown {
  let left = 5000;
  return (_key, value) => (--left < 0 ? undefined : value);
}

/** Values of a schema in which a reference is searched; more of them count as one that has a reference. */
const MAX_SEARCHED = 2000;

/** Whether the meaning of a value may depend on its file. */
export function hasReference(value: unknown): boolean {
  const open: unknown[] = [value];
  for (let count = 0; open.length > 0; count++) {
    const next = open.pop();
    if (count === MAX_SEARCHED || isReference(next)) return true;
    if (typeof next !== 'object' || next === null) continue;
    if (open.length < MAX_SEARCHED) open.push(...Object.values(next).slice(0, MAX_SEARCHED));
  }
  return false;
}
