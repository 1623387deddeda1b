import {
  blend,
  type Canvas,
  createCanvas,
  encodePalettePng,
  findPalette,
  overlay,
  paint,
  posterise,
  type Rgb,
  ramp,
} from './canvas.ts';
import { breakLines, eachGlyph, type TextStyle, widthOf } from './text.ts';

/** Size that sites which show links ask for (Open Graph images). */
export const WIDTH = 1200;
export const HEIGHT = 630;
const MARGIN = 80;

/** A picture with transparency, four bytes a pixel. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** Settings that all cards of a site share. */
export interface CardDesign {
  appearance: 'light' | 'dark';
  accent: Rgb;
  /** Name of the site, where there is no logo. */
  name: string;
  logo: Picture | null;
  /** Fills the card; null = the background of the appearance with a glow in the accent. */
  background: Picture | null;
}

/** The words of one card. */
export interface CardText {
  eyebrow: string;
  title: string;
  description: string;
  /** Below everything, such as the host of the site. */
  footer: string;
}

const INK = {
  light: { ground: [255, 255, 255], title: [15, 17, 20], text: [84, 88, 96] },
  dark: { ground: [12, 13, 15], title: [247, 248, 249], text: [161, 166, 174] },
} as const satisfies Record<string, Record<string, Rgb>>;

const NAME: TextStyle = { weight: 600, size: 34, tracking: -0.015 };
const EYEBROW: TextStyle = { weight: 600, size: 26, tracking: -0.005 };
const DESCRIPTION: TextStyle = { weight: 400, size: 31, tracking: -0.008 };
const FOOTER: TextStyle = { weight: 400, size: 24, tracking: 0 };
const TITLE_SIZES = [76, 64, 54];

/** Makes files of the cards that are drawn over a background. */
export function cardEncoder(ground: Canvas, design: CardDesign): (canvas: Canvas) => Uint8Array {
  const ink = INK[design.appearance];
  const inks = [ink.title, ink.text, design.accent].flatMap((color) => ramp(ink.ground, color));
  const base = findPalette(ground, [ink.ground, ...inks]);
  return (canvas) => encodePalettePng(canvas, base);
}

/** The part of a card that is the same for every page. */
export function drawGround(design: CardDesign): Canvas {
  const ink = INK[design.appearance];
  const canvas = createCanvas(WIDTH, HEIGHT, ink.ground);
  if (design.background === null)
    glow(canvas, ink.ground, design.accent, design.appearance === 'dark' ? 0.34 : 0.2);
  else {
    overlay(canvas, design.background, 0, 0);
    // Text stays readable on any image.
    for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < WIDTH; x++) blend(canvas, x, y, ink.ground, VEIL);
    posterise(canvas);
  }
  for (let y = HEIGHT - 8; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) blend(canvas, x, y, design.accent, 1);
  if (design.logo === null) {
    const [name = ''] = breakLines(design.name, NAME, WIDTH - 2 * MARGIN, 1).lines;
    write(canvas, name, NAME, MARGIN, MARGIN + 30, ink.title);
  } else overlay(canvas, design.logo, MARGIN, MARGIN - 8);
  return canvas;
}

/** Opacity of the background color over an image. */
const VEIL = 0.3;

/** As many as the eye can distinguish; each is a color of the palette. */
const GLOW_STEPS = 56;
/** Where it comes from and how far it reaches, in pixels. */
const GLOW = { x: WIDTH - 60, y: -80, radius: 760 };

/** Soft light from the upper right corner, over a background of one color. */
function glow(canvas: Canvas, ground: Rgb, color: Rgb, strength: number): void {
  const shades = Array.from({ length: GLOW_STEPS + 1 }, (_, step) =>
    ground.map((under, channel) =>
      Math.round(under + (((color[channel] ?? 0) - under) * strength * step) / GLOW_STEPS),
    ),
  );
  const { pixels } = canvas;
  for (let y = 0; y < Math.min(canvas.height, GLOW.y + GLOW.radius); y++) {
    const down = (y - GLOW.y) ** 2;
    for (let x = Math.max(0, GLOW.x - GLOW.radius); x < canvas.width; x++) {
      const near = 1 - ((x - GLOW.x) ** 2 + down) / GLOW.radius ** 2;
      const shade = near > 0 ? shades[Math.round(near * near * GLOW_STEPS)] : undefined;
      if (shade === undefined) continue;
      const at = 3 * (y * canvas.width + x);
      pixels[at] = shade[0] as number;
      pixels[at + 1] = shade[1] as number;
      pixels[at + 2] = shade[2] as number;
    }
  }
}

/**
 * The card of a page, drawn onto `canvas` whatever was there: words from the bottom upwards, so that short ones stand
 * together.
 */
export function drawCard(canvas: Canvas, ground: Canvas, design: CardDesign, text: CardText): void {
  canvas.pixels.set(ground.pixels);
  const ink = INK[design.appearance];
  const width = WIDTH - 2 * MARGIN;
  const title = fitTitle(text.title, width);
  const about = text.description === '' ? [] : breakLines(text.description, DESCRIPTION, width - 60, 2).lines;
  let baseline = HEIGHT - 68;
  write(canvas, text.footer, FOOTER, MARGIN, baseline, ink.text);
  baseline -= 66;
  for (const line of about.toReversed()) {
    write(canvas, line, DESCRIPTION, MARGIN, baseline, ink.text);
    baseline -= 44;
  }
  baseline -= about.length === 0 ? 0 : 20;
  for (const line of title.lines.toReversed()) {
    write(canvas, line, title.style, MARGIN, baseline, ink.title);
    baseline -= Math.round(title.style.size * 1.14);
  }
  if (text.eyebrow !== '' && widthOf(text.eyebrow, EYEBROW) <= width) {
    write(canvas, text.eyebrow, EYEBROW, MARGIN, baseline - 2, design.accent);
  }
}

function fitTitle(title: string, width: number): { lines: string[]; style: TextStyle } {
  let found = { lines: [title], style: { weight: 700, size: 54, tracking: -0.025 } satisfies TextStyle };
  for (const size of TITLE_SIZES) {
    const style = { weight: 700, size, tracking: -0.025 } satisfies TextStyle;
    const { lines, isWhole } = breakLines(title, style, width, size === 76 ? 2 : 3);
    found = { lines, style };
    if (isWhole) break;
  }
  return found;
}

function write(
  canvas: Canvas,
  text: string,
  style: TextStyle,
  x: number,
  baseline: number,
  color: Rgb,
): void {
  eachGlyph(text, style, x, baseline, (mask, left, top) => paint(canvas, mask, left, top, color));
}
