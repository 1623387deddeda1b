import type { JsonObject } from '../config/json.ts';
import type { PageValues } from '../config/keys/page.ts';
import { readPageKeys } from '../config/page-keys.ts';
import { isSafeHref } from '../config/section.ts';
import { copyText } from '../copy-text.ts';
import { parseDate } from '../dates.ts';
import { splitHeadingId } from '../mdx/parse/heading-id.ts';
import type { Channel, Operation, Page } from '../site.ts';
import { parseChannel } from './channel.ts';
import { parseOperation } from './operation.ts';
import { outputPath, titleOfPath } from './path.ts';

/** What a page is made of before the navigation places it. */
export interface PageText {
  path: string;
  /** File in the source; null for generated pages. */
  source: string | null;
  readBody(): string;
  bodyLine: number;
  frontMatter: JsonObject;
}

/** A page that is not in the navigation yet. `front` is its front matter as read by its keys. */
export function makePage(text: PageText, front = readPageKeys(text.frontMatter).values): Page {
  const { path } = text;
  const written = front.title ?? firstHeading(text.readBody()) ?? schemaName(front);
  const title = written ?? titleOfPath(path);
  return {
    ...text,
    front,
    output: outputPath(path),
    title,
    hasTitle: written !== null,
    sidebarTitle: front.sidebarTitle ?? title,
    description: front.description,
    lead: null,
    icon: front.icon,
    tag: front.tag,
    mode: front.mode,
    hidden: front.hidden,
    noindex: isNoindex(front),
    indexable: false,
    searchable: false,
    boost: front.boost ?? 1,
    contextual: null,
    deprecated: isDeprecated(front.deprecated),
    operation: readOperation(front),
    channel: readChannel(front),
    modified: parseDate(front.lastUpdatedDate),
    trail: [],
    previous: null,
    next: null,
  };
}

/** Whether the page itself asks search engines to leave it out, by `noindex` or by its meta tag. */
function isNoindex({ noindex, robots }: PageValues): boolean {
  return noindex || /\bno(?:index|ne)\b/i.test(robots ?? '');
}

/** `deprecated` is true, or the text of a label. */
function isDeprecated(written: unknown): boolean {
  const label = typeof written === 'string' ? written.trim() : written;
  return (
    label === true || typeof label === 'number' || (typeof label === 'string' && !/^(?:false)?$/.test(label))
  );
}

/** Target of a page that is only a link (`url` in the front matter); null for real pages. */
export function linkTarget({ url }: PageValues): string | null {
  return url !== null && isSafeHref(url) ? url : null;
}

/**
 * Whether the page is for members of other groups than these (`groups` in the front matter: names, or
 * `{includes, excludes}`). A rule that cannot be read keeps the page out.
 */
export function isRestricted(groups: unknown, allowed: ReadonlySet<string>): boolean {
  if (groups === undefined || groups === null) return false;
  const rules = Array.isArray(groups) ? groups : [groups];
  return rules.length > 0 && !rules.some((rule) => admits(rule, allowed));
}

function admits(rule: unknown, allowed: ReadonlySet<string>): boolean {
  if (typeof rule === 'string') return allowed.has(rule);
  if (typeof rule !== 'object' || rule === null) return false;
  const { includes, excludes } = rule as { includes?: unknown; excludes?: unknown };
  return (
    names(includes).some((name) => allowed.has(name)) && !names(excludes).some((name) => allowed.has(name))
  );
}

function names(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((name): name is string => typeof name === 'string');
}

/** Name of the data model of `openapi-schema: "[file] Name"`. */
function schemaName(front: PageValues): string | null {
  return front['openapi-schema']?.split(/\s+/).at(-1) ?? null;
}

function readOperation({ openapi, api }: PageValues): Operation | null {
  for (const written of [openapi, api]) {
    const operation = written === null ? null : parseOperation(written);
    if (operation !== null)
      return { ...operation, spec: operation.spec === null ? null : fileName(operation.spec) };
  }
  return null;
}

/** Label and address come from the description. `openapi` and `api` win over it. */
function readChannel(front: PageValues): Channel | null {
  const channel =
    front.asyncapi === null || readOperation(front) !== null ? null : parseChannel(front.asyncapi);
  if (channel === null) return null;
  const spec = channel.spec === null ? null : fileName(channel.spec);
  return { id: channel.id, spec, protocol: 'CHANNEL', address: channel.id };
}

/** Files are written from the docs root, with or without a slash. */
const fileName = (spec: string): string => (/^https?:/i.test(spec) ? spec : spec.replace(/^(?:\.?\/)+/, ''));

/** Text of the first `# Heading` outside of code; null without such a heading. */
function firstHeading(body: string): string | null {
  if (!body.startsWith('# ') && !body.includes('\n# ')) return null;
  let fence: string | null = null;
  for (const line of body.split('\n', 2000)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
    } else if (mark !== undefined) fence = mark;
    else if (line.startsWith('# ')) return headingText(line.slice(2, 500));
  }
  return null;
}

function headingText(written: string): string | null {
  const text = splitHeadingId(written.trim().replace(/(?:^|\s)#+$/, '')).text.trim();
  return text === '' ? null : copyText(text);
}
