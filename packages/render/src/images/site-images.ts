import { hash } from 'node:crypto';
import type { SourceTree } from '../source.ts';
import type { ImageSize } from '../theme/image-size.ts';
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
  format: ImageFormat | null,
  source: SourceTree,
  open: OpenEncoder | undefined,
  warn: (message: string) => void,
): Promise<SiteImages> {
  if (format === null || open === undefined) return noImages;
  const encoder = await open(format);
  if (!('missing' in encoder)) return createImages({ format, source, encoder, warn });
  warn(`Images are shown as they are, since they cannot be encoded here: ${encoder.missing}`);
  return noImages;
}

function createImages({
  format,
  source,
  encoder,
  warn: warnSite,
}: {
  format: ImageFormat;
  source: SourceTree;
  encoder: ImageEncoder;
  warn: (message: string) => void;
}): SiteImages {
  const entries = new Map<string, Entry>();
  const wanted = new Map<string, { key: string; sha256: string }>();
  const state = { misses: 0, isFinal: true, isStale: false };
  let current: ImageMode | null = null;

  const take = (path: string, record: Uint8Array | null): Entry | null => {
    const image = record === null ? null : unpackImage(record);
    if (image === null) return null;
    const { fault, width, height } = image;
    const files = image.variants.map((variant) => ({
      ...variant,
      path: `${FOLDER}${hash('sha256', variant.content).slice(0, 20)}.${format}`,
    }));
    const variants = files.length === 0 ? null : { width, height, type: `image/${format}`, files };
    const entry = fault === null ? { variants } : { fault: `it cannot be read: ${fault}` };
    entries.set(path, entry);
    return entry;
  };
  const look = (path: string): Entry | null => {
    const known = entries.get(path);
    if (known !== undefined) return known;
    if (current === 'settle') {
      const entry = { variants: null };
      entries.set(path, entry);
      return entry;
    }
    const sha256 = hash('sha256', source.read(path));
    const key = keyOf(sha256, format, encoder.name);
    const kept = take(path, encoder.get(key));
    if (kept !== null) return kept;
    if (current !== 'ask') state.isStale = true;
    else if (entries.size + wanted.size < MAX_IMAGES) {
      wanted.set(path, { key, sha256 });
      state.misses++;
    }
    return null;
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
      if (wanted.size > 0) {
        const requests = [...wanted].map(([path, { sha256 }]): ImageRequest => {
          return { path, sha256, format, widths: WIDTHS };
        });
        const { images, fault } = await encoder.encode(requests);
        for (const [path, { key }] of wanted) {
          const made = images.get(path);
          const record = made !== undefined && 'record' in made ? made.record : null;
          if (record !== null && take(path, record) !== null) encoder.put(key, record);
          else {
            state.isFinal = false;
            if (made !== undefined && 'fault' in made) entries.set(path, { fault: made.fault });
            else entries.set(path, { variants: null });
          }
        }
        if (fault !== null)
          warnSite(`Some images are shown as they are, since they were not encoded: ${fault}`);
        wanted.clear();
      }
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

/** Why an image is not decoded; null if it is. */
function excessOf(bytes: number, { width, height }: ImageSize): string | null {
  if (bytes > MAX_BYTES) return `it has more than ${MAX_BYTES / 1_000_000} MB`;
  if (width > MAX_SIDE || height > MAX_SIDE) return `it has a side of more than ${MAX_SIDE} pixels`;
  if (width * height > MAX_PIXELS) return `it has more than ${MAX_PIXELS / 1_000_000} million pixels`;
  return null;
}

/** Identifies what is made of an image: equal keys mean equal bytes. */
function keyOf(sha256: string, format: ImageFormat, encoder: string): string {
  return hash('sha256', JSON.stringify(['image', FORMAT, sha256, format, WIDTHS, encoder]));
}
