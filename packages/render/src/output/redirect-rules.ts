import { captureNames, type PathPattern, parsePattern, splitTarget } from '../nav/path-pattern.ts';
import type { HostRedirects } from '../nav/redirects.ts';
import type { Redirect } from '../site.ts';

/** A file of rules for hosts that can redirect by themselves. */
export interface RulesFile {
  path: string;
  content: string;
}

/** Bytes of a key and of a value in a CloudFront KeyValueStore, and of the code of a function. */
const MAX_KEY = 512;
const MAX_VALUE = 1024;
const MAX_FUNCTION = 10_000;

/** The rules of a site for nginx and CloudFront; none for a site without redirects. */
export function rulesFiles(redirects: HostRedirects): RulesFile[] {
  if (redirects.exact.length + redirects.patterns.length === 0) return [];
  return [
    { path: '_offprint/redirects/nginx.conf', content: nginxMaps(redirects) },
    { path: '_offprint/redirects/cloudfront-keyvaluestore.json', content: keyValueStore(redirects) },
    { path: '_offprint/redirects/cloudfront-function.js', content: cloudfrontFunction(redirects) },
  ];
}

/**
 * `_redirects` (Netlify, Cloudflare Pages): source, destination, status. Patterns that such files cannot say are
 * left to the other files.
 */
