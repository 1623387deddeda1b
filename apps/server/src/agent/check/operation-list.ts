import type { OperationAnswer } from './docs-check.ts';
import { type LineRange, lineKey } from './operation-lines.ts';

type Fields = Record<string, unknown>;

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Operations of one page of a list. */
const PAGE_SIZE = 200;
/** Characters of one title and of one summary. */
const MAX_TITLE = 200;
const MAX_SUMMARY = 100;

/** One operation or webhook of an OpenAPI 3 or Swagger 2 document. */
export interface ListedOperation {
  /** `GET /users`, `WEBHOOK user.created`. */
  title: string;
  /** Key of the group in the document, of the operation in the group, and of its method. */
  group: string;
  name: string;
  key: string;
  operation: Fields;
}

/** Every operation, in the order of the document, paths before webhooks. */
export function operationsOf(root: Fields): ListedOperation[] {
  const found: ListedOperation[] = [];
  for (const [name, item] of membersOf(root.paths)) {
    for (const key of METHODS) {
      const operation = item[key];
      if (!isFields(operation)) continue;
      found.push({ title: `${key.toUpperCase()} ${name}`, group: 'paths', name, key, operation });
    }
  }
  for (const group of ['webhooks', 'x-webhooks']) {
    for (const [name, item] of membersOf(root[group])) {
      const key = METHODS.find((one) => isFields(item[one]));
      const operation = key === undefined ? undefined : item[key];
      if (key === undefined || !isFields(operation)) continue;
      found.push({ title: `WEBHOOK ${name}`, group, name, key, operation });
    }
  }
  return found;
}

/** One page of the operations of a document, with their summaries and where they are in the file. */
export function listOperations(
  document: unknown,
  { filter, page, places }: { filter: string; page: number; places: ReadonlyMap<string, LineRange> },
): OperationAnswer {
  if (!isFields(document)) return { fault: 'The API description is not an object.' };
  const all = operationsOf(document);
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const meant = all.filter((one) => words.every((word) => textOf(one).includes(word)));
  if (meant.length === 0) {
    if (all.length === 0) return { fault: 'The API description has no operation.' };
    return { fault: `None of the ${all.length} operations matches ${JSON.stringify(cut(filter, 200))}.` };
  }
  const pages = Math.ceil(meant.length / PAGE_SIZE);
  if (page > pages) return { fault: `Page ${page} of the list was not found: the last one is ${pages}.` };
  const start = (page - 1) * PAGE_SIZE;
  const shown = meant.slice(start, start + PAGE_SIZE);
  const total =
    words.length === 0 ? `${all.length} operations` : `${meant.length} of ${all.length} operations`;
  const range = pages === 1 ? '' : `, ${start + 1}-${start + shown.length}`;
  const lines = shown.map(({ title, group, name, key, operation }) => {
    const place = places.get(lineKey(group, name, key));
    const at = place === undefined ? '' : ` (lines ${place.from}-${place.to})`;
    const summary =
      typeof operation.summary === 'string' ? ` - ${cut(oneLine(operation.summary), MAX_SUMMARY)}` : '';
    return `${cut(oneLine(title), MAX_TITLE)}${summary}${at}`;
  });
  const more =
    page < pages ? [`(page ${page} of ${pages}; continue with page=${page + 1}, or pass a filter)`] : [];
  return { text: [`${total}${range}`, ...lines, ...more].join('\n') };
}

/** What a filter is compared with. */
function textOf({ title, operation }: ListedOperation): string {
  const { operationId, summary, tags } = operation;
  const texts = [title, operationId, summary, ...(Array.isArray(tags) ? tags : [])];
  return texts
    .filter((one) => typeof one === 'string')
    .join('\n')
    .toLowerCase();
}

function membersOf(value: unknown): [string, Fields][] {
  if (!isFields(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, Fields] => isFields(entry[1]));
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
