import { isObject, type JsonObject } from '../config/json.ts';
import { parseApiMarkdown } from '../mdx/parse/api-markdown.ts';
import { parseDescription } from '../reference/parse.ts';
import type { Report } from './found.ts';
import { linesBefore } from './found.ts';
import { checkTexts, readMarkup } from './page.ts';
import { hostOf } from './url.ts';

/** Members at the top of OpenAPI 2 and 3 and of AsyncAPI 2 and 3. Extensions begin with `x-`. */
const MEMBERS = new Set(
  (
    'openapi swagger asyncapi info jsonSchemaDialect servers paths webhooks components security tags externalDocs $self ' +
    'host basePath schemes consumes produces definitions parameters responses securityDefinitions id channels ' +
    'operations defaultContentType'
  ).split(' '),
);

/** Keys under which a description names where readers sign in. */
const CREDENTIAL_URLS = new Set([
  'authorizationUrl',
  'tokenUrl',
  'refreshUrl',
  'openIdConnectUrl',
  'deviceAuthorizationUrl',
]);

/** Why a text is not an API description and nothing else; null when it is one. */
export function descriptionFault(text: string, file: string): string | null {
  const parsed = parseDescription(text, file);
  if ('fault' in parsed) return `it cannot be parsed: ${parsed.fault}`;
  const { document } = parsed;
  if (!isObject(document)) return 'it is not an object';
  if (/\n(?:---|\.\.\.)(?:\s|$)/.test(text.replace(/^(?:\s*#[^\n]*\n|\s*\n)*---/, '')))
    return 'it has several YAML documents';
  const version = document.openapi ?? document.swagger ?? document.asyncapi;
  if ((typeof version !== 'string' && typeof version !== 'number') || !/^\d+\.\d+/.test(String(version)))
    return 'it has no "openapi" or "asyncapi" with a version';
  if (!isObject(document.info)) return 'it has no "info"';
  if (![document.paths, document.webhooks, document.components, document.channels].some(isObject))
    return 'it has no "paths", "webhooks", "components" or "channels"';
  const other = Object.keys(document).find((key) => !MEMBERS.has(key) && !key.startsWith('x-'));
  if (other !== undefined)
    return `${JSON.stringify(other.slice(0, 100))} is not a member of an API description`;
  return null;
}

/** Reports where the playground of an API description sends requests, and code in its texts. */
export function findInDescription(text: string, file: string, report: Report): void {
  const parsed = parseDescription(text, file);
  if ('fault' in parsed || !isObject(parsed.document)) return;
  const seen = new Set<string>();
  const lineOf = (value: string): number => {
    const offset = text.indexOf(value.slice(0, 80));
    return offset < 0 ? 1 : 1 + linesBefore(text, offset);
  };
  const tell = (host: string, written: string): void => {
    if (seen.has(host)) return;
    seen.add(host);
    report({
      line: lineOf(written),
      what: `API requests to \`${host}\``,
      code: host,
      unless: { kind: 'api', name: host },
    });
  };
  for (const { value, server } of addressesIn(parsed.document)) {
    for (const url of expand(value, server)) {
      const host =
        hostOf(url) ??
        (/^[\w.-]+(?::\d+)?(?:\/|$)/.test(url) && server === null ? url.split(/[:/]/)[0] : null);
      if (host !== null && host !== undefined) tell(host.toLowerCase(), value);
    }
  }
  // Content of `x-mint` is MDX as in a page; descriptions are Markdown.
  const read = (written: string, key: string) =>
    key === 'content' ? readMarkup(written) : parseApiMarkdown(written, '');
  checkTexts(parsed.document, 1, (sample) => report({ ...sample, line: lineOf(sample.code) }), read);
}

/** An object or a list inside a description, with the key that leads to it. */
interface Part {
  value: unknown;
  key: string;
  depth: number;
}

const MAX_DEPTH = 60;

/** Addresses of servers and of identity providers; `server` is set for a URL with variables. */
function* addressesIn(document: JsonObject): Iterable<{ value: string; server: JsonObject | null }> {
  if (typeof document.host === 'string') yield { value: document.host, server: null };
  const stack: Part[] = [{ value: document, key: '', depth: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, key } = next;
    stack.push(...partsOf(next));
    for (const [name, item] of isObject(value) ? Object.entries(value) : []) {
      if (typeof item === 'string' && isAddress(name, key))
        yield { value: item, server: key === 'servers' && name === 'url' && isObject(value) ? value : null };
    }
  }
}

function partsOf({ value, key, depth }: Part): Part[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.map((item) => ({ value: item, key, depth: depth + 1 }));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    // Servers of AsyncAPI are members of an object.
    const own = key === 'servers' && isObject(item) ? 'servers' : name;
    return typeof item === 'object' ? [{ value: item, key: own, depth: depth + 1 }] : [];
  });
}

const isAddress = (name: string, key: string): boolean =>
  key === 'servers' ? name === 'url' || name === 'host' : CREDENTIAL_URLS.has(name);

const MAX_EXPANDED = 200;

/** The URLs that the variables of a server make of its URL. */
function expand(url: string, server: JsonObject | null): string[] {
  let urls = [url];
  for (const [, name = ''] of url.matchAll(/\{([^{}]{1,100})\}/g)) {
    const variable = isObject(server?.variables) ? server.variables[name] : undefined;
    if (!isObject(variable)) continue;
    const values = [variable.default, ...(Array.isArray(variable.enum) ? variable.enum : [])].filter(
      (value) => typeof value === 'string',
    );
    urls = urls
      .flatMap((one) => values.map((value) => one.replaceAll(`{${name}}`, value)))
      .slice(0, MAX_EXPANDED);
  }
  return urls;
}
