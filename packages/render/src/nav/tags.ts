import { isObject, type JsonObject } from '../config/json.ts';
import { listOf, textOf } from '../reference/values.ts';

/** How the tags of a description group its operations. */
export interface Tags {
  /**
   * The tag by which an operation is grouped: the first one, but none that OpenAPI 3.2 gives another `kind` than `nav`,
   * as long as there are others. Null without a tag.
   */
  choose(tags: unknown): string | null;
  /** Labels of the groups of a tag, outermost first. */
  labels(tag: string): readonly string[];
}

const MAX_DEPTH = 8;

/**
 * Labels of tags are `x-group`, else the `summary` of OpenAPI 3.2, else the name. A tag is inside of its `parent`, or of
 * the group of `x-tagGroups` that lists it.
 */
export function readTags(document: JsonObject): Tags {
  const known = new Map<string, JsonObject>();
  for (const tag of listOf(document.tags)) {
    const name = isObject(tag) ? tag.name : undefined;
    if (isObject(tag) && typeof name === 'string' && !known.has(name)) known.set(name, tag);
  }
  const outer = new Map<string, string>();
  for (const group of listOf(document['x-tagGroups'])) {
    const label = isObject(group) ? textOf(group.name) : null;
    for (const name of isObject(group) && label !== null ? listOf(group.tags) : [])
      if (typeof name === 'string' && label !== null && !outer.has(name)) outer.set(name, label);
  }
  const labelOf = (name: string): string => {
    const tag = known.get(name);
    return textOf(tag?.['x-group']) ?? textOf(tag?.summary) ?? name;
  };
  const isNavigation = (name: string): boolean => {
    const kind = known.get(name)?.kind;
    return typeof kind !== 'string' || kind === 'nav';
  };
  return {
    choose(tags) {
      const names = listOf(tags).filter((name) => typeof name === 'string');
      const [first] = names;
      // As before `kind`, an empty first tag means that the operation has none.
      if (first === undefined || first.trim() === '') return null;
      return names.find((name) => name.trim() !== '' && isNavigation(name)) ?? first;
    },
    labels(tag) {
      const labels: string[] = [];
      const seen = new Set<string>();
      let name: string | null = tag;
      while (name !== null && !seen.has(name) && seen.size < MAX_DEPTH) {
        seen.add(name);
        labels.unshift(labelOf(name));
        const group: string | undefined = outer.get(name);
        const parent: unknown = known.get(name)?.parent;
        name = typeof parent === 'string' && known.has(parent) ? parent : null;
        if (name === null && group !== undefined && group !== labels[0]) labels.unshift(group);
      }
      return labels;
    },
  };
}
