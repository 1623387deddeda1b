import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harmlessCommitText, harmlessMarkdown, harmlessTitle } from './harmless.ts';

const markdown = (text: string) => harmlessMarkdown(text, { maxLength: 10_000 });
const title = (text: string) => harmlessTitle(text, { maxLength: 100 });
const commit = (text: string) => harmlessCommitText(text, { maxLength: 10_000 });

test('what people write in a summary stays as it is', () => {
  const text = `## What changed

- Renamed **Workspaces** to *Projects* in \`docs.json\` and 12 pages
- [x] Checked links & anchors
  - nested, AT&T, 50%, a < b is escaped

| Page | Change |
| --- | --- |
| guides/a.mdx | new \`@scope/name\` sample |

\`\`\`json
{ "path": "<b>", "mail": "a@b.example" }
\`\`\``;
  expect(markdown(text)).toBe(text.replace('a < b', 'a &lt; b'));
});

describe('in Markdown nothing is fetched, linked or run', () => {
  test.each([
    ['![logo](https://evil.example/p.png?d=1)', '(picture: logo)'],
    ['![logo][1]', '(picture: logo)'],
    ['[click](https://evil.example/x "t")', 'click (`https://evil.example/x`)'],
    ['[click](javascript:alert)', 'click (`javascript:alert`)'],
    ['[page](guides/a.mdx)', 'page (`guides/a.mdx`)'],
    ['<https://evil.example>', '`https://evil.example`'],
    ['see www.evil.example now', 'see `www.evil.example` now'],
    ['[r][x]\n\n[x]: https://evil.example', '\\[r\\]\\[x\\]\n\n\\[x\\]: `https://evil.example`'],
    ['a <script>alert(1)</script> b', 'a  alert(1)  b'],
    ['<img src=x\nonerror=y>', '&lt;img src=x\nonerror=y>'],
    ['a <!-- ignore previous --> b', 'a   b'],
    ['a <!-- open', 'a'],
    ['\\[x](https://evil.example)', '\\\\x (`https://evil.example`)'],
    ['$`x`$', '\\$`x`\\$'],
    ['zero\u200bwidth \u202eevil', 'zerowidth evil'],
  ])('%j', (text, result) => {
    expect(markdown(text)).toBe(result);
  });
});

describe('nobody is mentioned, no issue referred to, no command given', () => {
  test.each([
    ['cc @alice and @org/team', 'cc @ alice and @ org/team'],
    ['a@b.example', 'a@ b.example'],
    ['@<b>alice', '@ alice'],
    ['&#64;alice &commat;bob', '&amp;# 64;alice &amp;commat;bob'],
    ['fixes #12, GH-12, octo/repo#3, group/x!4, &5', 'fixes # 12, GH- 12, octo/repo# 3, group/x! 4, & 5'],
    ['#12 first', '\\# 12 first'],
    ['closes https://github.com/o/r/issues/1', 'closes `https://github.com/o/r/issues/1`'],
    ['`fixes #1`', '`fixes - #1`'],
    ['/merge\n- /assign', '/ merge\n- / assign'],
    ['```\n/close\nFixes #1\n```', '```\n /close\nFixes - #1\n```'],
    ['Co-authored-by: Evil <e@evil.example>', 'Co-authored-by - Evil'],
    ['Release-As: 9.0.0\nBREAKING CHANGE: x', 'Release-As - 9.0.0\nBREAKING CHANGE - x'],
    ['[skip ci] ***NO_CI***', '\\[skip_ci\\] **NO_CI**'],
    ['```mermaid\nclick A "x"\n```', '```\nclick A "x"\n```'],
  ])('%j', (text, result) => {
    expect(markdown(text)).toBe(result);
  });
});

test('a block of code is always closed and never left early', () => {
  expect(markdown('```js\nlet a;')).toBe('```js\nlet a;\n```');
  expect(markdown('~~~\n```\n@alice\n~~~')).toBe('````\n```\n@alice\n````');
});

test('titles are one plain line', () => {
  expect(title('Fix the  guide\nfor `x`')).toBe('Fix the guide for x');
  expect(title('Draft: WIP: fixup! Fix it')).toBe('Fix it');
  expect(title('[skip ci] fixes #1, @bob, https://github.com/o/r/issues/2')).toBe(
    '(skip_ci) fixes # 1, @ bob, github.com/o/r/issues/2',
  );
  expect(title('')).toBe('Update the docs');
  expect(title('<!-- -->')).toBe('Update the docs');
  expect(title('word '.repeat(100)).length).toBeLessThanOrEqual(100);
});

test('the body of a commit holds no field, no comment of Git, no address', () => {
  const text = commit(
    'Why\n\n# comment\n---\ndiff --git a b\nCo-authored-by: A <a@b>\nfixes #1 https://x.example/1 ![p](https://y.example)',
  );
  expect(text).toBe('Why\n\ncomment\n\n  a b\nCo-authored-by - A\nfixes # 1 x.example/1 (picture: p)');
});

test('own secrets and those known by form are gone, from titles too', () => {
  const secrets = ['forge-credential-93fb2c61d0a8'];
  const options = { maxLength: 500, secrets };
  for (const text of [
    `key ${secrets[0]} end`,
    `key ${Buffer.from(secrets[0] ?? '').toString('base64')} end`,
  ]) {
    expect(harmlessMarkdown(text, options)).toMatch(/^key \\\[removed\\\] end$/);
    expect(harmlessTitle(text, options)).toMatch(/^key \(removed\) end$/);
    expect(harmlessCommitText(text, options)).toMatch(/^key \(removed\) end$/);
  }
});

describe('for any text', () => {
  const piece = fc.constantFrom(
    ...[
      '@',
      'a',
      '#',
      '1',
      '<',
      '>',
      '[',
      ']',
      '(',
      ')',
      '`',
      '```',
      '~~~',
      '!',
      '\\',
      '\n',
      ' ',
      '-',
      '&',
      ';',
      ':',
    ],
    ...[
      'https://e.example',
      'www.e.example',
      '<!--',
      '-->',
      '<b>',
      '/merge',
      'fixes ',
      '#64',
      'x"',
      '\u200b',
      '{',
      '$',
    ],
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

  test('outside of code there is no live address, tag, mention or reference', () => {
    fc.assert(
      fc.property(text, (source) => {
        const result = markdown(source);
        const prose = result
          .replace(/^(`{3,})[a-z]*\n[\s\S]*?\n\1$/gm, '')
          .replace(/\\[\s\S]|`[^`\n]*`/g, ' ');
        expect(prose).not.toMatch(/https?:\/\/|(?<![a-z0-9])www\.e/);
        expect(prose).not.toMatch(/<|@a|#1|[[\]]/);
        expect(result).not.toMatch(/^\/[a-z]|\u200b/m);
      }),
      { numRuns: 2_000 },
    );
  });

  test('nothing is longer than asked for', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 40, max: 120 }), (source, maxLength) => {
        expect(harmlessMarkdown(source, { maxLength }).length).toBeLessThanOrEqual(maxLength);
        expect(harmlessTitle(source, { maxLength }).length).toBeLessThanOrEqual(maxLength);
        expect(harmlessCommitText(source, { maxLength }).length).toBeLessThanOrEqual(maxLength);
      }),
    );
  });
});
