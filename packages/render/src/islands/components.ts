import { isFunction, isRecord } from '../mdx/evaluate/values.ts';
import type { ComponentRef, UserFunction, Value } from '../tree.ts';

/** Where the functions of pages and snippets come from; null for those that are not available in a browser. */
const origins = new WeakMap<UserFunction, ComponentRef | null>();

/** The place of a function of the module level, under which a browser finds it too; null for all others. */
export function componentRef(component: UserFunction): ComponentRef | null {
  return origins.get(component) ?? null;
}

/** Marks a function that is not a component of its module. */
export function notAComponent(component: UserFunction): UserFunction {
  if (!origins.has(component)) origins.set(component, null);
  return component;
}

/** Notes the functions among the names of a module, those in an object of the module (`Parts.Row`) included. */
export function noteComponents(file: string, names: Iterable<readonly [string, Value]>): void {
  for (const [name, value] of names) {
    if (isFunction(value)) note(value, file, name);
    else if (isRecord(value) && !origins.has(value as unknown as UserFunction)) {
      for (const key of Object.keys(value)) {
        const part = value[key];
        if (isFunction(part) && /^[A-Za-z_$][\w$]*$/.test(key)) note(part, file, `${name}.${key}`);
      }
    }
  }
}

function note(component: UserFunction, file: string, name: string): void {
  if (!origins.has(component)) origins.set(component, { file, name });
}
