import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  contrast,
  deriveAccents,
  formatHex,
  fromOklch,
  parseHex,
  type Rgb,
  readableShade,
  textOn,
  toOklch,
} from './color.ts';

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const WHITE: Rgb = [1, 1, 1];
const DARK = fromOklch([0.16, 0.005, 270]);

describe('colours', () => {
  test('survive the way to OKLCH and back', () => {
    fc.assert(
      fc.property(hex, (color) => {
        expect(formatHex(fromOklch(toOklch(parseHex(color)!)))).toBe(color);
      }),
    );
  });

  test('have the OKLCH values and contrasts of the standards', () => {
    const [l, c, h] = toOklch(parseHex('#ff0000')!);
    expect([l, c, h].map((value) => Number(value.toFixed(2)))).toEqual([0.63, 0.26, 29.23]);
    expect(contrast([0, 0, 0], WHITE)).toBeCloseTo(21);
    expect(contrast(parseHex('#777')!, WHITE)).toBeCloseTo(4.48, 2);
  });

  test('that are not hexadecimal colors are rejected', () => {
    for (const text of ['', 'red', '#12', '#12345', '#1234567', 'url(x)', '#ggg'])
      expect(parseHex(text)).toBeNull();
  });
});

describe('a readable shade', () => {
  test('has 4.5:1 on its background and on its own tint, for any color in both themes', () => {
    fc.assert(
      fc.property(hex, fc.constantFrom(WHITE, DARK), (color, background) => {
        const shade = parseHex(formatHex(readableShade(parseHex(color)!, background)))!;
        const tint = background.map((channel, at) => channel * 0.91 + shade[at]! * 0.09) as unknown as Rgb;
        expect(contrast(shade, background)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(shade, tint)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  test('keeps a color that has enough contrast already', () => {
    expect(deriveAccents({ primary: '#166e3f', light: '#26bd6c' }).faults).toEqual([]);
    expect(deriveAccents({ primary: '#166e3f', light: '#26bd6c' }).light.primary).toBe('#166e3f');
  });

  test('is suggested for a color that does not have enough contrast', () => {
    const { faults, light } = deriveAccents({ primary: '#eab308', light: '#eab308' });
    expect(faults).toMatchObject([{ key: 'primary', color: '#eab308', suggestion: light.primary }]);
    expect(deriveAccents({ primary: light.primary, light: '#eab308' }).faults).toEqual([]);
  });

  test('carries black or white text at 4.5:1', () => {
    fc.assert(
      fc.property(hex, (color) => {
        const rgb = parseHex(color)!;
        expect(contrast(rgb, parseHex(textOn(rgb))!)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });
});
