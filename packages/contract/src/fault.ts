import { z } from 'zod';
import { counted } from './counted.ts';

/** Where the checked value comes from. Errors in a body have JSON pointers, the others have names. */
export type FaultPlace = 'body' | 'query' | 'params' | 'headers';

/** The first error of a request: a sentence, and `param` as in the error body. */
export interface Fault {
  message: string;
  param: string;
}

type Issue = z.core.$ZodIssue;

/**
 * Turns the issues of a failed zod check of `value`, a part of a request, into the sentence and `param` of a 400
 * response. The sentence names the field as people write it (`source.url`), `param` as programs do (`/source/url`).
 * With the `schema` of the part, the sentence about an unknown field lists the known ones.
 */
export function faultOf(
  issues: readonly Issue[],
  place: FaultPlace,
  value: unknown,
  schema?: z.ZodType,
): Fault {
  const issue = issues[0];
  if (issue === undefined) return { message: `The ${place} is not valid.`, param: place };
  if (issue.code === 'unrecognized_keys') {
    const path = [...issue.path, issue.keys[0] ?? ''];
    const kind = place === 'query' ? 'parameter' : 'field';
    const known = schema === undefined ? [] : fieldsAt(schema, issue.path);
    const hint = known.length === 0 ? '' : ` Known: ${known.join(', ')}.`;
    return { message: `Unknown ${kind} ${nameOf(path)}.${hint}`, param: paramOf(path, place) };
  }
  if (issue.code === 'invalid_union') {
    const inner = issue.errors.find((branch) => branch.length > 0 && branch[0]!.path.length > 0);
    if (inner !== undefined) {
      return faultOf(
        inner.map((deep) => ({ ...deep, path: [...issue.path, ...deep.path] })),
        place,
        value,
        schema,
      );
    }
  }
  const param = paramOf(issue.path, place);
  const subject = issue.path.length === 0 ? `The ${place}` : nameOf(issue.path);
  return { message: `${subject} ${sentenceOf(issue, place, valueAt(value, issue.path))}.`, param };
}

/** Names of the fields of the object at a path; none where the path leads through a choice of schemas. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let node: unknown = bareSchema(schema);
  for (const part of path) {
    if (node instanceof z.ZodArray) node = bareSchema(node.element);
    else if (node instanceof z.ZodObject) node = bareSchema(node.shape[String(part)]);
    else return [];
  }
  return node instanceof z.ZodObject ? Object.keys(node.shape) : [];
}

/** Without the layers that make a value optional or change it. */
function bareSchema(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return bareSchema(schema.in);
  const isLayer =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isLayer ? bareSchema(schema.unwrap()) : schema;
}

function sentenceOf(issue: Issue, place: FaultPlace, value: unknown): string {
  const text = issue.message.replace(/\.$/, '');
  if (issue.code === 'custom') return text;
  if (value === undefined) return 'is missing';
  if (place === 'query' && Array.isArray(value)) return 'occurs more than once';
  if (text.startsWith('must ')) return text;
  switch (issue.code) {
    case 'invalid_type': {
      const expected = typeNames[issue.expected] ?? issue.expected;
      return place === 'body' ? `must be ${expected}, not ${typeOf(value)}` : `must be ${expected}`;
    }
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'invalid_union': {
      if ('options' in issue && Array.isArray(issue.options)) return `must be ${oneOf(issue.options)}`;
      const expected = issue.errors.flatMap(([first]) =>
        first?.code === 'invalid_type' ? [typeNames[first.expected] ?? first.expected] : [],
      );
      return expected.length === 0 ? 'is not valid' : `must be ${list([...new Set(expected)])}`;
    }
    case 'too_small':
    case 'too_big':
      return sizeSentence(issue);
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? `text of the format ${issue.format}`}`;
    case 'invalid_key':
      return 'has a name that is not valid';
    default:
      return `is not valid: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  }
}

function sizeSentence(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const isLower = issue.code === 'too_small';
  const bound = Number(isLower ? issue.minimum : issue.maximum);
  const unit = unitNames[issue.origin];
  if (unit === undefined) {
    const isOpen = issue.inclusive === false;
    return `must be ${isLower ? (isOpen ? 'more than' : 'at least') : isOpen ? 'less than' : 'at most'} ${bound}`;
  }
  if (isLower && bound === 1) return 'must not be empty';
  return `must have at ${isLower ? 'least' : 'most'} ${counted(bound, unit)}`;
}

const unitNames: Record<string, string> = {
  string: 'character',
  array: 'item',
  set: 'item',
  object: 'field',
  map: 'field',
};

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a date',
};

const formatNames: Record<string, string> = {
  datetime: 'a date and time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  cidrv4: 'a network such as 203.0.113.0/24',
  cidrv6: 'a network such as 2001:db8::/32',
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number';
  return typeNames[Array.isArray(value) ? 'array' : typeof value] ?? typeof value;
}

const oneOf = (values: readonly unknown[]): string => list(values.map((value) => String(value)));

/** `a`, `a or b`, `a, b or c`. */
function list(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part) as unknown;
  }
  return at;
}

/** `source.url`, `paths[1]`. */
function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}

/** RFC 6901 pointer for a body; a dotted name for anything else. */
function paramOf(path: readonly PropertyKey[], place: FaultPlace): string {
  if (place !== 'body') return path.length === 0 ? place : path.map(String).join('.');
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
