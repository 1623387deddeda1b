import type { JsonSchema, Key, Keys } from './key.ts';

/**
 * Definitions that every schema made here refers to. Each value may be replaced by a `$ref` to a file, and null is the
 * same as a missing key. The double `not` accepts null without that editors suggest it for every key.
 */
export const DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
  path: {
    type: 'string',
    pattern: '\\.json$',
    description:
      'Path of a JSON file of the docs folder that replaces this object. Keys beside it override those of the file.',
  },
  reference: {
    properties: { $ref: { $ref: '#/definitions/path' } },
    not: { not: { type: ['object', 'null'], required: ['$ref'] } },
  },
};

const REFERENCE_KEYS = { $ref: { $ref: '#/definitions/path' } };
const REFERENCE: JsonSchema = { $ref: '#/definitions/reference' };

/** What editors know about a key. */
export function keySchema(key: Key<unknown>): JsonSchema {
  const form = key.type.schema();
  const forms: readonly JsonSchema[] = Array.isArray(form.anyOf) ? form.anyOf : [form];
  const description = sentences(key).join(' ');
  const isMarked = /`|\]\(/.test(description);
  const snippet = key.default === undefined && key.example === undefined ? snippetOf(forms[0]) : null;
  return {
    description: isMarked ? plain(description) : description,
    ...(isMarked ? { markdownDescription: description.replace(/\[([^\]]*)\]\(\/[^)]*\)/g, '$1') } : {}),
    ...(key.default === undefined || key.default === null ? {} : { default: key.default }),
    ...(key.example === undefined ? {} : { examples: [key.example] }),
    ...(snippet === null ? {} : { defaultSnippets: [{ body: snippet }] }),
    ...(key.isIgnored ? { deprecationMessage: `${key.about}. Remove it.` } : {}),
    ...(key.isOlder ? { doNotSuggest: true } : {}),
    ...(Object.keys(form).length === 0 ? {} : { anyOf: [...forms, REFERENCE] }),
  };
}

/** What editors insert for a key. */
function snippetOf(form: JsonSchema = {}): unknown {
  const type: unknown = Array.isArray(form.type) ? form.type[0] : form.type;
  if (type === 'object' || form.$ref === '#/definitions/navigation') return {};
  if (type === 'array') return [];
  if (type === 'string' || form.enum !== undefined) return '$1';
  return type === undefined ? null : '^$1';
}

/** An object with these keys and no others. */
export function objectSchema(keys: Keys): JsonSchema {
  const properties = Object.entries(keys).map(([name, key]) => [name, keySchema(key)] as const);
  return {
    type: 'object',
    properties: { ...REFERENCE_KEYS, ...Object.fromEntries(properties) },
    additionalProperties: false,
  };
}

/** An object with any keys; editors suggest some. */
export function recordSchema(value: JsonSchema, names: readonly string[]): JsonSchema {
  const forms = Array.isArray(value.anyOf) ? value.anyOf : [value];
  const member = { anyOf: [...forms, REFERENCE] };
  const properties = Object.fromEntries(names.map((name) => [name, member]));
  return { type: 'object', properties: { ...REFERENCE_KEYS, ...properties }, additionalProperties: member };
}

/** Names in any case and with spaces around them, as they are read; editors suggest them as they are. */
export function namesSchema(names: readonly string[]): JsonSchema {
  return { anyOf: [{ enum: names }, hiddenNames(names)] };
}

/** Names in any case and with spaces around them, or nothing; editors do not suggest them. */
export function hiddenNames(names: readonly string[]): JsonSchema {
  const letters = names.map((name) =>
    name.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`),
  );
  return { type: 'string', pattern: `^\\s*(?:${letters.join('|')})?\\s*$` };
}

/** What a key does, and how far. */
function sentences({ about, partial, unused, noEffect, otherwise, isIgnored }: Key<unknown>): string[] {
  const reason = unused ?? (isIgnored ? undefined : noEffect);
  const limit = reason === undefined ? [] : [`No effect in an export: ${reason}.`];
  const part = partial === undefined ? [] : [`Supported in part: ${partial}.`];
  const fallback = otherwise === undefined ? [] : [`Default: ${otherwise}.`];
  return [`${about}.`, ...part, ...limit, ...fallback];
}

/** Markdown as text: links by their label, code without marks. */
const plain = (markdown: string): string =>
  markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
