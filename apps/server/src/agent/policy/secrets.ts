import { isWellFormedKey } from '@offprint/contract';

/** A secret in a text. `what` describes the kind, never the value. */
export interface SecretHit {
  what: string;
  line: number;
  /** Where it is in the text. */
  start: number;
  end: number;
}

interface Pattern {
  what: string;
  /** With the flag g; group 1, where there is one, is the part that must look random. */
  form: RegExp;
  /** Decides instead of the look of it. */
  isReal?: (match: string) => boolean;
}

const PATTERNS: readonly Pattern[] = [
  {
    what: 'an Offprint API key',
    form: /\boffprint_[0-9A-Za-z]{38}(?![0-9A-Za-z])/g,
    isReal: isWellFormedKey,
  },
  {
    what: 'a private key',
    form: /-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----((?:[^-]){64,20000})-----END/g,
  },
  { what: 'an AWS access key', form: /\b(?:AKIA|ASIA)([A-Z2-7]{16})\b/g },
  {
    what: 'an AWS secret key',
    form: /aws.{0,20}secret.{0,20}?[=:]\s{0,4}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi,
  },
  { what: 'a GitHub token', form: /\bgh[pousr]_([A-Za-z0-9]{36,255})\b/g },
  { what: 'a GitHub token', form: /\bgithub_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b/g },
  { what: 'a GitLab token', form: /\bgl(?:pat|dt|rt|cbt|ptt|soat|ft|imt|agent|oas)-([\w-]{20,255})/g },
  { what: 'a Slack token', form: /\bxox[abeoprs]-([0-9A-Za-z-]{20,255})/g },
  { what: 'a Slack token', form: /\bxapp-\d-([0-9A-Za-z-]{30,255})/g },
  {
    what: 'the URL of a Slack webhook',
    form: /hooks\.slack\.com\/services\/(T[A-Z0-9]{8,12}\/B[A-Z0-9]{8,12}\/[A-Za-z0-9]{24})/g,
  },
  {
    what: 'the URL of a Discord webhook',
    form: /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/([\w-]{60,80})/g,
  },
  { what: 'a Stripe live key', form: /\b[sr]k_live_([0-9A-Za-z]{20,255})\b/g },
  { what: 'a webhook secret', form: /\bwhsec_([A-Za-z0-9+/]{32,64})/g },
  { what: 'an Anthropic key', form: /\bsk-ant-[a-z]{2,8}\d{2}-([\w-]{60,255})/g },
  { what: 'an OpenAI key', form: /\bsk-(?:proj-|svcacct-|admin-)?([\w-]{20,200}T3BlbkFJ[\w-]{20,200})/g },
  { what: 'an API key', form: /\bsk-(?:proj-|svcacct-|admin-|or-v1-)?([A-Za-z0-9]{32,128})(?![\w-])/g },
  { what: 'a Google API key', form: /\bAIza([\w-]{35})(?![\w-])/g },
  { what: 'a Google client secret', form: /\bGOCSPX-([\w-]{28})(?![\w-])/g },
  { what: 'a Google access token', form: /\bya29\.([\w-]{50,500})/g },
  { what: 'an npm token', form: /\bnpm_([A-Za-z0-9]{36})\b/g },
  { what: 'a PyPI token', form: /\bpypi-AgEIcHlwaS5vcmc([\w-]{50,300})/g },
  { what: 'a Hugging Face token', form: /\bhf_([A-Za-z0-9]{34})\b/g },
  { what: 'a SendGrid key', form: /\bSG\.([\w-]{22}\.[\w-]{43})(?![\w-])/g },
  { what: 'a DigitalOcean token', form: /\bdo[opr]_v1_([0-9a-f]{64})\b/g },
  { what: 'a Shopify token', form: /\bshp(?:at|ca|pa|ss)_([0-9a-fA-F]{32})\b/g },
  { what: 'a Databricks token', form: /\bdapi([0-9a-f]{32})\b/g },
  { what: 'a Vault token', form: /\bhv[sb]\.([\w-]{24,255})/g },
  { what: 'a Groq key', form: /\bgsk_([A-Za-z0-9]{40,80})\b/g },
  { what: 'a Telegram bot token', form: /\b\d{8,10}:(AA[\w-]{33})(?![\w-])/g },
  { what: 'an Atlassian token', form: /\bATATT3([\w=-]{60,300})/g },
  {
    what: 'an Azure storage key',
    form: /AccountKey=([A-Za-z0-9+/]{86}==)/g,
  },
  {
    what: 'a signed token (JWT)',
    form: /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,8000}\.([\w-]{40,2000})/g,
    isReal: isRealJwt,
  },
  {
    what: 'a password in a URL',
    form: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>`{}$[\]]{1,100}:([^\s/:@"'<>`{}$[\]]{10,200})@[\w.-]{3,200}/gi,
  },
];

