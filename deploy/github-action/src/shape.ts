/** Parses responses with the JSON Schemas of the contract, so that the action needs no schema library. */

/** The subset of JSON Schema that the responses use. */
export interface JsonSchema {
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  anyOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  items?: JsonSchema;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
}

type Issue = { path: (string | number)[] };

export interface Shape {
  safeParse(
    value: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: Issue[] } };
  parse(value: unknown): unknown;
}

/** A shape with the two functions that the client uses. Fields that are not in the schema are omitted. */
export function shape(schema: JsonSchema): Shape {
  const safeParse: Shape['safeParse'] = (value) => {
    const issues: Issue[] = [];
    const data = read(schema, value, [], issues);
    return issues.length === 0 ? { success: true, data } : { success: false, error: { issues } };
  };
  return {
    safeParse,
    parse(value) {
      const parsed = safeParse(value);
      if (parsed.success) return parsed.data;
      throw new TypeError(`unexpected value in the response: ${parsed.error.issues[0]?.path.join('.')}`);
    },
  };
}

function read(schema: JsonSchema, value: unknown, path: Issue['path'], issues: Issue[]): unknown {
  if (schema.anyOf !== undefined) {
    for (const one of schema.anyOf) {
      const found: Issue[] = [];
      const data = read(one, value, path, found);
      if (found.length === 0) return data;
    }
    issues.push({ path });
    return value;
  }
  if (!isFitting(schema, value)) {
    issues.push({ path });
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item, at) => read(schema.items ?? {}, item, [...path, at], issues));
  }
  if (typeof value !== 'object' || value === null) return value;
  const known: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(value, name)) {
      known[name] = read(one, (value as Record<string, unknown>)[name], [...path, name], issues);
    } else if (one.default !== undefined) {
      known[name] = one.default;
    } else if (schema.required?.includes(name)) {
      issues.push({ path: [...path, name] });
    }
  }
  return known;
}

function isFitting(schema: JsonSchema, value: unknown): boolean {
  if (schema.const !== undefined && schema.const !== value) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return false;
  if (typeof value === 'string') {
    if (schema.format === 'uri' && !URL.canParse(value)) return false;
    return schema.pattern === undefined || new RegExp(schema.pattern).test(value);
  }
  if (typeof value === 'number') {
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  }
  return true;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
