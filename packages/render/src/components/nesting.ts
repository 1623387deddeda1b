import type { PageScope, Place } from './component.ts';
import type { View } from './markup.ts';

/**
 * What the components around the one being written have said, for those that work together (Steps and Step).
 * Children are written while their parent is, so that a stack per page and kind has the closest parent at its top, also
 * through snippets and wrappers. A browser renders children later: they find the state at the places around them.
 */
export interface Nesting<T> {
  /** The view of `children` inside `state`. */
  within(page: PageScope, state: T, write: () => View): View;
  /** {@link within} for parts that give all they have to their parent while it is written, as tabs do. */
  collect(page: PageScope, state: T, write: () => View): View;
  /** State of the closest parent, null outside. */
  nearest(page: Place): T | null;
}

/** A kind of nesting; `T` is what parents pass to their children. */
export function createNesting<T>(): Nesting<T> {
  const stacks = new WeakMap<Place, T[]>();
  const add = (place: Place, state: T): T[] => {
    const stack = stacks.get(place) ?? [];
    stacks.set(place, stack);
    stack.push(state);
    return stack;
  };
  const collect = (page: PageScope, state: T, write: () => View): View => {
    const stack = add(page, state);
    try {
      return write();
    } finally {
      stack.pop();
    }
  };
  const nearest = (place: Place): T | null => {
    for (let at: Place | null = place; at !== null; at = at.around) {
      const state = stacks.get(at)?.at(-1);
      if (state !== undefined) return state;
    }
    return null;
  };
  return {
    collect,
    nearest,
    within: (page, state, write) => page.nest(collect(page, state, write), (place) => void add(place, state)),
  };
}
