import type { JsonObject } from '../config/json.ts';
import type { Resolver } from './resolver.ts';

/** The description that is read. */
export interface Reading {
  resolver: Resolver;
  document: JsonObject;
  file: string;
}

/** The first ones of a list that a hostile description may have made long. */
export function firstOf<T>(
  list: readonly T[],
  max: number,
  what: string,
  { resolver, file }: Reading,
): readonly T[] {
  if (list.length <= max) return list;
  resolver.exceeded(file, `an operation with more than ${max} ${what}`);
  return list.slice(0, max);
}
