/** However its tags and expressions are arranged, no page takes the native parser long. */
import { mdxToMdast } from 'satteri';
import { expect, test } from 'vitest';
import { slowness } from '../../../test/cpu-time.ts';
import { guard } from './guard.ts';

/** Milliseconds of CPU time that the native parser takes for a text behind the guard. */
function parseTime(text: string): number {
  const guarded = guard(text);
  const start = process.cpuUsage();
  try {
    mdxToMdast(guarded.text, { features: { math: true } });
  } catch {
    // The time of an invalid page matters as much.
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

test.each<[string, string]>([
  ['a tag as a block', '<b>x</b>\n\n'],
  ['behind an expression', '{1}<b>x</b>\n\n'],
  ['in front of an expression', 'x {1}\n\n{1} {2}\n\n'],
  ['behind a blank', '&#32;<b/>\n\n'],
  ['between headings', '# a\n<b>x</b>\n\n'],
  ['a fragment', '<>x</>\n\n'],
  ['not closed', 'x <b>\n\n'],
  ['not closed, alone', '<b>\n\n'],
  ['closed by another name', 'x <a></b>\n\n'],
  ['closed by an escape', 'x <b>\\</b>\n\n'],
  ['closed in code', 'x <b>`</b>`\n\n'],
  ['closed in a formula', 'x <b> $</b>$\n\n'],
  ['closed in an expression', 'x <b> {"</b>"}\n\n'],
  ['closed in a link', 'x <b> [a](</b>)\n\n'],
  ['closed in an attribute', 'x <b c="</b>">\n\n'],
  ['closed in an attribute of a run', '<i a="\n<b>\n</b>\n"/>\n<b>\n\n'],
  ['closed in code of a run', '<b>\n\n```\n</b>\n```\n\n'],
  ['closed in a comment', '<b>\n\n{/*\n</b>\n*/}\n\n'],
  ['closed in another list', '- <b>\n\n</b>\n\n'],
  ['closed in another item', '- x\n\n  <b>\n\nx\n\n  </b>\n\n'],
  ['closed in text', 'x <b> />\n\n'],
])(
  'tags that cost time with their square are limited: %s',
  (_, text) => {
    const page = text.repeat(12_000);
    expect(
      guard(page)
        .faults.map(({ message }) => message)
        .join(),
    ).toContain('Split the page');
    expect(parseTime(page) / slowness()).toBeLessThan(1_500);
  },
  30_000,
);

test.each<[string, string]>([
  ['paragraphs around tags', `${'a\n\n'.repeat(300_000)}${'<b>x</b>\n\n'.repeat(1_000)}`],
  ['lines around tags that are not closed', `${'a\n'.repeat(600_000)}\n${'x <b>\n\n'.repeat(1_000)}`],
  ['tags of one parent', `<div>\n${'<b>x</b>\n\n'.repeat(12_000)}</div>`],
  ['tags in modules', 'export const a = b\n<tr>\nc\n\n<b>x</b>\n\n</tr>\n\n'.repeat(8_000)],
])(
  'the time of tags is limited by the size of the page: %s',
  (_, text) => {
    expect(parseTime(text) / slowness()).toBeLessThan(2_500);
  },
  30_000,
);
