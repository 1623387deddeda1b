import { readIcon } from '../config/icon.ts';
import type { JsonObject } from '../config/json.ts';
import { isSafeHref } from '../config/section.ts';
import { copyText } from '../copy-text.ts';
import { parseDate } from '../dates.ts';
import { splitHeadingId } from '../mdx/heading-id.ts';
import type { Operation, Page, PageMode } from '../site.ts';
import { parseOperation } from './operation.ts';
import { outputPath, titleOfPath } from './path.ts';

const MODES: readonly PageMode[] = ['default', 'wide', 'custom', 'frame', 'center', 'assistant'];

/** What a page is made of before the navigation places it. */
export interface PageText {
  path: string;
  /** File in the source; null for generated pages. */
  source: string | null;
  readBody(): string;
  bodyLine: number;
  frontMatter: JsonObject;
}

/** A page that is not in the navigation yet. */
export function makePage(text: PageText): Page {
  const { frontMatter, path } = text;
  const written = plain(frontMatter.title) ?? firstHeading(text.readBody()) ?? schemaName(frontMatter);
  const title = written ?? titleOfPath(path);
  return {
    ...text,
    output: outputPath(path),
    title,
    hasTitle: written !== null,
    sidebarTitle: plain(frontMatter.sidebarTitle) ?? title,
    description: plain(frontMatter.description),
    lead: null,
    icon: readIcon(frontMatter.icon, frontMatter.iconType),
    tag: plain(frontMatter.tag),
    mode: MODES.find((mode) => mode === frontMatter.mode) ?? 'default',
    hidden: isOn(frontMatter.hidden),
    noindex: isNoindex(frontMatter),
    indexable: false,
    searchable: false,
    boost: readBoost(frontMatter.boost) ?? 1,
    contextual: null,
    deprecated: isOn(frontMatter.deprecated) || (plain(frontMatter.deprecated) ?? 'false') !== 'false',
    operation: readOperation(frontMatter),
    modified: parseDate(frontMatter.lastUpdatedDate),
    trail: [],
    previous: null,
    next: null,
  };
}

/** Whether the page itself asks search engines to leave it out, by `noindex` or by its meta tag. */
function isNoindex(frontMatter: JsonObject): boolean {
  return isOn(frontMatter.noindex) || /\bno(?:index|ne)\b/i.test(plain(frontMatter.robots) ?? '');
}

/** Largest factor of a rank. */
const MAX_BOOST = 100;

/** Factor of a rank in the search of the site, from 0 to 100; null for anything else. */
export function readBoost(value: unknown): number | null {
  const boost = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof boost === 'number' && boost >= 0 ? Math.min(boost, MAX_BOOST) : null;
}

/** Target of a page that is only a link (`url` in the front matter); null for real pages. */
export function linkTarget(frontMatter: JsonObject): string | null {
  const url = plain(frontMatter.url);
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
function schemaName(frontMatter: JsonObject): string | null {
  return plain(frontMatter['openapi-schema'])?.split(/\s+/).at(-1) ?? null;
}

const isOn = (value: unknown): boolean => value === true || value === 'true';

function plain(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const trimmed = value.trim();
  return trimmed === '' ? null : trimmed;
}

function readOperation(frontMatter: JsonObject): Operation | null {
  for (const written of [frontMatter.openapi, frontMatter.api]) {
    const operation = typeof written === 'string' ? parseOperation(written) : null;
    if (operation !== null)
      return { ...operation, spec: operation.spec === null ? null : fileName(operation.spec) };
  }
  return null;
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
