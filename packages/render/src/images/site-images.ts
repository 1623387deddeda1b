import { hash } from 'node:crypto';
import type { SiteConfig } from '../config/config.ts';
import type { SourceTree } from '../source.ts';
import type { ImageSize } from '../theme/image-size.ts';
import { writtenAt } from '../theme/look.ts';
import type { Warn } from '../warning.ts';
import type { ImageEncoder, ImageRequest, OpenEncoder } from './encoder.ts';
import { type ImageFormat, unpackImage } from './record.ts';

/** Width of the column of text in pixels of CSS, `--content-width` of the theme, and twice that for dense screens. */
export const COLUMN = 720;
const WIDTHS = [COLUMN, 2 * COLUMN];
/** Changes with what is encoded. */
const FORMAT = 1;

/** Smaller files gain too little; larger ones, and those with more pixels or a longer side, are not decoded. */
const MIN_BYTES = 10_000;
const MAX_BYTES = 32_000_000;
const MAX_PIXELS = 50_000_000;
const MAX_SIDE = 30_000;
/** Images of one site. */
const MAX_IMAGES = 5_000;

const FOLDER = '_offprint/images/';

export interface VariantFile {
  /** Output path. */
  path: string;
  /** Pixels. */
  width: number;
  content: Uint8Array;
}

/** The variants of an image, of which it has at least one. */
export interface Variants extends ImageSize {
  /** Media type. */
  type: string;
  /** By width. */
  files: readonly VariantFile[];
}

/** Variants of the images of a site, as far as it asks for them. */
export interface SiteImages {
  /** Names the encoder; null without one. */
  readonly encoder: string | null;
  /** Number of requests for images that were not encoded yet. */
  readonly misses: number;
  /** Whether all that was asked for became what it becomes on every machine with the encoder. */
  readonly isFinal: boolean;
  /** Whether pages of an earlier render need images that this one does not have. */
  readonly isStale: boolean;
  /** The variants of an image of the source; null if it is shown as it is. */
  find(path: string, size: ImageSize, warn: (message: string) => void): Variants | null;
  /** Encodes what was asked for. */
  load(): Promise<void>;
  /** Writes something with images as `mode` has them; else with those of the pages that were written before. */
  during<T>(mode: ImageMode, write: () => T): T;
}

/**
 * - `ask`: images that are not encoded yet are asked for
 * - `settle`: only what was asked for before has variants
 * - `none`: all images are shown as they are, as in what is written after the pages
 */
export type ImageMode = 'ask' | 'settle' | 'none';

type Entry = { variants: Variants | null } | { fault: string };

const SILENT = { encoder: null, misses: 0, isFinal: true, isStale: false };
/** Images are shown as they are. */
export const noImages: SiteImages = {
  ...SILENT,
  find: () => null,
  load: async () => {},
  during: (_mode, write) => write(),
};

/** Opens the encoder if a site asks for variants. Without one, pages show the originals. */
export async function openImages(
  config: SiteConfig,
  source: SourceTree,
  open: OpenEncoder | undefined,
  warnAt: Warn,
): Promise<SiteImages> {
  const format = config.images.variants;
  if (format === null || open === undefined) return noImages;
  const warn = (message: string): void =>
    warnAt({ ...writtenAt(config, 'images', 'variants'), code: 'images-not-encoded', message });
  const encoder = await open(format);
  if (!('missing' in encoder)) return createImages({ format, source, encoder, warn });
  warn(`Images are shown as they are, since they cannot be encoded here: ${encoder.missing}`);
  return noImages;
}

interface Task {
  format: ImageFormat;
  source: SourceTree;
  encoder: ImageEncoder;
  /** Takes a warning about the site as a whole. */
  warn(message: string): void;
}

