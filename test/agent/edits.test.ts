/**
 * Edits of real pages. Somebody who sees a page types three of its lines again, in ASCII and without blanks at line
 * ends, and asks for a change. The change must land, and every byte outside those lines must stay.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type EditResult, editText } from '../../apps/server/src/agent/edit/match.ts';
import { decodeText } from '../../apps/server/src/agent/workspace/overlay.ts';
import { corpora, corporaFolder, NO_CORPORA } from '../support/corpora.ts';
import { createRandom } from '../support/random.ts';

const SAMPLE = 4000;
const TYPOGRAPHIC = /[‘’‚‛“”„«»‐‑‒–—―−…\u00a0\u2009\u202f\u3000\u200b]/;

interface Page {
  name: string;
  bytes: Buffer;
  text: string;
  /** Offset of each line, and of the end. */
  lines: number[];
}

/** Three lines of a page, without the last line end. */
interface Span {
  page: Page;
  start: number;
  end: number;
}

function pages(): Page[] {
  return corpora().flatMap(({ name, folder }) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.mdx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .flatMap((file) => {
        const bytes = readFileSync(file);
        const text = decodeText(bytes);
        if (text === null) return [];
        const lines = [0];
        for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
        lines.push(text.length + 1);
        return [{ name: `${name}/${file.slice(folder.length + 1)}`, bytes, text, lines }];
      }),
  );
}

/** Typed by hand, by rules of its own: the code under test is not asked what it takes for the same. */
function typed(text: string): string {
  return text
    .replace(/\ufeff|\u200b/g, '')
    .replace(/[‘’‚‛]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/[‐‑‒–—―−]/g, '-')
    .replace(/…/g, '...')
    .replace(/[\u00a0\u2009\u202f\u3000]/g, ' ')
    .replace(/[ \t]*\r?$/gm, '');
}

function spansAround(page: Page, wanted: (line: string) => boolean): Span[] {
  const spans: Span[] = [];
  for (let line = 0; line + 3 < page.lines.length; line++) {
    const start = page.lines[line]!;
    const end = page.lines[line + 3]! - 1;
    const text = page.text.slice(start, end);
    if (text.trim().length >= 12 && text.split('\n').some(wanted)) spans.push({ page, start, end });
  }
  return spans;
}

function sample(spans: Span[], count: number, random: () => number): Span[] {
  const rest = [...spans];
  const picked: Span[] = [];
  while (picked.length < count && rest.length > 0) {
    const index = Math.floor(random() * rest.length);
    picked.push(rest[index]!);
    rest[index] = rest.at(-1)!;
    rest.pop();
  }
  return picked;
}

/** The middle line with a word put in; what a person asked for. */
function changed(text: string): string {
  const lines = text.split('\n');
  lines[1] = `${lines[1]} CHANGED $& $1`;
  return lines.join('\n');
}

const textOf = ({ page, start, end }: Span): string => page.text.slice(start, end);

function timesIn(text: string, sought: string): number {
  let times = 0;
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) times += 1;
  return times;
}

const typedPages = new Map<Page, string>();

/** How often the typed text occurs on the page after all of it is typed. */
function timesTyped(span: Span): number {
  const whole = typedPages.get(span.page) ?? typed(span.page.text);
  typedPages.set(span.page, whole);
  return timesIn(whole, typed(textOf(span)));
}

/** What became of an edit: `outside` when bytes beyond the span moved, `other` when the span is not as asked. */
function outcome(span: Span, result: EditResult, wanted: string) {
  if (result.kind !== 'done') return result.kind;
  const { page, start, end } = span;
  const after = Buffer.from(result.text);
  const head = Buffer.byteLength(page.text.slice(0, start));
  const tail = Buffer.byteLength(page.text.slice(end));
  const kept =
    after.length >= head + tail &&
    after.subarray(0, head).equals(page.bytes.subarray(0, head)) &&
    after.subarray(after.length - tail).equals(page.bytes.subarray(page.bytes.length - tail));
  if (!kept) return 'outside';
  const grown = result.text.length - page.text.length;
  // The lines that were not to change keep their marks and blanks, though they were typed without.
  const [first = '', , last = ''] = textOf(span).split('\n');
  const next = result.text.slice(start, end + grown);
  if (!next.startsWith(`${first}\n`) || !next.endsWith(`\n${last}`)) return 'other';
  return typed(result.text.slice(start, end + grown)) === typed(wanted) ? result.matched : 'other';
}

