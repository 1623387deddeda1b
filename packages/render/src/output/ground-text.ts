import { parseHex, textOn } from '../theme/color.ts';

/** A selector of the banner itself, in any state of the page. */
const BANNER = /^(?:[^,]*[\s>])?#banner(?:\[[^\]]*\])?$/;
const BACKGROUND =
  /(?:^|;)\s*background(?:-color)?\s*:\s*(#[0-9a-f]{3,6}|[a-z]+|(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^(){};/]*\))\s*(?:!\s*important\s*)?(?:;|$)/i;
const COLOR = /(?:^|;)\s*color\s*:/i;
/** Longer rules are not handwritten. */
const MAX_LENGTH = 5000;
/** Luminance up to which white has 4.5:1, as `textOn` decides. */
const MAX_DARK = 0.1833;

/**
 * The declarations of a rule, with a color that is readable on the ground that it gives to the banner. The theme has
 * chosen the color of that text for a ground of its own.
 */
export function withTextColor(selectors: string, body: string): string {
  if (!selectors.includes('#banner') || selectors.length > MAX_LENGTH || body.length > MAX_LENGTH)
    return body;
  if (COLOR.test(body) || !selectors.split(',').every((one) => BANNER.test(one.trim()))) return body;
  const color = textColor(BACKGROUND.exec(body)?.[1] ?? '');
  return color === null ? body : `color:${color};${body}`;
}

/**
 * White or black for a ground. Browsers compute it for other than hexadecimal colors, and ignore the declaration if
 * the word is not a color.
 */
function textColor(ground: string): string | null {
  if (ground.startsWith('#')) {
    const rgb = parseHex(ground);
    return rgb === null ? null : textOn(rgb);
  }
  // Through a ground that is not opaque, readers see another one.
  if (ground === '' || /^(?:transparent|currentcolor)$/i.test(ground) || ground.split(',').length > 3)
    return null;
  const white = `clamp(0,(${MAX_DARK} - y)*100000,1)`;
  return `color(from ${ground} xyz calc(.9505*${white}) ${white} calc(1.0888*${white}))`;
}
