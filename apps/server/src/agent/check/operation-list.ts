import { type DescribedOperation, type Description, memberOf } from '@offprint/render/description';
import type { OperationAnswer } from './docs-check.ts';
import { type LineRange, lineKey } from './operation-lines.ts';

/** Operations of one page of a list. */
const PAGE_SIZE = 200;
/** Characters of one title and of one summary. */
const MAX_TITLE = 200;
const MAX_SUMMARY = 100;

/** Keys under which the lines of an operation can be listed; a webhook is in one of two groups. */
export function lineKeysOf({ method, path, place }: DescribedOperation): string[] {
  if (place === null) return [];
  const groups = method === 'WEBHOOK' ? ['webhooks', 'x-webhooks'] : ['paths'];
  return groups.map((group) => lineKey(group, path, place.method));
}

/** One page of the operations of a description, with their summaries and where they are in the file. */
export function listOperations(
  { operations: all }: Description,
  { filter, page, places }: { filter: string; page: number; places: ReadonlyMap<string, LineRange> },
): OperationAnswer {
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
  const lines = shown.map((operation) => {
    const { method, path, summary } = operation;
    const place = lineKeysOf(operation)
      .map((key) => places.get(key))
      .find((one) => one !== undefined);
    const at = place === undefined ? '' : ` (lines ${place.from}-${place.to})`;
    const label = summary === null ? '' : ` - ${cut(oneLine(summary), MAX_SUMMARY)}`;
    return `${cut(oneLine(`${method} ${path}`), MAX_TITLE)}${label}${at}`;
  });
  const more =
    page < pages ? [`(page ${page} of ${pages}; continue with page=${page + 1}, or pass a filter)`] : [];
  return { text: [`${total}${range}`, ...lines, ...more].join('\n') };
}

/** What a filter is compared with. */
function textOf({ method, path, summary, place }: DescribedOperation): string {
  const { operationId, tags } = (place === null ? null : memberOf(place.item.value, place.method)) ?? {};
  const texts = [`${method} ${path}`, operationId, summary, ...(Array.isArray(tags) ? tags : [])];
  return texts
    .filter((one) => typeof one === 'string')
    .join('\n')
    .toLowerCase();
}

const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