const PLACEHOLDER =
  /example|sample|dummy|placeholder|your|my[-_]|test|fake|demo|xxx|\.\.\.|\*\*\*|redact|secret|passw|token|here|insert|replace|changeme|00000|12345|abcde|qwert|deadbeef|foobar/i;

/** Whether text is a value somebody's machine made, not one that a writer made up. */
function looksRandom(body: string): boolean {
  if (PLACEHOLDER.test(body) || /(.)\1{4}/.test(body)) return false;
  const counts = new Map<string, number>();
  for (const char of body) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / body.length) * Math.log2(count / body.length);
  return bits >= Math.min(3, Math.log2(body.length) * 0.75);
}

/** Tokens in docs are mostly samples: of nobody, or signed with a word. A real one says until when it holds. */
function isRealJwt(token: string): boolean {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  if (/1234567890|example|john doe|test|sample|demo/i.test(payload)) return false;
  return /"(?:exp|iss|aud)"/.test(payload) && looksRandom(token.split('.')[2] ?? '');
}

/**
 * Values shorter than this cannot be distinguished from ordinary words, so they are not treated as secrets.
 */
const MIN_OWN = 8;
/** Letters and digits in a row of an own secret, from its middle on, that count as the secret. */
const WINDOW = 12;

/**
 * Secrets in a text: those known by their form, and the values in `own` whole or in part, however they are spelt:
 * plain, reversed, in base64, hexadecimal or percent encoding, as entities, or with other characters between theirs.
 */
export function findSecrets(text: string, own: readonly string[]): SecretHit[] {
  const hits: SecretHit[] = [];
  for (const { what, form, isReal } of PATTERNS) {
    for (const match of text.matchAll(form)) {
      const real = isReal?.(match[0]) ?? looksRandom(match[1] ?? match[0]);
      if (real) hits.push({ what, line: 0, start: match.index, end: match.index + match[0].length });
    }
  }
  hits.push(...findOwn(text, own));
  hits.sort((a, b) => a.start - b.start || b.end - a.end);
  const joined: SecretHit[] = [];
  let line = 1;
  let at = 0;
  for (const hit of hits) {
    for (; at < hit.start; at++) if (text.charCodeAt(at) === 10) line++;
    const last = joined.findLast(({ what }) => what === hit.what);
    if (last !== undefined && hit.start < last.end) last.end = Math.max(last.end, hit.end);
    else joined.push({ ...hit, line });
  }
  return joined;
}

/** A text with `[removed]` in place of its secrets, and of the words that they are parts of. */
export function removeSecrets(text: string, own: readonly string[]): string {
  let result = '';
  let at = 0;
  for (const hit of findSecrets(text, own)) {
    let { start, end } = hit;
    while (start > at && WORD.test(text[start - 1] ?? '')) start--;
    while (end < text.length && WORD.test(text[end] ?? '')) end++;
    result += text.slice(at, Math.max(at, start));
    if (end > at) result += result.endsWith('[removed]') ? '' : '[removed]';
    at = Math.max(at, end);
  }
  return result + text.slice(at);
}

const WORD = /[\w+/=%-]/;

/** The letters and digits of a text, in lower case, and where each of them stands. */
interface Squeezed {
  text: string;
  at: Uint32Array;
}

function squeeze(text: string): Squeezed {
  const at = new Uint32Array(text.length);
  let result = '';
  for (const match of text.matchAll(/[A-Za-z0-9]+/g)) {
    for (let i = 0; i < match[0].length; i++) at[result.length + i] = match.index + i;
    result += match[0];
  }
  return { text: result.toLowerCase(), at: at.subarray(0, result.length) };
}

