import type { ImageFormat, ImageRecord, ImageVariant } from '@offprint/render/images';
import type { Metadata, Sharp } from 'sharp';

type SharpModule = typeof import('sharp')['default'];

export interface ImageWork {
  format: ImageFormat;
  /** Widths in pixels of variants, in ascending order. */
  widths: readonly number[];
}

/** Of an image. Takes about 200 MB if the file cannot be read line by line. */
const MAX_PIXELS = 50_000_000;
/** Of a variant: the time of an encoder depends on them. */
const MAX_VARIANT_PIXELS = 12_000_000;
/** Of a variant, as WebP has it. */
const MAX_SIDE = 16_383;
/** The largest variant takes at most this share of the bytes of its original; else the original is shown. */
const WORTH = 0.8;

/** The only readers of files: those for drawings, documents and rarer formats stay blocked, whatever a file claims. */
const READERS = ['Png', 'Jpeg', 'Webp'].map((name) => `VipsForeignLoad${name}Buffer`);

/** Loads the library with the readers that it may use; the reason if it is not there. */
export async function loadSharp(): Promise<{ sharp: SharpModule } | { missing: string }> {
  try {
    const { default: sharp } = await import('sharp');
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: READERS });
    sharp.cache(false);
    // Each variant in one thread: AVIF has other bytes with more. Those of an image are encoded at the same time.
    sharp.concurrency(1);
    // The instructions that a processor has beyond those of all make no difference of time here, and none of bytes then.
    sharp.simd(false);
    return { sharp };
  } catch (error) {
    return { missing: messageOf(error) };
  }
}

/** Encodes the variants of one image. Never throws for what the bytes contain. */
export async function encodeImage(
  sharp: SharpModule,
  bytes: Uint8Array,
  { format, widths }: ImageWork,
): Promise<ImageRecord> {
  try {
    if (!isReadable(bytes)) return faulty('it is not a PNG, JPEG or WebP file');
    const input = sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true });
    const metadata = await input.metadata();
    const { width, height } = metadata.autoOrient;
    // A variant would show the first frame only.
    if (isMoving(bytes, metadata)) return { width, height, variants: [], fault: null };
    const fitting = widths.filter((each) => each < width);
    const last = widths.at(-1) ?? 0;
    const wanted = [...fitting, ...(width <= last ? [width] : [])].filter((each) =>
      isEncodable(each, Math.ceil((each * height) / width)),
    );
    const variants = await Promise.all(
      wanted.map(async (each) => ({ width: each, content: await variantOf(input, each, format) })),
    );
    return { width, height, variants: worthwhile(variants, bytes.byteLength), fault: null };
  } catch (error) {
    return faulty(messageOf(error));
  }
}

/** Whether the bytes start as a file that can be read. */
function isReadable(bytes: Uint8Array): boolean {
  const mark = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  const isWebp = mark.startsWith('RIFF') && mark.endsWith('WEBP');
  return isWebp || mark.startsWith('\x89PNG\r\n') || mark.startsWith('\xff\xd8\xff');
}

/** A PNG that moves names its frames before the first one, which is all that the library reads of it. */
function isMoving(bytes: Uint8Array, { pages = 1 }: Metadata): boolean {
  if (pages > 1) return true;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.readUInt32BE(0) !== 0x89504e47) return false;
  for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.readUInt32BE(at)) {
    const kind = view.toString('latin1', at + 4, at + 8);
    if (kind === 'acTL') return true;
    if (kind === 'IDAT') return false;
  }
  return false;
}

const isEncodable = (width: number, height: number): boolean =>
  height > 0 && height <= MAX_SIDE && width * height <= MAX_VARIANT_PIXELS;

function variantOf(input: Sharp, width: number, format: ImageFormat): Promise<Uint8Array> {
  // Colors become those of screens, which every browser shows without a profile.
  const resized = input.clone().autoOrient().resize({ width });
  const encoded =
    format === 'avif'
      ? resized.avif({ quality: 60, effort: 3 })
      : // Colored text of screenshots stays sharp.
        resized.webp({ quality: 82, smartSubsample: true });
  return encoded.toBuffer();
}

function worthwhile(variants: readonly ImageVariant[], bytes: number): ImageVariant[] {
  const last = variants.at(-1);
  if (last === undefined || last.content.byteLength > bytes * WORTH) return [];
  return variants.filter((one) => one === last || one.content.byteLength < last.content.byteLength);
}

const faulty = (fault: string): ImageRecord => ({ width: 0, height: 0, variants: [], fault });

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.trim() ?? '';
