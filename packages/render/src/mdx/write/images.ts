import { escapeAttribute } from '../../escape.ts';
import { COLUMN } from '../../images/site-images.ts';
import type { SourceTree } from '../../source.ts';
import { type ImageSize, imageSize } from '../../theme/image-size.ts';
import { relativeLink } from '../../theme/paths.ts';
import type { Props } from '../../tree.ts';
import type { Writer } from './writer.ts';

/** Bytes in which nearly every image names its size; a photograph with a large preview may not. */
const HEAD_BYTES = 64 * 1024;
/** Classes that leave the size of an image to its file. */
const NEUTRAL =
  /^(?:(?:dark:)?(?:block|hidden)|rounded(?:-\w+)*|m[xytblr]?-\w+|border(?:-\w+)*|shadow(?:-\w+)*|w-full)$/;

const sizes = new WeakMap<SourceTree, Map<string, ImageSize | null>>();

/** Size of an image of the source by its first bytes; null where they do not tell. Each file is read once. */
export function naturalSize(source: SourceTree, path: string): ImageSize | null {
  let known = sizes.get(source);
  if (known === undefined) {
    known = new Map();
    sizes.set(source, known);
  }
  // asked each time, so that the source sees which pages show a file
  if (!source.has(path)) return null;
  const before = known.get(path);
  if (before !== undefined) return before;
  const size = readSize(source, path);
  known.set(path, size);
  return size;
}

function readSize(source: SourceTree, path: string): ImageSize | null {
  if (!/\.(png|jpe?g|gif|webp|svg)$/i.test(path)) return null;
  const start = source.readStart?.(path, HEAD_BYTES) ?? source.read(path);
  return /\.svg$/i.test(path) ? drawingSize(start) : imageSize(start);
}

/** An SVG that names both sides in pixels; others fill the place that they get. */
function drawingSize(bytes: Uint8Array): ImageSize | null {
  const root = /<svg\b[^>]{0,4000}>/i.exec(new TextDecoder().decode(bytes.subarray(0, 8192)))?.[0] ?? '';
  const side = (name: string): number =>
    Math.round(Number(new RegExp(`\\s${name}="(\\d{1,5}(?:\\.\\d{1,6})?)(?:px)?"`).exec(root)?.[1] ?? 0));
  const width = side('width');
  const height = side('height');
  return width > 0 && height > 0 ? { width, height } : null;
}

/**
 * `width` and `height` of an image as attributes with their space, so that the text below does not move when it
 * arrives; empty where the page sizes it by other means.
 */
export function sizeAttributes(
  src: string,
  props: Props,
  writer: Writer,
  known: ImageSize | null = null,
): string {
  if (props.width !== undefined || props.height !== undefined || props.style !== undefined) return '';
  const written = props.className ?? props.class ?? '';
  if (typeof written !== 'string') return '';
  if (!written.split(/\s+/).every((name) => name === '' || NEUTRAL.test(name))) return '';
  const path = sourcePath(src, writer.page.output);
  const size = known ?? (path === null ? null : naturalSize(writer.site.source, path));
  return size === null
    ? ''
    : ` width="${escapeAttribute(String(size.width))}" height="${escapeAttribute(String(size.height))}"`;
}

/** `sizes` of an image in the column of text, which gets narrower with the window. */
const COLUMN_SIZES = `(min-width: ${COLUMN + 80}px) ${COLUMN}px, calc(100vw - 40px)`;

/**
 * An image with its smaller variants, of which browsers load one instead of it; null where it stays alone: the copy button
 * copies what is shown, an author may have named variants, and what a component shows in a browser is its own.
 */
export function writePicture(src: string, props: Props, writer: Writer): PictureParts | null {
  const { images, source } = writer.site;
  if (writer.shownSlots !== null || writer.isAside || writer.noPicture || props.actions !== undefined)
    return null;
  if ((props.srcSet ?? props.srcset ?? props.sizes) !== undefined) return null;
  const path = sourcePath(src, writer.page.output);
  const size = path === null ? null : naturalSize(source, path);
  if (path === null || size === null || !/\.(png|jpe?g|webp)$/i.test(path)) return null;
  const variants = images.find(path, size, (message) => writer.warn('image-not-encoded', message));
  if (variants === null) return null;
  const urls = variants.files.map((file) => {
    writer.use({ kind: 'image', path: file.path, content: () => file.content });
    return `${relativeLink(writer.page.output, file.path)} ${file.width}w`;
  });
  return {
    source: `<source type="${variants.type}" srcset="${urls.join(', ')}" sizes="${sizesOf(src, props, variants, writer)}">`,
    // Of a file whose orientation turns it, the header names the sides the other way around.
    size: { width: variants.width, height: variants.height },
  };
}

/**
 * The width at which an image is shown, as far as it is known. It is its natural width, too, for browsers: where neither
 * attributes nor the column decide, it must stay that of the original.
 */
function sizesOf(src: string, props: Props, { width }: ImageSize, writer: Writer): string {
  const given = /^(\d{1,4})(?:px)?$/.exec(String(props.width))?.[1];
  if (given !== undefined) return `${given}px`;
  const isInColumn =
    sizeAttributes(src, props, writer) !== '' && !/^(?:wide|custom|frame)$/.test(writer.page.mode);
  return isInColumn && width >= COLUMN ? COLUMN_SIZES : `${width}px`;
}

export interface PictureParts {
  /** HTML before the image. */
  source: string;
  size: ImageSize;
}

const begun = new WeakSet<Writer>();

/**
 * How an image is fetched, as attributes with their space: the first one near the top of a page at once, since it is
 * likely what a reader waits for, all others when they come near. One that only one appearance shows is never first.
 */
export function loadingAttributes(props: Props, writer: Writer): string {
  const written = props.className ?? props.class;
  const isPaired = typeof written === 'string' && /(?:^|\s)(?:dark:)?hidden(?:\s|$)/.test(written);
  const isFirst = !begun.has(writer) && writer.entries.length <= 1 && !isPaired;
  begun.add(writer);
  if (isFirst) return ' fetchpriority="high"';
  return props.loading === 'eager' ? '' : ' loading="lazy" decoding="async"';
}

/** The file that a relative URL of a page names: files of the source keep their paths. */
function sourcePath(src: string, output: string): string | null {
  const folders = output.split('/').slice(0, -1);
  for (const segment of src.replace(/[?#].*$/s, '').split('/')) {
    if (segment === '..') folders.pop();
    else if (segment !== '.' && segment !== '') folders.push(segment);
  }
  try {
    return decodeURIComponent(folders.join('/'));
  } catch {
    return null;
  }
}
