import { describe, expect, test } from 'vitest';
import { shortenJson, shortenText, shortenXml } from './shorten.ts';

const parsed = (value: unknown, room: number): unknown => {
  const text = shortenJson(value, room);
  expect(text.length).toBeLessThanOrEqual(room);
  return JSON.parse(text);
};

describe('an example of JSON that is too long', () => {
  test('is as it is written if it fits', () => {
    const value = { a: [1, { b: [] }, {}], c: 'text', d: JSON.rawJSON('9223372036854775807') };
    const whole = JSON.stringify(value, null, 2);
    expect(shortenJson(value, whole.length)).toBe(whole);
    expect(shortenJson(value, whole.length - 1)).not.toBe(whole);
  });

  test('has the first items of a list and their number', () => {
    const items = Array.from({ length: 100 }, (_, id) => ({ id, name: `Name ${id}` }));
    const shown = parsed({ data: items, has_more: true }, 500);
    expect(shown).toMatchObject({ has_more: true });
    const list = JSON.parse(JSON.stringify(shown)).data;
    expect(list.slice(0, 3)).toEqual(items.slice(0, 3));
    expect(list.at(-1)).toBe(`… +${100 - (list.length - 1)}`);
  });

  test('has the short members of an object whole and its long ones in part', () => {
    const value = { id: 'one', text: 'x'.repeat(5_000), list: Array(500).fill('item'), last: { a: 1 } };
    const shown = parsed(value, 600);
    expect(shown).toMatchObject({ id: 'one', last: { a: 1 } });
    expect(shown).toMatchObject({ text: expect.stringMatching(/^x{50,}…$/) });
  });

  test('has the first members of an object with many', () => {
    const value = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`member${at}`, at]));
    const shown = JSON.parse(JSON.stringify(parsed(value, 400)));
    expect(shown.member0).toBe(0);
    expect(shown['…']).toBe(`+${400 - (Object.keys(shown).length - 1)}`);
  });

  test('has the first item of a list in part if the item alone is too long', () => {
    expect(parsed([{ text: 'x'.repeat(900), id: 1 }, { id: 2 }], 300)).toEqual([
      { text: expect.stringMatching(/^x+…$/), id: 1 },
      '… +1',
    ]);
  });

  test('stays valid at any depth, with any texts and in any room', () => {
    let deep: unknown = 'end';
    for (let depth = 0; depth < 300; depth++) deep = depth % 2 === 0 ? { 'k"\n': deep } : [deep, 1];
    const texts = { ['"'.repeat(300)]: '\n😀'.repeat(500), b: '\ud800'.repeat(300), ['__proto__']: 1 };
    for (const value of [deep, texts, [texts, texts], [[[]]], 'x'.repeat(100), Array(300).fill([])])
      for (const room of [2, 17, 60, 333, 1_000]) {
        const text = shortenJson(value, room);
        expect(() => JSON.parse(text)).not.toThrow();
        expect(text.length).toBeLessThanOrEqual(Math.max(room, 60));
      }
  });

  test('ends, although the whole value would have more members than anybody could write', () => {
    let doubled: unknown = { a: 'b'.repeat(100) };
    for (let depth = 0; depth < 100; depth++) doubled = [doubled, doubled];
    parsed(doubled, 8_000);
  });
});

describe('an example of XML that is too long', () => {
  const item = (id: number): string => `  <item id="${id}"><!-- > --><name>A &gt; B</name><br/></item>\n`;
  const xml = `<?xml version="1.0"?>\n<list>\n${Array.from({ length: 100 }, (_, id) => item(id)).join('')}</list>`;

  test('is as it is written if it fits', () => {
    expect(shortenXml(xml, xml.length)).toBe(xml);
  });

  test('ends between two elements with a mark and closes those that are open', () => {
    const shown = shortenXml(xml, 400);
    expect(shown.length).toBeLessThanOrEqual(400);
    expect(shown.startsWith('<?xml version="1.0"?>\n<list>\n  <item id="0">')).toBe(true);
    expect(shown).toMatch(/<!-- … -->\n?(?:\s*<\/\w+>)*\s*<\/list>$/);
    expect(shown.split('<item').length).toBe(shown.split('</item>').length);
  });

  test('shortens a long text', () => {
    const shown = shortenXml(`<a><b>${'text '.repeat(500)}</b></a>`, 100);
    expect(shown.replaceAll('text ', '').replace(/te?x?t?(?=<!)/, '')).toBe('<a><b><!-- … --></b></a>');
  });

  test('is cut at the end of a line if it is not well-formed', () => {
    expect(shortenXml(`<a>\n</b>\n${'<c>\n'.repeat(100)}`, 100)).toMatch(/\n…$/);
    expect(shortenXml(`text < text\n${'more\n'.repeat(100)}`, 100)).toMatch(/\n…$/);
  });
});

test('a long text is cut at the end of a line', () => {
  expect(shortenText('one\ntwo\nthree', 9)).toBe('one\ntwo\n…');
  expect(shortenText('one', 3)).toBe('one');
});
