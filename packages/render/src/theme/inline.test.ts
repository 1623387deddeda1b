import { describe, expect, test } from 'vitest';
import { textsOf } from '../../test/dom.ts';
import { inlineHtml, inlineText } from './inline.ts';

const link = (href: string) => (/^(?:https?:|\/)/.test(href) ? { href, external: false } : null);

describe('character references in a line of Markdown', () => {
  test.each([
    ['Version&nbsp;2 &amp; more', 'Version\u00a02 & more'],
    ['It&#x27;s &#39;new&#39;', "It's 'new'"],
    ['&copy; 2026 &mdash; &CounterClockwiseContourIntegral;', '© 2026 — ∳'],
    ['AT&T, a&b; and &nosuchname;', 'AT&T, a&b; and &nosuchname;'],
    ['&amp;nbsp;', '&nbsp;'],
    ['&#0;&#xD800;&#x110000;&#9999999;&#27;', '\ufffd\ufffd\ufffd\ufffd\ufffd'],
    ['**a&nbsp;b** and `&nbsp;`', 'a\u00a0b and &nbsp;'],
  ])('%s is shown as its characters', (written, expected) => {
    expect(inlineText(written)).toBe(expected);
  });

  test.each([
    ['&lt;script&gt;alert(1)&lt;/script&gt;', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['&#60;img src=x onerror=alert(1)&#62;', '&lt;img src=x onerror=alert(1)&gt;'],
    ['&#42;&#42;not bold&#42;&#42;', '**not bold**'],
    ['&lsqb;x&rsqb;&lpar;https://e.example&rpar;', '[x](https://e.example)'],
    ['[x](javascript&colon;alert(1)) [y](&#106;avascript:alert)', 'x) y'],
    ['[z](/a?b=1&amp;c=2&quot;onclick=1)', '<a href="/a?b=1&amp;c=2&quot;onclick=1">z</a>'],
  ])('%s never becomes markup', (written, expected) => {
    expect(inlineHtml(written, link)).toBe(expected);
  });

  test('are decoded in long text too, in time linear in its length', () => {
    expect(inlineText('&amp;'.repeat(200_000))).toBe('&'.repeat(200_000));
    expect(inlineHtml('&'.repeat(200_000), link)).toBe('&amp;'.repeat(200_000));
  });
});

test('a line break in a line of Markdown is one on the page, and a space elsewhere', () => {
  const written = 'One<br/><br/>Note&colon; **two<br>three**, `<br>`, &lt;br&gt;, <b>';
  expect(inlineHtml(written)).toBe(
    'One<br><br>Note: <strong>two<br>three</strong>, <code>&lt;br&gt;</code>, &lt;br&gt;, &lt;b&gt;',
  );
  expect(inlineText(written)).toBe('One  Note: two three, <br>, <br>, <b>');
});

test.each([
  ['Your first ```/chat/completions``` call', ['/chat/completions'], 'Your first /chat/completions call'],
  ['``a`b`` and `` `c` ``', ['a`b', '`c`'], 'a`b and `c`'],
  ['one ` tick, ``two``` three', [], 'one ` tick, ``two``` three'],
])('code in %s ends at a run of as many backticks', (written, codes, text) => {
  expect(textsOf(inlineHtml(written), { tag: 'code' })).toEqual(codes);
  expect(inlineText(written)).toBe(text);
});
