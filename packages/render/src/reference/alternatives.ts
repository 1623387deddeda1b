import { isObject } from '../config/json.ts';
import type { At, Resolver } from './resolver.ts';
import { listOf } from './values.ts';

export const MAX_VARIANTS = 100;

/** Names that each alternative requires, if no alternative says anything else. */
export function requirementsOf(list: readonly unknown[]): string[][] | null {
  const names: string[][] = [];
  for (const one of list.slice(0, MAX_VARIANTS)) {
    if (!isObject(one) || Object.keys(one).some((key) => key !== 'required')) return null;
    names.push(listOf(one.required).filter((name) => typeof name === 'string'));
  }
  return names;
}

export function isNull(at: At, resolver: Resolver): boolean {
  const target = resolver.resolve(at)?.value;
  if (!isObject(target)) return false;
  const { type } = target;
  if (type === 'null' || (Array.isArray(type) && type.length === 1 && type[0] === 'null')) return true;
  if (target.const === null && Object.hasOwn(target, 'const')) return true;
  return Array.isArray(target.enum) && target.enum.length === 1 && target.enum[0] === null;
}
