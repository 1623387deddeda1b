import { describe, expect, test } from 'vitest';
import { findOne, textsOf } from '../../../test/dom.ts';
import { renderBody } from '../../../test/mdx-page.ts';
import { markKeys, quotesOf, smartPunctuation } from './punctuation.ts';

const smart = (text: string, language = 'en', before = ''): string =>
  smartPunctuation(text, before, quotesOf(language));

describe('typed punctuation becomes what a typesetter writes', () => {
  test.each([
    ['It\'s "quoted" text', 'It’s “quoted” text'],
    ['("a", "b")', '(“a”, “b”)'],
    ["a 'single' word", 'a ‘single’ word'],
    ["the '90s and rock 'n' roll", 'the ’90s and rock ‘n’ roll'],
    ["users' files", 'users’ files'],
    ['wait... what', 'wait… what'],
    ['one -- two --- three', 'one — two — three'],
    ['pages 10--20', 'pages 10–20'],
    ['say "it\'s fine."', 'say “it’s fine.”'],
    ['no "/" in "a"/"b"', 'no “/” in “a”/“b”'],
  ])('%s', (text, expected) => {
    expect(smart(text)).toBe(expected);
  });

  test.each([
    'run it with --verbose or (--all)',
    'a --> b <-- c <!-- d',
    'the ...args and [...slug]',
    '5\'10" tall',
    'dots.... more',
    'v1.0.0...v2.0.0',
    'pass data=\'[1]\' or type="x" to it',
    'run server.py -- --config x',
    '------',
    '{"key": "2.0"}',
    '["a", "b"]',
    'key: "2.0"\nother: "x",',
    'print("hello") and rows["id"]',
    'name = "x"',
    'curl -H "Accept: text/plain"',
    'git commit --message "first"',
    'see example.com/a--b and docs/a--b.md',
    'mail a--b@example.com',
  ])('%s stays', (text) => {
    expect(smart(text)).toBe(text);
  });

  test('quotes are those of the language', () => {
    expect(smart('Er sagt "ja".', 'de')).toBe('Er sagt „ja“.');
    expect(smart('Il dit "oui".', 'fr-CA')).toBe('Il dit «\u00a0oui\u00a0».');
    expect(smart('"はい"', 'ja')).toBe('"はい"');
  });

  test('a quotation mark at the edge of a node depends on the text before it in the line', () => {
    expect(renderBody('"**bold**" and *it*\'s').html).toBe(
      '<p>“<strong>bold</strong>” and <em>it</em>’s</p>',
    );
    expect(renderBody('- "a"\n- "b"').html).toBe('<ul><li>“a”</li><li>“b”</li></ul>');
  });
});

describe('only prose is touched', () => {
  test('code, formulas, addresses, attributes and the Markdown twin stay as typed', () => {
    const page = renderBody(
      '`"a" -- b` <code>"c"</code> <kbd>it\'s</kbd> [x](https://e.example/a--b\'c "t\'s") $f\'(x)$\n\n```\n"d"...\n```\n',
    );
    expect(textsOf(page.html, { role: 'code' })).toEqual(['"a" -- b', '"c"', '"d"...']);
    expect(textsOf(page.html, { tag: 'kbd' })).toEqual(["it's"]);
    expect(findOne(page.html, { role: 'link', name: 'x' }).attributes).toMatchObject({
      href: "https://e.example/a--b'c",
      title: "t's",
    });
    expect(page.html).toContain('"d"...');
    expect(renderBody('It\'s "x" -- y...').markdown).toBe('It\'s "x" -- y...\n');
  });

  test.each([
    ['<pre><p>"a" -- b</p></pre>'],
    ['<pre>\n  <p>"a" -- b</p>\n</pre>'],
    ['<pre><div><span>"a" -- b</span></div></pre>'],
    ['<div>\n<code>\n"a" -- b\n</code>\n</div>'],
    ['<code><strong>"a"</strong> -- <a href="https://e.example">"b"</a></code>'],
    ['<samp>"a" -- b</samp> <tt>"a"</tt> <var>"a"</var> <kbd>"a"</kbd>'],
    ['<div className="font-mono text-sm">"a" -- b</div>'],
    ['<div class="highlight"><p>"a" -- b</p></div>'],
    ['<span className="language-json">"a" -- b</span>'],
    ['<p style={{ fontFamily: "Menlo, monospace" }}>"a" -- b</p>'],
    ['<div style="white-space: pre">"a" -- b</div>'],
    ['<font face="Courier New">"a" -- b</font>'],
    ['<Card title="t" className="font-mono">"a" -- b</Card>'],
    ['<a href="https://e.example" className="font-mono">"a" -- b</a>'],
    ['export const Key = ({ children }) => <pre className="x">{children}</pre>\n\n<Key>"a" -- b</Key>'],
    ['export const Key = () => <div><code>{\'"a" -- b\'}</code></div>\n\n<Key />'],
    ['<div className="terminal-body"><p>"a" -- b</p></div>'],
    ['<div className="code-line"><span>"a" -- b</span></div>'],
    ['<div className="Editor_codeLine__x1">"a" -- b</div>'],
    ['<div className="md:font-mono">"a" -- b</div>'],
    [`<div className="font-['JetBrains_Mono']">"a" -- b</div>`],
    ['<table><tr><td><code>"a" -- b</code></td></tr></table>'],
  ])('code stays as typed, however it is marked up: %s', (body) => {
    const { html } = renderBody(`${body}\n`);
    expect(html).toMatch(/"a"/);
    expect(html).not.toMatch(/[“”‘’—]/);
  });

  test('prose around and beside code is typeset', () => {
    const { html } = renderBody(
      '<div className="font-monologue"><p>"a"</p></div>\n\n<div className="font-mono">"b"</div>\n\n"c" `"d"`\n',
    );
    expect(html).toContain('“a”');
    expect(html).toContain('"b"');
    expect(html).toContain('“c” <code>"d"</code>');
  });

  test('punctuation of long text is set in time linear in its length', () => {
    for (const part of [' ', '"', '-- ', 'a: "', '--a', 'a/', '\n', '=', '["'])
      expect(smart(`"${part.repeat(200_000)}`).length).toBeGreaterThan(1000);
  });

  test('an address that is shown stays as it is', () => {
    const { html } = renderBody("See https://e.example/a...b--c and [it's](https://e.example).");
    expect(html).toContain('>https://e.example/a...b--c</a>');
    expect(html).toContain('>it’s</a>');
  });

  test('anchors come from the typed text', () => {
    const { html } = renderBody('## What\'s "new" -- here...\n');
    expect(html).toContain('id="what’s-new-here"');
    expect(html).toContain('What’s “new” — here…');
  });
});

describe('keys', () => {
  test.each([
    ['Press ⌘K now', 'Press <kbd>⌘K</kbd> now'],
    ['⇧⌘P, ⌘ + S or ⌘/', '<kbd>⇧⌘P</kbd>, <kbd>⌘ + S</kbd> or <kbd>⌘/</kbd>'],
    ['the ⌘ key', 'the <kbd>⌘</kbd> key'],
    ['⌘↵ sends', '<kbd>⌘↵</kbd> sends'],
    ['an arrow → here', 'an arrow → here'],
  ])('%s', (text, expected) => {
    expect(markKeys(text)).toBe(expected);
  });
});
