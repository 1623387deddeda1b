import type { AuditChange } from '@offprint/contract';

/** Fields that follow from others or change by themselves. */
const DERIVED = new Set([
  'id',
  'createdAt',
  'updatedAt',
  'nextAt',
  'isReady',
  'reason',
  'usesModel',
  'usesPrice',
  'url',
  'hasCredential',
  'hasApiKey',
  'hasSecret',
]);

/** Fields of requests that hold secrets: an event says that they were set, and nothing more. */
const SECRETS = new Set(['credential', 'apiKey', 'token', 'privateKey']);

/** Long texts, of which an event says only that they changed. */
const TEXTS = new Set(['instructions', 'note']);

const MAX_LENGTH = 200;
const MAX_CHANGES = 50;

/**
 * The fields in which two representations of the same thing differ, sorted by path, such as `source.branch`. Both must be
 * what the API returns, which never holds a secret. `body`: the request, whose secrets are named without their values.
 */
export function changesBetween(before: object, after: object, body?: unknown): AuditChange[] {
  const from = new Map(fieldsOf(before));
  const to = new Map(fieldsOf(after));
  const changed = [...new Set([...from.keys(), ...to.keys()])]
    .filter((field) => (from.get(field) ?? null) !== (to.get(field) ?? null))
    .map((field) =>
      TEXTS.has(lastName(field))
        ? { field, from: null, to: null }
        : { field, from: shown(from.get(field)), to: shown(to.get(field)) },
    );
  const secrets = secretsOf(body).map((field) => ({ field, from: null, to: null }));
  return [...changed, ...secrets].sort((a, b) => (a.field < b.field ? -1 : 1)).slice(0, MAX_CHANGES);
}

const lastName = (field: string): string => field.slice(field.lastIndexOf('.') + 1);

function shown(value: string | null | undefined): string | null {
  if (value === undefined || value === null) return null;
  return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH - 1)}…` : value;
}

function* fieldsOf(value: object, path = ''): Generator<[field: string, value: string | null]> {
  for (const [name, child] of Object.entries(value)) {
    if (DERIVED.has(name)) continue;
    const field = path === '' ? name : `${path}.${name}`;
    if (Array.isArray(child)) yield [field, child.join(', ')];
    else if (typeof child === 'object' && child !== null) yield* fieldsOf(child, field);
    else yield [field, child === null || child === undefined ? null : String(child)];
  }
}

function secretsOf(body: unknown, path = ''): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, child]) => {
    const field = path === '' ? name : `${path}.${name}`;
    if (child === undefined) return [];
    return SECRETS.has(name) ? [field] : secretsOf(child, field);
  });
}
