import type { Page, SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { FileContent } from '../stored-file.ts';
import { deriveAccents } from '../theme/color.ts';
import { hashOf } from '../theme/hash.ts';
import { inlineText } from '../theme/inline.ts';
import type { PreviewImage } from '../theme/theme.ts';
import type { Warn } from '../warning.ts';
import { copyOf, type Rgb } from './canvas.ts';
import {
  type CardDesign,
  type CardText,
  cardEncoder,
  drawCard,
  drawGround,
  HEIGHT,
  type Picture,
  WIDTH,
} from './card.ts';
import { drawPicture } from './picture.ts';
import { canDraw, drawable } from './text.ts';

/** Images that show pages where links to them are shared. */
export interface Previews {
  /** The image of a page, which is then drawn at the end; null when its words cannot be drawn, nor those of the site. */
  of(page: Page): PreviewImage | null;
  /** Whether the image of a page was asked for. */
  isOf(page: Page): boolean;
  /** All images that were asked for, by path: those that `known` returns, and the others drawn. */
  draw(known: (path: string) => FileContent | null): AsyncGenerator<{ path: string; content: FileContent }>;
}

const FOLDER = '_offprint/og/';

/**
 * One image for the site, or one for each page where docs.json says how they look (`thumbnails`): a site of a
 * thousand pages would otherwise take longer to draw than to render.
 */
export function createPreviews(options: {
  siteMap: SiteMap;
  source: SourceTree;
  siteUrl: string | null;
  warn: Warn;
}): Previews {
  const { siteMap, source, siteUrl, warn } = options;
  const { config } = siteMap;
  const { background } = config.thumbnails;
  if (background !== null && !source.has(pathOf(background))) {
    const message = `The file \`${background.slice(0, 120)}\` of "thumbnails.background" is not in the docs folder; the preview images have no background.`;
    warn({ file: config.file, line: null, code: 'missing-asset', message });
  }
  const footer = drawable(URL.parse(siteUrl ?? '')?.host ?? '');
  const wanted = new Map<string, CardText>();
  let known: Look | undefined;
  const look = (): Look => {
    known ??= lookOf(siteMap, source);
    return known;
  };
  const take = (text: CardText): PreviewImage => {
    const path = `${FOLDER}${hashOf(JSON.stringify([look().key, text]))}.png`;
    wanted.set(path, text);
    return { path, width: WIDTH, height: HEIGHT, alt: text.title };
  };
  let site: PreviewImage | null | undefined;
  const ofSite = (): PreviewImage | null => {
    if (site === undefined) {
      const text = textOf(config.name, config.description ?? '', '', footer);
      site = text === null ? null : take(text);
    }
    return site;
  };
  const isPerPage = Object.values(config.thumbnails).some((value) => value !== null);
  const asked = new WeakSet<Page>();
  return {
    isOf: (page) => asked.has(page),
    of(page) {
      asked.add(page);
      if (!isPerPage || page === siteMap.home) return ofSite();
      const group = page.trail.findLast((node) => node.kind === 'group' && node.page !== page)?.label ?? '';
      const text = textOf(page.title, page.description ?? '', group, footer);
      return text === null ? ofSite() : take(text);
    },
    async *draw(knownFile) {
      let draw: ((text: CardText) => Uint8Array) | null = null;
      for (const [path, text] of [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const file = knownFile(path);
        if (file !== null) {
          yield { path, content: file };
          continue;
        }
        draw ??= await openCards(look());
        yield { path, content: draw(text) };
      }
    },
  };
}

/** What draws cards on the ground that they share. */
async function openCards(look: Look): Promise<(text: CardText) => Uint8Array> {
  const design = await look.design();
  const ground = drawGround(design);
  const encode = cardEncoder(ground, design);
  const canvas = copyOf(ground);
  return (text) => {
    drawCard(canvas, ground, design, text);
    return encode(canvas);
  };
}

/** Null when the title cannot be drawn; what else cannot is left out. */
function textOf(title: string, description: string, eyebrow: string, footer: string): CardText | null {
  const words = (text: string): string => {
    const line = drawable(inlineText(text)).slice(0, 400);
    return canDraw(line) ? line : '';
  };
  const line = words(title);
  return line === ''
    ? null
    : { title: line, description: words(description), eyebrow: words(eyebrow), footer: words(footer) };
}

interface Look {
  key: string;
  design(): Promise<CardDesign>;
}

/** What the images look like: a key that changes with it, and the pictures, drawn when they are needed. */
function lookOf(siteMap: SiteMap, source: SourceTree): Look {
  const { thumbnails, appearance, colors, logo, name } = siteMap.config;
  const logos = { light: fileOf(source, logo?.light), dark: fileOf(source, logo?.dark) };
  const behind = fileOf(source, thumbnails.background);
  const files = [logos.light, logos.dark, behind].map((file) => (file === null ? '' : hashOf(file)));
  return {
    key: JSON.stringify([thumbnails, appearance.default, colors, name, ...files]),
    async design() {
      const background =
        behind === null ? null : await drawPicture(behind, { width: WIDTH, height: HEIGHT, fit: 'cover' });
      const usual = appearance.default === 'dark' ? 'dark' : 'light';
      const mode = thumbnails.appearance ?? (background === null ? usual : brightnessOf(background));
      const logoFile = logos[mode];
      return {
        appearance: mode,
        accent: rgbOf(deriveAccents(colors)[mode].primary),
        name: drawable(name),
        logo:
          logoFile === null ? null : await drawPicture(logoFile, { width: 420, height: 60, fit: 'contain' }),
        background,
      };
    },
  };
}

/** Whether text on an image should be dark or light. Transparent parts show the background, which is light. */
function brightnessOf({ pixels }: Picture): 'light' | 'dark' {
  let sum = 0;
  let count = 0;
  for (let at = 0; at + 3 < pixels.length; at += 4 * 97) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + 4);
    sum += ((0.21 * red + 0.72 * green + 0.07 * blue) * alpha) / 255 + (255 - alpha);
    count++;
  }
  return sum / Math.max(1, count) < 128 ? 'dark' : 'light';
}

function fileOf(source: SourceTree, path: string | null | undefined): Uint8Array | null {
  if (path === undefined || path === null) return null;
  const file = pathOf(path);
  return source.has(file) ? source.read(file) : null;
}

/** Files are written from the docs root, with or without a slash. */
function pathOf(written: string): string {
  return written.replace(/^(?:\.?\/)+/, '');
}

/** Of `#rrggbb`. */
function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
