/** `METHOD /path` of an API description, from front matter or a navigation entry. */
export interface Operation {
  method: string;
  path: string;
  /** Description file in the source or its URL; null = the closest one of the navigation. */
  spec: string | null;
}

/** A channel of an AsyncAPI description, from front matter or from a description in the navigation. */
export interface Channel {
  /** Its key in the description. */
  id: string;
  /** Description file in the source or its URL; null = the closest one of the navigation. */
  spec: string | null;
  /** Label of its protocol, such as `WS`; `CHANNEL` where it is unknown. */
  protocol: string;
  /** Address with `{parameters}`; the id where the address is known only at run time. */
  address: string;
}

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'PUT',
  'POST',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'PATCH',
  'TRACE',
  'QUERY',
  'WEBHOOK',
]);

/**
 * `[file] METHOD /path` or `[file] webhook name`, as in front matter and navigation entries. The method in upper
 * case, `WEBHOOK` with the name as path; the file as written. Methods of `additionalOperations` are written in upper case,
 * before a path with a slash. null when the text is not an operation.
 */
export function parseOperation(text: string): Operation | null {
  const words = text.trim().split(/\s+/, 4);
  if (words.length < 2 || words.length > 3) return null;
  const [path = '', method = '', spec = null] = words.reverse();
  const isOther = /^[A-Z][A-Z-]{1,19}$/.test(method) && path.startsWith('/');
  if (!METHODS.has(method.toUpperCase()) && !isOther) return null;
  return { method: method.toUpperCase(), path, spec };
}

/** Whether two operations are the same one of a description: the path counts without a slash at its end. */
export function isSameOperation(
  a: Pick<Operation, 'method' | 'path'>,
  b: Pick<Operation, 'method' | 'path'>,
): boolean {
  return a.method === b.method && trimmed(a.path) === trimmed(b.path);
}

/** Key of an operation within its description. */
export function operationKey(method: string, path: string): string {
  return `${method} ${trimmed(path)}`;
}

const trimmed = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
