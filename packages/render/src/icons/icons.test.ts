import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IconLibrary } from '../site.ts';
import { iconSvg } from './index.ts';

const draw = (
  name: string,
  library: IconLibrary = 'fontawesome',
  style: string | null = null,
): string | null => iconSvg({ name, style, library: null }, library);

describe('icons', () => {
  it.each<[IconLibrary, string]>([
    ['fontawesome', 'rocket'],
    ['fontawesome', 'github'],
    ['fontawesome', 'search'],
    ['fontawesome', 'bar-chart'],
    ['fontawesome', 'fa-solid fa-gear'],
    ['fontawesome', 'brackets-curly'],
    ['fontawesome', 'life-buoy'],
    ['lucide', 'BookOpen'],
    ['lucide', 'alert-circle'],
    ['lucide', 'github'],
    ['tabler', 'brand-github'],
    ['tabler', 'magnifying-glass'],
  ])('%s draws %s', (library, name) => {
    expect(draw(name, library)).toMatch(
      /^<svg class="icon" width="16" height="16" viewBox="[\d. ]+" fill="(?:none|currentColor)"[^>]* aria-hidden="true"><.*<\/svg>$/s,
    );
  });
  it('the regular style differs from the solid one where the free set has both', () => {
    expect(draw('bell', 'fontawesome', 'regular')).not.toBe(draw('bell'));
    expect(draw('bell', 'fontawesome', 'light')).toBe(draw('bell', 'fontawesome', 'regular'));
  });
  it("the icon's own library comes before the site's", () => {
    const own = iconSvg({ name: 'rocket', style: null, library: 'lucide' }, 'fontawesome');
    expect(own).toBe(draw('rocket', 'lucide'));
    expect(own).not.toBe(draw('rocket'));
  });
  it.each([
    '',
    '..',
    '../../package',
    'a/b',
    'a\0b',
    'x'.repeat(500),
    'no-such-icon-anywhere',
    'constructor',
    '__proto__',
  ])('%j is not an icon', (name) => {
    expect(draw(name)).toBeNull();
  });
  it('holds no ids, comments or license texts', () => {
    for (const name of ['rocket', 'anchor', 'bell'])
      for (const library of ['fontawesome', 'lucide', 'tabler'] as const) {
        expect(draw(name, library)).not.toMatch(/<!--|\sid=|license/i);
      }
  });
  it('no name leaves the libraries or breaks out of the markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const svg = iconSvg({ name, style: name, library: null }, 'lucide', {
          className: `"><script>${name}`,
        });
        return svg === null || !/<script/i.test(svg);
      }),
    );
  });
});