function createImages(task: Task): SiteImages {
  const { source, encoder } = task;
  const entries = new Map<string, Entry>();
  const wanted = new Map<string, Wanted>();
  const state = { misses: 0, isFinal: true, isStale: false };
  let current: ImageMode | null = null;

  const ask = (path: string, image: Wanted): null => {
    if (current !== 'ask') state.isStale = true;
    else if (entries.size + wanted.size >= MAX_IMAGES) state.isFinal = false;
    else {
      wanted.set(path, image);
      state.misses++;
    }
    return null;
  };
  const look = (path: string): Entry | null => {
    let entry = entries.get(path) ?? null;
    if (entry !== null || wanted.has(path)) return entry;
    if (current === 'settle') entry = { variants: null };
    else {
      const sha256 = hash('sha256', source.read(path));
      const key = keyOf(sha256, task);
      entry = entryOf(encoder.get(key), task) ?? ask(path, { key, sha256 });
    }
    if (entry !== null) entries.set(path, entry);
    return entry;
  };
  return {
    encoder: encoder.name,
    get misses() {
      return state.misses;
    },
    get isFinal() {
      return state.isFinal;
    },
    get isStale() {
      return state.isStale;
    },
    find(path, size, warn) {
      const bytes = source.size(path);
      if (current === 'none' || bytes < MIN_BYTES) return null;
      const excess = excessOf(bytes, size);
      const entry = excess === null ? look(path) : { fault: excess };
      if (entry === null || 'variants' in entry) return entry?.variants ?? null;
      warn(`\`${path}\` has no smaller variants and is shown as it is: ${entry.fault}.`);
      return null;
    },
    async load() {
      const made = await encodeAll(wanted, task);
      for (const [path, { entry, isFinal }] of made) {
        entries.set(path, entry);
        state.isFinal &&= isFinal;
      }
      wanted.clear();
    },
    during(mode, write) {
      const before = current;
      current = mode;
      try {
        return write();
      } finally {
        current = before;
      }
    },
  };
}

/** An image to encode. */
interface Wanted {
  /** Of its record. */
  key: string;
  /** Of its content. */
  sha256: string;
}

/** Encodes images and keeps their records. One without a record depends on this machine, and is not final. */
async function encodeAll(
  wanted: ReadonlyMap<string, Wanted>,
  task: Task,
): Promise<Map<string, { entry: Entry; isFinal: boolean }>> {
  const { format, encoder, warn } = task;
  const requests = [...wanted].map(([path, { sha256 }]): ImageRequest => {
    return { path, sha256, format, widths: WIDTHS };
  });
  const { images, fault } = await encoder.encode(requests);
  const found = new Map<string, { entry: Entry; isFinal: boolean }>();
  for (const [path, { key }] of wanted) {
    const made = images.get(path) ?? null;
    const record = made !== null && 'record' in made ? made.record : null;
    const entry = entryOf(record, task);
    if (record !== null && entry !== null) {
      encoder.put(key, record);
      found.set(path, { entry, isFinal: true });
    } else {
      const isFaulty = made !== null && 'fault' in made;
      found.set(path, { entry: isFaulty ? { fault: made.fault } : { variants: null }, isFinal: false });
    }
  }
  if (fault !== null) warn(`Some images are shown as they are, since they were not encoded: ${fault}`);
  return found;
}

/** What a record says; null for one that is missing or damaged. */
function entryOf(record: Uint8Array | null, { format }: Task): Entry | null {
  const image = record === null ? null : unpackImage(record);
  if (image === null) return null;
  const { fault, width, height } = image;
  if (fault !== null) return { fault: `it cannot be read: ${fault}` };
  const files = image.variants.map((variant) => ({
    ...variant,
    path: `${FOLDER}${hash('sha256', variant.content).slice(0, 20)}.${format}`,
  }));
  return { variants: files.length === 0 ? null : { width, height, type: `image/${format}`, files } };
}

/** Why an image is not decoded; null if it is. */
function excessOf(bytes: number, { width, height }: ImageSize): string | null {
  if (bytes > MAX_BYTES) return `it has more than ${MAX_BYTES / 1_000_000} MB`;
  if (width > MAX_SIDE || height > MAX_SIDE) return `it has a side of more than ${MAX_SIDE} pixels`;
  if (width * height > MAX_PIXELS) return `it has more than ${MAX_PIXELS / 1_000_000} million pixels`;
  return null;
}

/** Identifies what is made of an image: equal keys mean equal bytes. */
function keyOf(sha256: string, { format, encoder }: Task): string {
  return hash('sha256', JSON.stringify(['image', FORMAT, sha256, format, WIDTHS, encoder.name]));
}
