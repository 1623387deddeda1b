/** Encodings in which files are stored in addition to the original bytes, the better one first. */
export const encodings = ['br', 'gzip'] as const;

export type Encoding = (typeof encodings)[number];
export type Coding = Encoding | 'identity';

/** One entry of an `Accept` header or similar: lower-case name and weight, 0 to 1. */
interface Preference {
  name: string;
  weight: number;
}

/** Headers of real clients are far shorter; the rest of a longer one is ignored. */
const maxPreferences = 50;

/** Cached results of parsing. Clients send few different headers; a flood of others is not kept. */
const maxCached = 200;

const codings: readonly Coding[] = [...encodings, 'identity'];
const unnamed: readonly Coding[] = ['identity'];
const rememberedCodings = new Map<string, readonly Coding[]>();
const rememberedMarkdown = new Map<string, boolean>();

/**
 * The encodings that a request accepts, best first: by weight, then in our order. Empty if even `identity` is
 * refused (`identity;q=0`, `*;q=0`). A request without the header gets `identity` (RFC 9110, 12.5.3).
 */
export function acceptedCodings(header: string | undefined): readonly Coding[] {
  if (header === undefined) return unnamed;
  return remembered(rememberedCodings, header, () => {
    const wanted = parsePreferences(header);
    const weight = new Map(wanted.map(({ name, weight }) => [name === 'x-gzip' ? 'gzip' : name, weight]));
    const others = weight.get('*');
    const weightOf = (coding: Coding): number =>
      // identity is always acceptable, after everything that the header names
      weight.get(coding) ?? others ?? (coding === 'identity' ? Number.MIN_VALUE : 0);
    return codings.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  });
}

/**
 * Whether a request prefers Markdown to HTML. Only a header that names `text/markdown` does, with at least
 * the weight of HTML; with equal weights the first one wins, and a name is more specific than a wildcard.
 */
export function prefersMarkdown(header: string | undefined): boolean {
  if (header === undefined || !/markdown/i.test(header)) return false;
  return remembered(rememberedMarkdown, header, () => {
    const wanted = parsePreferences(header);
    const markdown = wanted.findIndex(({ name }) => name === 'text/markdown');
    const weight = wanted[markdown]?.weight ?? 0;
    if (weight === 0) return false;
    const html = wanted.findIndex(({ name }) => name === 'text/html');
    if (html >= 0) {
      const other = wanted[html]?.weight ?? 0;
      return weight > other || (weight === other && markdown < html);
    }
    const range = wanted.find(({ name }) => name === 'text/*') ?? wanted.find(({ name }) => name === '*/*');
    return weight >= (range?.weight ?? 0);
  });
}

function remembered<Value>(known: Map<string, Value>, header: string, parse: () => Value): Value {
  let value = known.get(header);
  if (value === undefined) {
    value = parse();
    if (known.size >= maxCached) known.clear();
    if (header.length <= 500) known.set(header, value);
  }
  return value;
}

function parsePreferences(header: string): Preference[] {
  const preferences: Preference[] = [];
  for (const part of header.split(',', maxPreferences)) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (name === '') continue;
    const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
    preferences.push({ name, weight: given === undefined ? 1 : weightOf(given) });
  }
  return preferences;
}

/** An invalid weight counts as a refusal: better uncompressed bytes than unreadable ones. */
function weightOf(parameter: string): number {
  const [, text = ''] = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameter) ?? [];
  return text === '' ? 0 : Number(text);
}
