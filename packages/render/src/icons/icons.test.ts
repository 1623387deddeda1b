import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRoots } from '../../test/dom.ts';
import type { IconLibrary } from '../icon-ref.ts';
import { iconDefect, iconSvg } from './index.ts';
import { readTable } from './nearest.ts';

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
    const [icon, ...others] = readRoots(draw(name, library) ?? '');
    expect(others).toEqual([]);
    expect(icon?.children.length).toBeGreaterThan(0);
    expect(icon).toMatchObject({
      tag: 'svg',
      attributes: {
        width: '16',
        height: '16',
        viewbox: expect.stringMatching(/^[\d. ]+$/),
        fill: expect.stringMatching(/^(?:none|currentColor)$/),
        'aria-hidden': 'true',
      },
    });
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

const defect = (name: string, library: IconLibrary = 'fontawesome') =>
  iconDefect({ name, style: null, library: null }, library);

describe('icons of the paid Font Awesome set', () => {
  const text = readFileSync(new URL('./nearest.txt', import.meta.url), 'utf8');
  const table = readTable(text);

  it.each([
    ['fire-flame', 'fire', 'fontawesome'],
    ['elephant', 'paw-print', 'lucide'],
    ['wave-pulse', 'activity', 'lucide'],
    ['bullseye-arrow', 'target', 'lucide'],
    ['circle-1', 'circle-number-1', 'tabler'],
    ['rectangle-history', 'gallery-vertical-end', 'lucide'],
    ['heart-circle', 'circle-heart', 'tabler'],
    ['alien-8bit', 'ghost', 'lucide'],
  ] as const)('%s is drawn as %s of %s, with a note', (name, substitute, library) => {
    expect(draw(name)).toBe(iconSvg({ name: substitute, style: null, library }, library));
    expect(defect(name)).toMatchObject({ code: 'icon-substituted' });
    expect(defect(name)?.message).toContain(`\`${name}\`; \`${substitute}\` of`);
  });

  it('all have a substitute that a free library draws, and none that a free library has itself', () => {
    expect(table.size).toBeGreaterThan(2300);
    const lost = [...table].filter(([, { library, name }]) => draw(name, library) === null);
    expect(lost).toEqual([]);
    const own = [...table.keys()].filter((name) => defect(name) === null);
    expect(own).toEqual([]);
  });

  it('are listed once each, on one line for each substitute', () => {
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const names = lines.flatMap((line) => line.slice(line.indexOf(': ') + 2).split(' '));
    expect(names).toEqual([...new Set(names)]);
    expect(new Set(lines.map((line) => line.slice(0, line.indexOf(':')))).size).toBe(lines.length);
    expect(names.length).toBe(table.size);
  });
});

describe('the name of an icon', () => {
  it.each([
    ['GitHub', 'github'],
    ['Rocket', 'rocket'],
    ['YouTube', 'youtube'],
    ['LinkedIn', 'linkedin'],
    ['BOOK', 'book'],
    ['fa-solid fa-GitHub', 'github'],
  ])('%s may have any case and draws %s without a note', (written, name) => {
    expect(draw(written)).toBe(draw(name));
    expect(draw(written)).not.toBeNull();
    expect(defect(written)).toBeNull();
  });

  it.each([
    ['rocket-solid', 'rocket'],
    ['rocket-simple', 'rocket'],
    ['icon-rocket', 'rocket'],
    ['rockets', 'rocket'],
    ['fire-flame-alt', 'fire'],
  ])('%s without its style, or in the other number, is %s, with a note', (written, name) => {
    expect(draw(written)).toBe(draw(name));
    expect(defect(written)).toMatchObject({ code: 'icon-substituted' });
  });

  it.each([
    ['rokcet', '`rocket`'],
    ['magnifing-glass', '`magnifying-glass`'],
    ['acme-logo-of-ours', 'Use a name from an icon library.'],
    ['qz', 'Use a name from an icon library.'],
    ['<script>', 'Use a name from an icon library.'],
    ['x'.repeat(100_000), 'Use a name from an icon library.'],
  ])('%s is unknown, and the warning suggests what may be meant', (written, part) => {
    expect(draw(written)).toBeNull();
    expect(defect(written)).toMatchObject({ code: 'unknown-icon' });
    expect(defect(written)?.message).toContain(part);
  });

  it('is suggested from the library of the site before others', () => {
    expect(defect('book-opne', 'lucide')?.message).toContain('Did you mean `book-open`?');
  });
});
