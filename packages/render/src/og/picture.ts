import { readFileSync } from 'node:fs';
import type { Resvg } from '@resvg/resvg-wasm';
import { packageFile } from '../assets.ts';
import type { Picture } from './card.ts';
import { drawingFonts } from './text.ts';

/** Larger files, and drawings with more parts that multiply, are not drawn: a picture must not take seconds. */
const MAX_BYTES = 2_000_000;
const MAX_USES = 12;
const MAX_EFFECTS = 60;

let library: Promise<typeof import('@resvg/resvg-wasm')> | null = null;

/** Loads the rasterizer (WebAssembly, without any access to the machine) at its first use in this process. */
function loadLibrary(): Promise<typeof import('@resvg/resvg-wasm')> {
  library ??= import('@resvg/resvg-wasm').then(async (module) => {
    const program = readFileSync(packageFile('@resvg/resvg-wasm', 'index_bg.wasm'));
    await module.initWasm(program).catch((error: unknown) => {
      // A second copy of this module in the process shares the library, which can be initialized only once.
      if (!String(error).includes('Already initialized')) throw error;
    });
    return module;
  });
  return library;
}

/**
 * Draws an image file (SVG, PNG, JPEG, GIF) into a box: `contain` keeps all of it, `cover` fills the box. Null for
 * files that cannot be drawn. Nothing outside of the file is loaded.
 */
export async function drawPicture(file: Uint8Array, box: Box): Promise<Picture | null> {
  const type = typeOf(file);
  if (type === null || file.byteLength > MAX_BYTES) return null;
  try {
    const { Resvg } = await loadLibrary();
    const drawn =
      type === 'image/svg+xml' && box.fit === 'contain'
        ? fitted(Resvg, file, box)
        : new Resvg(framed(type, file, box), { font: { loadSystemFonts: false }, imageRendering: 0 });
    const image = drawn.render();
    const picture = { width: image.width, height: image.height, pixels: straight(image.pixels) };
    image.free();
    drawn.free();
    return picture;
  } catch {
    return null;
  }
}

interface Box {
  width: number;
  height: number;
  fit: 'contain' | 'cover';
}

/** A drawing in its own right, so that its words are drawn too: in the font of the cards, as there is no other. */
function fitted(library: typeof Resvg, file: Uint8Array, box: Box): InstanceType<typeof Resvg> {
  const measured = new library(file, { font: { loadSystemFonts: false } });
  const scale = Math.min(box.width / measured.width, box.height / measured.height);
  const width = Math.max(1, Math.round(measured.width * scale));
  measured.free();
  const hasWords = Buffer.from(file).includes('<text');
  return new library(file, {
    fitTo: { mode: 'width', value: width },
    font: {
      loadSystemFonts: false,
      ...(hasWords
        ? { fontBuffers: drawingFonts(), defaultFontFamily: 'Inter', sansSerifFamily: 'Inter' }
        : {}),
    },
  });
}

function framed(type: string, file: Uint8Array, { width, height, fit }: Box): string {
  const href = `data:${type};base64,${Buffer.from(file).toString('base64')}`;
  const aspect = fit === 'cover' ? 'xMidYMid slice' : 'xMinYMid meet';
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}"><image width="${width}" height="${height}" preserveAspectRatio="${aspect}" xlink:href="${href}"/></svg>`;
}

function typeOf(file: Uint8Array): string | null {
  const head = Buffer.from(file.subarray(0, 8)).toString('latin1');
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  const text = new TextDecoder().decode(file);
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const isHeavy =
    count(/<(?:[\w.-]+:)?use\b/g) > MAX_USES ||
    count(/<(?:[\w.-]+:)?(?:filter|pattern|mask|image|fe\w+)\b/g) > MAX_EFFECTS;
  return /<svg[\s>]/.test(text) && !isHeavy && !text.includes('<!ENTITY') ? 'image/svg+xml' : null;
}

/** The rasterizer returns colors with premultiplied alpha. */
function straight(pixels: Uint8Array): Uint8Array {
  const copy = pixels.slice();
  for (let at = 0; at < copy.length; at += 4) {
    const alpha = copy[at + 3] ?? 0;
    if (alpha === 0 || alpha === 255) continue;
    for (let channel = 0; channel < 3; channel++) {
      copy[at + channel] = Math.min(255, Math.round(((copy[at + channel] ?? 0) * 255) / alpha));
    }
  }
  return copy;
}
