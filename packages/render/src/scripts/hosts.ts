import { parseScript, readTokens, type ScriptToken } from '../mdx/parse/ast.ts';
import type { KnownWarning } from '../warning.ts';

/** Hosts that a script names in texts that a browser would request, in order, and the line of the first. */
export interface NamedHosts {
  hosts: readonly string[];
  line: number | null;
}

/** Characters of a script that is searched. */
const MAX_SOURCE = 10_000_000;
/** Characters of a script whose syntax tree is made; the tokens of longer ones are enough. */
const MAX_PARSED = 1_000_000;
const MAX_HOSTS = 200;
/** Characters of a host name (RFC 1035). */
const MAX_HOST = 253;
const MAX_SHOWN = 5;

/** Whether there can be a URL at all: most scripts end here. */
const MAY_NAME = /https?:|wss?:|["'`(=]\s*\\?\/\\?\//i;
/**
 * A URL that fills a text, or that markup or CSS in a text loads. A URL in the middle of a sentence or of a sample of
 * code is not requested.
 */
const URLS =
  /(?:^\s*|\b(?:src|srcset|data|poster|action)\s*=\s*["']?|<link\b[^<>]{0,300}\bhref\s*=\s*["']?|\burl\(\s*["']?|@import\s+["']?)(?:(?:https?|wss?):)?\/\/(\[[\da-f:.]+\]|[a-z\d](?:[a-z\d.-]*[a-z\d])?)(?=[:/?#"'\s)]|$)/gi;
const HOST = /^(?:(?:[a-z\d-]+\.)+(?:[a-z]{2,}|xn--[a-z\d-]+|\d{1,3})|localhost|\[.*\])$/i;
/** Names that a script needs to send a request or to add markup that does. */
const REQUESTS = new Set(
  (
    'fetch axios XMLHttpRequest WebSocket EventSource sendBeacon Image Audio Worker SharedWorker importScripts FontFace innerHTML ' +
    'outerHTML insertAdjacentHTML dangerouslySetInnerHTML write writeln insertRule replaceSync backgroundImage'
  ).split(' '),
);
/** Names of properties and attributes that load what they are set to. */
const LOADS = new Set(['src', 'srcset', 'srcSet', 'poster', 'data']);
/** Elements that load something, as texts that create them. */
const ELEMENTS = new Set(['script', 'link', 'iframe', 'img', 'embed', 'object', 'video', 'audio', 'source']);
/** Hosts whose URLs are names and not requested. */
const IDENTIFIERS = new Set(['www.w3.org', 'schema.org']);
const NONE: NamedHosts = { hosts: [], line: null };

/**
 * Finds the hosts by the texts among the tokens of a script or component: never in comments, and in linear time. Null
 * for a script that is too long to be searched.
 */
export function namedHosts(source: string, siteUrl: string | null): NamedHosts | null {
  if (source.length > MAX_SOURCE) return null;
  if (!MAY_NAME.test(source)) return NONE;
  const own = URL.parse(siteUrl ?? '')?.hostname ?? null;
  const found = source.length > MAX_PARSED ? null : tryParse(source, own);
  const { hosts, requests } = found ?? search((take) => readTokens(source, take), own);
  const [first] = hosts.values();
  if (!requests || first === undefined) return NONE;
  return { hosts: [...hosts.keys()], line: source.slice(0, first).split('\n').length };
}

/** Null for what the parser refuses: its limit of nesting is not one of browsers, and tokens have none. */
function tryParse(source: string, own: string | null): Search | null {
  try {
    return search((take) => void parseScript(source, take), own);
  } catch {
    return null;
  }
}

interface Search {
  /** Offset of the text that names it first, by host. */
  hosts: Map<string, number>;
  /** Whether the script has a name that it needs for a request. */
  requests: boolean;
}

function search(read: (take: (token: ScriptToken) => void) => void, own: string | null): Search {
  const found: Search = { hosts: new Map(), requests: false };
  const before: ScriptToken[] = [];
  read((token) => {
    const { kind, value, start } = token;
    found.requests ||= isRequest(token, before);
    if ((kind === 'string' || kind === 'template') && value.includes('//') && !isPassive(before)) {
      for (const host of hostsIn(value)) {
        if (host !== own && found.hosts.size < MAX_HOSTS && !found.hosts.has(host))
          found.hosts.set(host, start);
      }
    }
    before.push(token);
    if (before.length > 4) before.shift();
  });
  return found;
}

/** Whether a token shows that the script may send requests. */
function isRequest({ kind, value }: ScriptToken, before: readonly ScriptToken[]): boolean {
  if (kind === 'name' && REQUESTS.has(value)) return true;
  const sign = before.at(-1);
  const name = before.at(-2);
  if (sign?.kind !== 'sign' || name === undefined) return false;
  if (sign.value === '(') return kind === 'string' && (name.value === 'import' || ELEMENTS.has(value));
  return LOADS.has(name.value) && sign.value !== '.' && (kind !== 'string' || value.includes('//'));
}

function* hostsIn(text: string): Iterable<string> {
  for (const [, host = ''] of text.matchAll(URLS)) {
    const name = host.toLowerCase();
    if (name.length <= MAX_HOST && HOST.test(name) && !IDENTIFIERS.has(name)) yield name;
  }
}

/**
 * Whether these tokens precede a URL that a reader follows (`href="`, `href: "`, `location.href = "`, `open("`), or one
 * that is imported, which neither scripts of pages nor components can.
 */
function isPassive(before: readonly ScriptToken[]): boolean {
  const [last, name, second, third] = before.toReversed();
  if (last?.kind === 'name') return last.value === 'from' || last.value === 'import';
  if (last?.kind !== 'sign' || (name?.kind !== 'name' && name?.kind !== 'string')) return false;
  if (last.value === '(') return name.value === 'open';
  if (name.value !== 'href') return false;
  if (last.value === ':') return true;
  if (last.value !== '=') return false;
  return second?.value !== '.' || third?.value === 'location';
}

/** The warning about the hosts that a file names; null for none. */
export function hostsWarning(
  file: string,
  named: NamedHosts | null,
  subject = 'The script',
): KnownWarning | null {
  const code = 'remote-script';
  const blocked = 'Pages block every request to other hosts';
  if (named === null) {
    const message = `${subject} has more than ${MAX_SOURCE} characters, so it was not searched for hosts that it requests. ${blocked}.`;
    return { file, line: null, code, message };
  }
  const { hosts, line } = named;
  if (hosts.length === 0) return null;
  const shown = hosts.slice(0, MAX_SHOWN).map((host) => `\`${host.slice(0, 100)}\``);
  const rest = hosts.length - shown.length;
  const list = `${shown.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
  const message = `${subject} runs in the browser and names ${list}. ${blocked}, so anything that it loads from there or sends there is missing. Put what it needs into the docs folder, or remove the code.`;
  return { file, line, code, message };
}