/** The same with `%41`, `&#65;`, `\x41`, `\u0041` read as what they stand for, and wide letters as plain ones. */
function decode(text: string): { text: string; at: Uint32Array } {
  const at = new Uint32Array(text.length);
  let result = '';
  const form =
    /%([0-9a-f]{2})|&#x0{0,6}([0-9a-f]{1,5});?|&#0{0,6}(\d{1,7});?|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|[\uff01-\uff5e]|[\ud835][\udc00-\udfff]|[^%&\\\uff01-\uff5e\ud835]+|[\s\S]/gi;
  for (const match of text.matchAll(form)) {
    const hex = match[1] ?? match[2] ?? match[4] ?? match[5] ?? match[6];
    const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(match[3] ?? -1);
    const coded = code >= 0 && code <= 0xffff;
    const piece = coded
      ? String.fromCharCode(code)
      : match[0].length <= 2
        ? match[0].normalize('NFKC')
        : match[0];
    const step = !coded && piece.length === match[0].length ? 1 : 0;
    for (let i = 0; i < piece.length; i++) at[result.length + i] = match.index + i * step;
    result += piece;
  }
  return { text: result, at: at.subarray(0, result.length) };
}

function findOwn(text: string, own: readonly string[]): SecretHit[] {
  const values = [...new Set(own.filter((value) => value.length >= MIN_OWN))];
  if (values.length === 0) return [];
  const what = 'a secret of this installation';
  const hits: SecretHit[] = [];
  for (const value of values) {
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
      hits.push({ what, line: 0, start: at, end: at + value.length });
    }
  }
  const plain = squeeze(text);
  const views: Squeezed[] = [plain];
  if (/[%&\\\uff01-\uff5e\ud835]/.test(text)) {
    const decoded = decode(text);
    const inner = squeeze(decoded.text);
    views.push({ text: inner.text, at: inner.at.map((index) => decoded.at[index] ?? 0) });
  }
  for (const value of values) {
    const found = views.flatMap((view) => findParts(view, windowsOf(value, true)));
    // What is there in part is looked for to its ends.
    const all = found.length === 0 ? [] : views.flatMap((view) => findParts(view, windowsOf(value, false)));
    for (const span of all) hits.push({ what, line: 0, ...span });
  }
  return hits;
}

function findParts(view: Squeezed, windows: ReadonlySet<string>): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const window of windows) {
    for (let at = view.text.indexOf(window); at !== -1; at = view.text.indexOf(window, at + 1)) {
      found.push({ start: view.at[at] ?? 0, end: (view.at[at + window.length - 1] ?? 0) + 1 });
    }
  }
  return found;
}

/** Parts of a value in every spelling; each part is too long to match by accident. */
function windowsOf(value: string, skipsHead: boolean): Set<string> {
  const body = value.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '');
  // The prefix states the kind of secret, and docs name it too.
  const skip = !skipsHead || body.length < 24 ? 0 : Math.floor(Math.min(40, body.length / 4));
  const core = body.slice(skip);
  const spellings = [core, rotate(core), Buffer.from(core).toString('hex')];
  // Base64 of text in which the value starts at any of three offsets; the ends depend on neighbors.
  for (const offset of [0, 1, 2]) {
    spellings.push(
      Buffer.from(' '.repeat(offset) + core)
        .toString('base64')
        .slice(offset === 0 ? 0 : 4, -4),
    );
  }
  const reversed = [...core].reverse().join('');
  spellings.push(reversed, Buffer.from(reversed).toString('base64').slice(0, -4));
  const parts = new Set<string>();
  for (const spelling of spellings) {
    const squeezed = spelling.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
    if (squeezed.length < WINDOW) continue;
    for (let at = 0; at + WINDOW <= squeezed.length; at += WINDOW / 2)
      parts.add(squeezed.slice(at, at + WINDOW));
    parts.add(squeezed.slice(-WINDOW));
  }
  return parts;
}

function rotate(text: string): string {
  return text.replace(/[a-z]/gi, (char) => {
    const base = char <= 'Z' ? 65 : 97;
    return String.fromCharCode(((char.charCodeAt(0) - base + 13) % 26) + base);
  });
}
