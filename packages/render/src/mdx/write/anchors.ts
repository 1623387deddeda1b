import { RESERVED_IDS } from '../../theme/reserved.ts';

const dropped =
  /[?,;:!"()[\]{}`<>|\\^*]|\p{Extended_Pictographic}|[\u{1f1e6}-\u{1f1ff}]|[\u{1f3fb}-\u{1f3ff}]|\u200d|\ufe0f|\u20e3/gu;

/**
 * Anchor of a text by the documented rule of the format: lower case, blanks and dots become `-`, an
 * apostrophe becomes `’`, `/`, `&` and other scripts stay, punctuation and emoji go. May be empty.
 */
export function anchorOf(text: string): string {
  return slugOf(text, '');
}

/** ASCII words with one blank between them: every rule gives them the same anchor. */
const plainWords = /^[a-z\d]+(?: [a-z\d]+)*$/i;

const plainAnchor = (words: string): string => words.toLowerCase().replaceAll(' ', '-');

/** `kept` are characters that stay although the rule removes them. */
function slugOf(text: string, kept: string): string {
  if (plainWords.test(text)) return plainAnchor(text);
  return text
    .trim()
    .toLowerCase()
    .replaceAll("'", '’')
    .replace(dropped, (mark) => (kept.includes(mark) ? mark : ''))
    .trim()
    .replace(/[\s.]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '');
}

/** Anchor of a heading: as that of other elements, with a hyphen for an underscore. */
export function headingAnchorOf(text: string): string {
  return anchorOf(text.replaceAll('_', ' '));
}

/**
 * Anchors that authors also write links to: the one that other hosts of Markdown give (punctuation goes, underscores
 * stay, each blank becomes `-`), and the own one with its punctuation.
 */
export function otherAnchorsOf(text: string): string[] {
  if (plainWords.test(text)) return [plainAnchor(text)];
  const common = commonAnchorOf(text);
  const marks = /[?,;:]/.test(text) ? [slugOf(text, '?,;:'), slugOf(text, ':')] : [];
  return [common, anchorOf(text), ...marks];
}

function commonAnchorOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Where an anchor is written. */
export interface AnchorPlace {
  file: string;
  /** 1-based; null where the source has no line for it. */
  line: number | null;
}

/** Ids of one page; a repeated one gets `-2`, `-3`. */
export interface Anchors {
  readonly ids: Set<string>;
  /** Those of `ids` that stand back where others have the same letters. */
  readonly aliases: Set<string>;
  readonly counts: Map<string, number>;
  /** By id. */
  readonly places: Map<string, AnchorPlace>;
  /** Names of `<a name>`, to which links lead that no element has as its id. */
  readonly names: Map<string, AnchorPlace>;
  /** The place of what is being written. */
  here(): AnchorPlace;
}

export function makeAnchors(here: () => AnchorPlace): Anchors {
  return { ids: new Set(), aliases: new Set(), counts: new Map(), places: new Map(), names: new Map(), here };
}

/** Takes a free id for a text and records it. */
export function takeAnchor(anchors: Anchors, text: string): string {
  return takeId(anchors, anchorOf(text) || 'section');
}

/** Takes an id as written, or with the next free number; those of the parts of every page count as taken. */
export function takeId(anchors: Anchors, wanted: string): string {
  let count = (anchors.counts.get(wanted) ?? (RESERVED_IDS.has(wanted) ? 1 : 0)) + 1;
  let id = count === 1 ? wanted : `${wanted}-${count}`;
  while (anchors.ids.has(id)) id = `${wanted}-${++count}`;
  anchors.counts.set(wanted, count);
  anchors.ids.add(id);
  anchors.places.set(id, anchors.here());
  return id;
}
