import { jsonpath } from 'json-p3';
import { isObject, type JsonObject } from '../config/json.ts';

/** Values that the actions of an overlay may select together. */
const MAX_SELECTED = 100_000;
const MAX_ACTIONS = 2000;
const MAX_DEPTH = 100;

/**
 * Applies an OpenAPI overlay (1.0) to a description, which is changed: each action selects by JSONPath (RFC 9535), and
 * removes what it selects or merges `update` into it. Gives a sentence for each action without effect.
 */
export function applyOverlay(document: JsonObject, overlay: unknown): string[] {
  if (!isObject(overlay) || !Array.isArray(overlay.actions))
    return ['The overlay has no list of "actions", so it has no effect.'];
  const faults: string[] = [];
  let left = MAX_SELECTED;
  for (const [index, action] of overlay.actions.slice(0, MAX_ACTIONS).entries()) {
    const name = `Action ${index + 1} of the overlay`;
    if (!isObject(action) || typeof action.target !== 'string') {
      faults.push(`${name} has no "target", so it has no effect.`);
      continue;
    }
    const selected = select(document, action.target);
    if (typeof selected === 'string') {
      faults.push(`${name} has a "target" that is not a JSONPath: ${selected}`);
      continue;
    }
    if (selected.length === 0) faults.push(`${name} selects nothing: ${JSON.stringify(action.target)}.`);
    left -= selected.length;
    if (left < 0) {
      faults.push(
        `The overlay selects more than ${MAX_SELECTED} values; ${name} and later ones were ignored.`,
      );
      break;
    }
    // From the last one, so that removed items of a list do not move the others.
    for (const location of selected.reverse()) change(document, location, action);
  }
  return faults;
}

type Location = readonly (string | number)[];

function select(document: JsonObject, target: string): Location[] | string {
  try {
    return jsonpath
      .query(target, document as Parameters<typeof jsonpath.query>[1])
      .nodes.map((node) => node.location);
  } catch (fault) {
    return fault instanceof Error ? fault.message.slice(0, 200) : 'unknown syntax';
  }
}

function change(document: JsonObject, location: Location, action: JsonObject): void {
  const key = location.at(-1);
  if (key === undefined) {
    if (action.remove !== true) mergeInto(document, action.update, 0);
    return;
  }
  const parent = valueAt(document, location.slice(0, -1));
  if (Array.isArray(parent) && typeof key === 'number') {
    if (action.remove === true) parent.splice(key, 1);
    else parent[key] = merged(parent[key], action.update, 0);
  } else if (isObject(parent) && typeof key === 'string') {
    if (action.remove === true) delete parent[key];
    else define(parent, key, merged(parent[key], action.update, 0));
  }
}

function valueAt(document: unknown, location: Location): unknown {
  let value = document;
  for (const key of location) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** Objects are merged, a value is added to a list, anything else is replaced. */
function merged(value: unknown, update: unknown, depth: number): unknown {
  if (update === undefined) return value;
  if (Array.isArray(value)) return Array.isArray(update) ? [...value, ...update] : [...value, update];
  if (!isObject(value) || !isObject(update) || depth > MAX_DEPTH) return update;
  mergeInto(value, update, depth);
  return value;
}

function mergeInto(value: JsonObject, update: unknown, depth: number): void {
  if (!isObject(update)) return;
  for (const key of Object.keys(update)) {
    const own = Object.hasOwn(value, key) ? value[key] : undefined;
    define(value, key, merged(own, update[key], depth + 1));
  }
}

/** Assignment would change the prototype where the key is `__proto__`. */
function define(value: JsonObject, key: string, member: unknown): void {
  Object.defineProperty(value, key, { value: member, writable: true, enumerable: true, configurable: true });
}
