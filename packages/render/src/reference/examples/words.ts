export type Path = readonly (string | number)[];

/** The JSON type of a value; whole numbers are `integer`. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) || JSON.isRawJSON(value) ? 'integer' : typeof value;
}

/** A type with its article. */
export function aType(type: unknown): string {
  if (type === 'null') return 'null';
  return type === 'array' || type === 'integer' || type === 'object' ? `an ${type}` : `a ${String(type)}`;
}

const MAX_SHOWN = 5;

/** The first ones of allowed values: `"a", "b" or 12 others`. */
export function enumWords(values: readonly unknown[]): string {
  const shown = values
    .slice(0, MAX_SHOWN)
    .map((one) =>
      typeof one === 'object' && one !== null ? aType(typeOf(one)) : cut(JSON.stringify(one), 60),
    );
  const rest = values.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} or ${rest} others` : shown.join(', ');
}

/** A place in a value: `"owner.keys[0].id"`; a name that is not a word is in brackets. */
export function pathWords(path: Path): string {
  const names = path.map((key) =>
    typeof key === 'string' && /^[\w$-]+$/.test(key) ? `.${cut(key, 60)}` : `[${cut(String(key), 60)}]`,
  );
  return JSON.stringify(names.join('').replace(/^\./, '').slice(-200));
}

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text);