export function redirectsFile(redirects: HostRedirects): string {
  const lines = redirects.exact.map(({ source, destination, permanent }) =>
    [safeUrl(source), safeUrl(destination), permanent ? 301 : 302].join(' '),
  );
  for (const redirect of redirects.patterns) {
    const line = splatRule(redirect);
    if (line !== null) lines.push(line);
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function splatRule({ source, destination, permanent }: Redirect): string | null {
  const status = permanent ? 301 : 302;
  const [, folder, name] = /^(.*\/)(?::([A-Za-z_][\w-]*)\*|\*)$/.exec(source) ?? [];
  if (folder === undefined) {
    return source.includes('*') ? null : `${safeUrl(source)} ${safeUrl(destination)} ${status}`;
  }
  if (folder.includes('*')) return null;
  const capture = name === undefined ? '*' : `:${name}`;
  const target = replaceCapture(destination, capture, ':splat');
  return `${safeUrl(folder)}* ${safeUrl(target)} ${status}`;
}

/** A destination with `:name`, `:name*` or `*` replaced. */
function replaceCapture(destination: string, capture: string, by: string): string {
  const at = capture === '*' ? destination.indexOf('*') : findName(destination, capture);
  if (at < 0) return destination;
  const end = at + capture.length;
  const starred = capture !== '*' && destination[end] === '*' ? end + 1 : end;
  return destination.slice(0, at) + by + destination.slice(starred);
}

function findName(text: string, capture: string): number {
  for (let at = text.indexOf(capture); at >= 0; at = text.indexOf(capture, at + 1)) {
    if (!/[\w-]/.test(text[at + capture.length] ?? '')) return at;
  }
  return -1;
}

/** A path or URL with everything encoded that could end or change a rule; what is encoded stays as it is. */
function safeUrl(url: string): string {
  return url
    .toWellFormed()
    .replace(/[^A-Za-z0-9\-._~:/?#[\]@!&()*+,;=%]/gu, (char) =>
      char === "'" ? '%27' : encodeURIComponent(char),
    );
}

/**
 * Two maps from the path of a request to its new URL. Plain keys match without regard to case; the first match
 * of a pattern counts.
 */
function nginxMaps(redirects: HostRedirects): string {
  const targets = new Set(redirects.exact.map(({ destination }) => pathOf(destination).toLowerCase()));
  // A key that differs from a URL only in case would match that URL, too.
  const key = (source: string): string =>
    targets.has(source.toLowerCase()) ? `~^${literal(source)}$` : source;
  const map = (name: string, permanent: boolean): string => {
    const lines = redirects.exact
      .filter((redirect) => redirect.permanent === permanent)
      .map(({ source, destination }) => `${quoted(key(source))} ${quoted(target(destination))};`);
    for (const redirect of redirects.patterns) {
      if (redirect.permanent === permanent) lines.push(...nginxPattern(redirect));
    }
    return `map $uri $offprint_${name} {\n  default "";\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
  };
  return `${nginxHead(redirects)}${map('permanent', true)}${map('temporary', false)}`;
}

/** How to use the file, and hash tables large enough for its keys: nginx does not start with smaller ones. */
function nginxHead({ exact }: HostRedirects): string {
  const longest = exact.reduce((most, { source }) => Math.max(most, Buffer.byteLength(source)), 0);
  return `# Redirects of the site for nginx. Put this file into the http block:
#   include /path/to/_offprint/redirects/nginx.conf;
# and this into the server block, before its locations:
#   if ($offprint_permanent) { return 308 $offprint_permanent; }
#   if ($offprint_temporary) { return 307 $offprint_temporary; }
# Take out the next two lines where the http block sets these to the same or more.
map_hash_bucket_size ${powerOfTwo(longest + 64, 128)};
map_hash_max_size ${powerOfTwo(exact.length * 2, 2048)};
`;
}

function powerOfTwo(atLeast: number, least: number): number {
  let size = least;
  while (size < atLeast) size *= 2;
  return size;
}

const pathOf = (target: string): string => target.replace(/[?#][\s\S]*$/, '');
/** In a map, a dollar sign would start a variable. */
const target = (destination: string): string => safeUrl(destination).replaceAll('$', '%24');

/** Quotes and backslashes escaped; line breaks cannot occur in keys, and values are encoded. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Text that a regular expression of nginx takes as it is. */
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\"']/g, (char) => `\\x${hex(char)}`);
const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase();

/** Captures take no white space and control characters, which could write headers, and no backslash. */
const ONE = '[^/[:space:][:cntrl:]\\x5C]+';
const REST = '[^/[:space:][:cntrl:]\\x5C][^[:space:][:cntrl:]\\x5C]*';

function nginxPattern(redirect: Redirect): string[] {
  const pattern = parsePattern(redirect.source);
  if (pattern === null) return [];
  const source = regexOf(pattern, literal);
  const parts = splitTarget(redirect.destination, captureNames(pattern));
  const value = parts
    .map((part) => (typeof part === 'string' ? target(part) : `\${c${part.capture}}`))
    .join('');
  const named = nameGroups(source);
  return [`"~^${named}$" "${value}";`];
}

/** Groups `()` get the names c1, c2... which nginx makes variables of. */
function nameGroups(source: string): string {
  let count = 0;
  return source
    .replaceAll('(?:', '\0')
    .replaceAll('(', () => `(?<c${++count}>`)
    .replaceAll('\0', '(?:');
}

/** A regular expression for paths with a leading slash, one group a capture in their order. */
function regexOf(pattern: PathPattern, literally: (text: string) => string): string {
  return pattern.segments
    .map((segment) => {
      if (segment.kind === 'text') return `/${literally(segment.text)}`;
      if (segment.kind === 'one') return `/(${ONE})`;
      if (segment.kind === 'part') return `/${literally(segment.before)}(${ONE})${literally(segment.after)}`;
      return `(?:/(${REST}))?`;
    })
    .join('');
}

/** The import format of a CloudFront KeyValueStore: path to status and URL. */
function keyValueStore({ exact }: HostRedirects): string {
  const data = exact.flatMap(({ source, destination, permanent }) => {
    const key = safeUrl(source);
    const value = `${permanent ? 308 : 307} ${safeUrl(destination)}`;
    const fits = Buffer.byteLength(key) <= MAX_KEY && Buffer.byteLength(value) <= MAX_VALUE;
    return fits ? [{ key, value }] : [];
  });
  return `${JSON.stringify({ data }, null, 1)}\n`;
}

/** A viewer request function (JavaScript runtime 2.0) that reads the store, and knows the patterns itself. */
function cloudfrontFunction({ patterns }: HostRedirects): string {
  const rules: string[] = [];
  for (const redirect of patterns) {
    const rule = cloudfrontRule(redirect);
    if (rule === null) continue;
    if (Buffer.byteLength(functionText([...rules, rule])) > MAX_FUNCTION) break;
    rules.push(rule);
  }
  return functionText(rules);
}

function cloudfrontRule({ source, destination, permanent }: Redirect): string | null {
  const pattern = parsePattern(source);
  if (pattern === null) return null;
  const encoded = (text: string): string => safeUrl(text).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const expression = `^${regexOf(pattern, encoded).replaceAll(REST, '[^/\\\\][^\\\\]*').replaceAll(ONE, '[^/\\\\]+')}$`;
  const parts = splitTarget(destination, captureNames(pattern));
  const target = parts.map((part) => (typeof part === 'string' ? safeUrl(part) : part.capture));
  return ` ${JSON.stringify([expression, target, permanent ? 308 : 307])}`;
}

const functionText = (
  rules: readonly string[],
): string => `// Redirects of the site for CloudFront: a function for viewer requests, runtime cloudfront-js-2.0.
// Import cloudfront-keyvaluestore.json into a KeyValueStore and associate it with this function.
import cf from 'cloudfront';

const patterns = [
${rules.join(',\n')}
];

function redirect(status, location) {
  return { statusCode: Number(status), headers: { location: { value: location.replace(/^[/\\\\]{2,}/, '/') } } };
}

async function handler(event) {
  const request = event.request;
  const path = request.uri.length > 1 ? request.uri.replace(/\\/$/, '') : request.uri;
  try {
    const found = await cf.kvs().get(path);
    return redirect(found.slice(0, 3), found.slice(4));
  } catch (missing) {
    // No exact redirect.
  }
  for (let i = 0; i < patterns.length; i++) {
    const match = new RegExp(patterns[i][0]).exec(path);
    if (!match) continue;
    const parts = patterns[i][1].map((part) => (typeof part === 'number' ? match[part] || '' : part));
    return redirect(patterns[i][2], parts.join(''));
  }
  return request;
}
`;
