export interface ImageSize {
  /** Pixels. */
  width: number;
  height: number;
}

/** Size of a PNG, GIF, JPEG or WebP file by its header, as browsers show it; null for anything else. */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mark = (at: number, length: number): string =>
    String.fromCharCode(...bytes.subarray(at, at + length));
  if (bytes.length < 30) return null;
  if (mark(1, 3) === 'PNG' && mark(12, 4) === 'IHDR') return sized(view.getUint32(16), view.getUint32(20));
  if (mark(0, 4) === 'GIF8') return sized(view.getUint16(6, true), view.getUint16(8, true));
  if (mark(0, 4) === 'RIFF' && mark(8, 4) === 'WEBP') return webpSize(view, mark(12, 4));
  return view.getUint16(0) === 0xffd8 ? jpegSize(view) : null;
}

function webpSize(view: DataView, kind: string): ImageSize | null {
  const triple = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  if (kind === 'VP8X') return sized(triple(24) + 1, triple(27) + 1);
  if (kind === 'VP8 ') return sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (kind !== 'VP8L') return null;
  const bits = view.getUint32(21, true);
  return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

/** The size is in the first frame header (SOF), after segments that start with their length. */
function jpegSize(view: DataView): ImageSize | null {
  let isTurned = false;
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return isTurned ? sized(height, width) : sized(width, height);
    }
    // Segments of this kind have other data too, such as XMP.
    if (marker === 0xe1) isTurned ||= isTurnedBy(view, at + 4);
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

const EXIF = 0x45786966;
const ORIENTATION = 0x0112;

/** Whether the Exif data that start there turn the image by a quarter; cameras store pictures as their sensor lies. */
function isTurnedBy(view: DataView, start: number): boolean {
  const tiff = start + 6;
  if (tiff + 10 > view.byteLength || view.getUint32(start) !== EXIF) return false;
  const isLittle = view.getUint16(tiff) === 0x4949;
  const directory = tiff + view.getUint32(tiff + 4, isLittle);
  if (directory + 2 > view.byteLength) return false;
  const count = view.getUint16(directory, isLittle);
  for (let at = directory + 2; at < directory + 2 + count * 12 && at + 12 <= view.byteLength; at += 12) {
    if (view.getUint16(at, isLittle) === ORIENTATION) return view.getUint16(at + 8, isLittle) > 4;
  }
  return false;
}

function sized(width: number, height: number): ImageSize | null {
  return width > 0 && height > 0 ? { width, height } : null;
}
