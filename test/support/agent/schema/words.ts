/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const words: Schema = { type: 'string', minLength: 1 };
export const whole: Schema = { type: 'integer' };
export const flag: Schema = { type: 'boolean' };
export const nothing: Schema = { type: 'null' };
export const anything: Schema = {};
export const map: Schema = { type: 'object' };

export const is = (value: string | boolean): Schema => ({ const: value });
export const among = (...values: string[]): Schema => ({ enum: values });
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, nothing] });
export const either = (...schemas: Schema[]): Schema => ({ anyOf: schemas });
export const list = (items: Schema): Schema => ({ type: 'array', items });
export const some = (items: Schema): Schema => ({ type: 'array', items, minItems: 1 });

/** An object with these properties and no others; names that end with `?` may be missing. */
export function object(properties: Record<string, Schema>): Schema {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

/** One schema for what fits a condition, another for what does not. */
export const when = (condition: Schema, fits: Schema, otherwise: Schema | false): Schema => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  then: fits,
  else: otherwise,
});

/** Objects that a property discriminates, so that an error refers to the right one. */
export function union(property: string, ...members: Schema[]): Schema {
  const [member, ...others] = members;
  if (member === undefined) throw new Error('A union has members.');
  const { properties } = member as { properties: Record<string, Schema> };
  const condition = { properties: { [property]: properties[property] }, required: [property] };
  return when(condition, member, others.length === 0 ? false : union(property, ...others));
}