const folder = corporaFolder();

describe.skipIf(folder === null)(`edits of real pages${folder === null ? ` (${NO_CORPORA})` : ''}`, () => {
  const all = folder === null ? [] : pages();
  const random = createRandom(20_261_121);
  const marked = sample(
    all.flatMap((page) => spansAround(page, (line) => TYPOGRAPHIC.test(line) || /[ \t]\r?$/.test(line))),
    SAMPLE / 2,
    random,
  );
  const plain = sample(
    all.flatMap((page) => spansAround(page, () => true)),
    SAMPLE - marked.length,
    random,
  );
  const spans = [...marked, ...plain];

  const once = spans.filter((span) => timesTyped(span) === 1);
  const repeated = spans.filter((span) => timesTyped(span) > 1);

  test('a change typed in ASCII lands, and no byte outside its lines moves', () => {
    const counts = { exact: 0, folded: 0, missing: 0, ambiguous: 0, outside: 0, other: 0 };
    const faults: string[] = [];
    for (const span of once) {
      const old = typed(textOf(span));
      const result = editText(span.page.text, old, changed(old));
      const kind = outcome(span, result, changed(old));
      counts[kind] += 1;
      if (kind !== 'exact' && kind !== 'folded')
        faults.push(`${kind}: ${span.page.name} ${JSON.stringify(old)}`);
    }
    const exactOnly = once.filter((span) => span.page.text.includes(typed(textOf(span)))).length;
    const landed = counts.exact + counts.folded;
    console.log(
      `edits of real pages: ${landed} of ${once.length} land (${exactOnly} by exact text alone), ${marked.length} drawn from lines with marks or blanks; ${JSON.stringify(counts)}`,
    );
    expect(once.length).toBeGreaterThanOrEqual(2000);
    expect(marked.length).toBeGreaterThanOrEqual(1000);
    expect(counts.outside + counts.other, faults.join('\n')).toBe(0);
    expect(landed / once.length, faults.join('\n')).toBeGreaterThanOrEqual(0.995);
    // Otherwise the sample would be one that any matcher passes.
    expect(exactOnly / once.length).toBeLessThan(0.8);
  });

  test('text that occurs more than once is refused with its positions, unless one occurrence matches exactly', () => {
    expect(repeated.length).toBeGreaterThan(50);
    for (const span of repeated) {
      const old = typed(textOf(span));
      const result = editText(span.page.text, old, changed(old));
      const exact = timesIn(span.page.text, old);
      if (exact === 1) expect(result).toMatchObject({ kind: 'done', matched: 'exact', count: 1 });
      else {
        const count = exact > 1 ? exact : timesTyped(span);
        expect(result, span.page.name).toMatchObject({ kind: 'ambiguous', count });
        expect(result.kind === 'ambiguous' && result.lines.length).toBe(count);
      }
    }
  });

  test('a page with Windows line ends keeps every one of them', () => {
    const texts = new Map<Page, string>();
    for (const span of once.slice(0, 400)) {
      const { page } = span;
      const text = texts.get(page) ?? page.text.replace(/\r?\n/g, '\r\n');
      texts.set(page, text);
      const old = typed(textOf(span));
      const result = editText(text, old, changed(old).replace(' CHANGED', '\nCHANGED'));
      if (result.kind !== 'done') throw new Error(`${page.name}: ${result.kind}`);
      expect(result.text.replaceAll('\r\n', '')).not.toContain('\n');
      expect(result.text).toContain('\r\nCHANGED $& $1\r\n');
    }
  });
});
