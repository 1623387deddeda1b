/**
 * Color arithmetic of the theme: sRGB to OKLCH and back (Björn Ottosson's matrices, CSS Color 4 section 10),
 * WCAG 2.2 contrast, and the shades that a site's accent needs to stay readable.
 */

/** Red, green, blue in 0..1, gamma-encoded. */
export type Rgb = readonly [number, number, number];
/** Lightness 0..1, chroma 0..0.4, hue in degrees. */
export type Oklch = readonly [number, number, number];

/** Least contrast of text on its background: WCAG 2.2 AA, 1.4.3. */
const READABLE = 4.5;
/** Share of the accent in the soft tint that carries accent text. */
const TINT = 0.1;

/** `--color-bg` of tokens.css. */
export const GROUNDS: Readonly<{ light: Rgb; dark: Rgb }> = {
  light: [1, 1, 1],
  dark: fromOklch([0.16, 0.005, 270]),
};

/** `#rgb` or `#rrggbb` as RGB; null for anything else. */
export function parseHex(hex: string): Rgb | null {
  const match = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(hex.trim());
  if (match === null) return null;
  const digits = match[1]!;
  const wide = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const channel = (at: number) => Number.parseInt(wide.slice(at, at + 2), 16) / 255;
  return [channel(0), channel(2), channel(4)];
}

/** `#rrggbb`, lower case. */
export function formatHex(rgb: Rgb): string {
  return `#${rgb
    .map((channel) =>
      Math.round(clamp(channel) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

export function toOklch(rgb: Rgb): Oklch {
  const [r, g, b] = rgb.map(decode) as unknown as Rgb;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const hue = (Math.atan2(bb, a) * 180) / Math.PI;
  return [lightness, Math.hypot(a, bb), hue < 0 ? hue + 360 : hue];
}

/** The closest sRGB color of that lightness and hue: chroma is reduced until the color is in gamut. */
export function fromOklch([lightness, chroma, hue]: Oklch): Rgb {
  let low = 0;
  let high = chroma;
  let rgb = linearFromOklch(lightness, chroma, hue);
  if (!inGamut(rgb)) {
    for (let step = 0; step < 24; step++) {
      const middle = (low + high) / 2;
      rgb = linearFromOklch(lightness, middle, hue);
      if (inGamut(rgb)) low = middle;
      else high = middle;
    }
    rgb = linearFromOklch(lightness, low, hue);
  }
  return rgb.map((channel) => encode(clamp(channel))) as unknown as Rgb;
}

/** Contrast ratio of WCAG 2.2, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/**
 * The closest shade of the same hue that is readable as text on the background and on a soft tint of itself over
 * it. The color itself when it already does.
 */
export function readableShade(color: Rgb, background: Rgb): Rgb {
  if (isReadable(color, background)) return color;
  const [lightness, chroma, hue] = toOklch(color);
  const towards = luminance(background) > 0.18 ? 0 : 1;
  let near = lightness;
  let far: number = towards;
  for (let step = 0; step < 20; step++) {
    const middle = (near + far) / 2;
    if (isReadable(rounded([middle, chroma, hue]), background)) far = middle;
    else near = middle;
  }
  return rounded([far, chroma, hue]);
}

/** Black or white, whichever reads better on the color; one of them always has 4.5:1. */
export function textOn(color: Rgb): '#ffffff' | '#000000' {
  return contrast(color, [1, 1, 1]) >= READABLE ? '#ffffff' : '#000000';
}

/** The accent of one theme, as `#rrggbb`. */
export interface Accent {
  primary: string;
  /** Lighter or darker twin for hover. */
  hover: string;
  onPrimary: string;
}

export interface LowContrast {
  /** Key below `colors`. */
  key: 'primary' | 'light';
  color: string;
  /** The lower contrast of those on the background and on the tinted background. */
  contrast: number;
  /** Whether that lower contrast is the one on the tint of the color, as behind active entries. */
  isTinted: boolean;
  suggestion: string;
}

/** Accents for both themes from the site's colors, and the colors that could not be used as text. */
export function deriveAccents(
  colors: { primary: string; light: string },
  grounds: Readonly<{ light: Rgb; dark: Rgb }> = GROUNDS,
): {
  light: Accent;
  dark: Accent;
  faults: LowContrast[];
} {
  const faults: LowContrast[] = [];
  const derive = (key: 'primary' | 'light', background: Rgb): Accent => {
    const given = parseHex(colors[key]) ?? ([0.086, 0.431, 0.247] as const);
    const shade = readableShade(given, background);
    const primary = formatHex(shade);
    if (shade !== given) {
      const plain = contrast(given, background);
      const tinted = contrast(given, tintOf(given, background));
      faults.push({
        key,
        color: colors[key],
        contrast: Math.floor(Math.min(plain, tinted) * 100) / 100,
        isTinted: plain >= READABLE,
        suggestion: primary,
      });
    }
    const [lightness, chroma, hue] = toOklch(shade);
    const away = luminance(background) > 0.18 ? -0.06 : 0.06;
    return {
      primary,
      hover: formatHex(fromOklch([clamp(lightness + away), chroma, hue])),
      onPrimary: textOn(shade),
    };
  };
  return { light: derive('primary', grounds.light), dark: derive('light', grounds.dark), faults };
}

function isReadable(color: Rgb, background: Rgb): boolean {
  return contrast(color, background) >= READABLE && contrast(color, tintOf(color, background)) >= READABLE;
}

function tintOf(color: Rgb, background: Rgb): Rgb {
  return background.map((channel, at) => channel * (1 - TINT) + color[at]! * TINT) as unknown as Rgb;
}

/** Through the 8-bit form, so that what is checked is what is written. */
function rounded(color: Oklch): Rgb {
  return fromOklch(color).map((channel) => Math.round(channel * 255) / 255) as unknown as Rgb;
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map(decode) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function linearFromOklch(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function inGamut(rgb: Rgb): boolean {
  return rgb.every((channel) => channel >= -0.0001 && channel <= 1.0001);
}

function decode(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

function encode(channel: number): number {
  return channel <= 0.0031308 ? channel * 12.92 : 1.055 * channel ** (1 / 2.4) - 0.055;
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
