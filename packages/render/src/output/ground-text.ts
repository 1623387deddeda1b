import { parseHex, textOn } from '../theme/color.ts';

/** A selector of the banner itself, in any state of the page. */
const BANNER = /^(?:[^,]*[\s>])?#banner(?:\[[^\]]*\])?$/;
const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*(#[0-9a-f]{3,6})\s*(?:!important\s*)?(?:;|$)/i;
const COLOR = /(?:^|;)\s*color\s*:/i;
/** Longer rules are not handwritten. */
const MAX_LENGTH = 5000;

/**
 * The declarations of a rule, with a color that is readable on the ground that it gives to the banner. The theme has
 * chosen the color of that text for a ground of its own.
 */
export function withTextColor(selectors: string, body: string): string {
  if (!selectors.includes('#banner') || selectors.length > MAX_LENGTH || body.length > MAX_LENGTH)
    return body;
  if (COLOR.test(body) || !selectors.split(',').every((one) => BANNER.test(one.trim()))) return body;
  const ground = parseHex(BACKGROUND.exec(body)?.[1] ?? '');
  return ground === null ? body : `color:${textOn(ground)};${body}`;
}
