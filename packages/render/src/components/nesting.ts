import type { PageScope } from './component.ts';

/**
 * What the components around the one being written have said, for those that work together (Steps and Step).
 * Children are written while their parent is, so that a stack per page and kind has the closest parent at its top, also
 * through snippets and wrappers.
 */
export interface Nesting<T> {
  /** Writes `children` inside `state`. */
  within(page: PageScope, state: T, write: () => string): string;
  /** State of the closest parent, null outside. */
  nearest(page: PageScope): T | null;
}

/** A kind of nesting; `T` is what parents pass to their children. */
export function createNesting<T>(): Nesting<T> {
  const stacks = new WeakMap<PageScope, T[]>();
  return {
    within(page, state, write) {
      let stack = stacks.get(page);
      if (stack === undefined) {
        stack = [];
        stacks.set(page, stack);
      }
      stack.push(state);
      try {
        return write();
      } finally {
        stack.pop();
      }
    },
    nearest: (page) => stacks.get(page)?.at(-1) ?? null,
  };
}
