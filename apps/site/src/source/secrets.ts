/**
 * What was sent to sources lately and may not be told: a host that was given a secret can put it into an address that
 * it redirects to, or into any other word of its answers.
 */
export interface Secrets {
  /** A key, or the credentials of a header. */
  add(secret: string): void;
  /**
   * The credentials of a URL that the operator or the platform gave, and the values of its query but those that its
   * place repeats, or that name a file.
   */
  addUrl(url: URL): void;
  /** The same of what the host behind `from` redirects to, but what `from` holds as well. */
  addRedirect(target: URL, from: URL): void;
  /** A text as it may be told: `***` in the place of every piece of a secret. */
  hide(text: string): string;
}

/** Shorter pieces say little, and stand in other words by chance. */
const leastPiece = 12;
/** Of those that were given, and again of those of redirects. */
const mostKnown = 64;
/** How a download is to be named, in links of the platform and of S3. It holds the version, which faults tell. */
const FILE_NAME = /^(?:name|response-content-disposition)$/i;
const longestSecret = 4096;

export function createSecrets(): Secrets {
  const given = new Set<string>();
  // apart: a host that redirects to an address of many values would have the given ones forgotten
  const redirected = new Set<string>();
  return {
    add: (secret) => add(given, secret),
    addUrl(url) {
      for (const text of secretsOf(url)) add(given, text);
    },
    addRedirect(target, from) {
      const known = decode(from.href);
      for (const text of secretsOf(target)) if (!known.includes(text)) add(redirected, text);
    },
    hide(text) {
      const all = fold([...given, ...redirected].join('\n'));
      const decoded = decode(text);
      const hidden = hideIn(decoded, all);
      if (hidden === decoded) return hideIn(text, all);
      // what was hidden in an encoded text may have been a line feed as well
      return hidden.replace(/[^\x20-\x7e]+/g, ' ');
    },
  };
}

function add(known: Set<string>, secret: string): void {
  if (secret.length < leastPiece) return;
  const text = secret.slice(0, longestSecret);
  // those of links change with each link: the latest count
  known.delete(text);
  known.add(text);
  for (const oldest of known) {
    if (known.size <= mostKnown) break;
    known.delete(oldest);
  }
}

function secretsOf({ username, password, searchParams, host, pathname }: URL): string[] {
  const place = decode(`${host}${pathname}`);
  const values = [...searchParams].flatMap(([name, value]) => (FILE_NAME.test(name) ? [] : [value]));
  // what a name of the file repeats is told as the place of the link anyway
  return [username, password, ...values].map(decode).filter((text) => !place.includes(text));
}

/** Hosts are told in lower case whatever they were written in. */
function hideIn(text: string, secrets: string): string {
  const lower = fold(text);
  let shown = '';
  let from = 0;
  for (let at = 0; at + leastPiece <= lower.length; at++) {
    let end = at + leastPiece;
    if (!secrets.includes(lower.slice(at, end))) continue;
    while (end < lower.length && secrets.includes(lower.slice(at, end + 1))) end++;
    shown += `${text.slice(from, at)}***`;
    from = end;
    at = end - 1;
  }
  return shown + text.slice(from);
}

/** In lower case, of the same length: other letters than those of ASCII may become two. */
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
