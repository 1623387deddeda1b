import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCheckedText, type LinkRules } from './checked-text.ts';
import { activeParts, HOSTILE } from './hostile.fixture.ts';
import { createLinkRules } from './links.ts';

const KNOWN = 'https://api.example.com/v1/users and https://api.example.com';
const PAGES = new Set(['/quickstart', '/reference/limits', '/reference/limits#rates', '/']);

const rules: LinkRules = createLinkRules(
  { resolves: async (url) => PAGES.has(url) },
  { host: 'docs.example.com', basePath: '', currentPath: '/guides/start', origin: '' },
  (url) => KNOWN.includes(url),
);

/** The checked text of pieces. */
async function check(pieces: readonly string[]): Promise<string> {
  const checked = createCheckedText(rules);
  let out = '';
  for (const piece of pieces) out += await checked.push(piece);
  return out + (await checked.end());
}

/** Nothing of the output leads away, loads anything or is HTML. Addresses of mail become no link in the panel. */
function expectSafe(markdown: string, from: string): void {
  const { links, images, html, code } = activeParts(markdown);
  const left = links.filter((url) => !PAGES.has(decodeURI(url)) && !url.startsWith('mailto:'));
  expect({ left, images, html }, `${JSON.stringify(from)} became ${JSON.stringify(markdown)}`).toEqual({
    left: [],
    images: [],
    html: [],
  });
  for (const url of code.join('\n').match(/\b(?:https?|ftp|wss?):\/\/[^\s"'`<>)\]}|\\^]+/gi) ?? [])
    expect(KNOWN, `${JSON.stringify(from)} kept a URL in code`).toContain(url.replace(/[.,;:!?]+$/, ''));
}

test.each([
  ['See [Quickstart](/quickstart).', 'See [Quickstart](/quickstart).'],
  ['See [limits](../reference/limits#rates).', 'See [limits](/reference/limits#rates).'],
  ['See [limits](/reference/limits#gone).', 'See [limits](/reference/limits).'],
  ['See [limits](/reference/limits.md "Title").', 'See [limits](/reference/limits).'],
  ['[a](<https://docs.example.com/quickstart>)', '[a](/quickstart)'],
  ['https://docs.example.com/quickstart?d=secret, ok', '[/quickstart](/quickstart), ok'],
  ['A [gone](/gone) page', 'A gone page'],
  ['A `code [x](/gone)` span', 'A `code [x](/gone)` span'],
  ['**bold** and *it*, 1 < 2', '**bold** and *it*, 1 < 2'],
  ['Array<string> is text', 'Array&lt;string> is text'],
  ['- [ ] task', '- \\[ \\] task'],
  [
    '```js\nfetch("https://api.example.com/v1/users")\n```\n',
    '```js\nfetch("https://api.example.com/v1/users")\n```\n',
  ],
  ['```\ncurl https://api.example.com/v1/users?d=1\n```', '```\ncurl https://api.example.com\n```'],
  ['```\ncurl https://evil.example/?d=1\n```', '```\ncurl …\n```'],
  ['```\nopen', '```\nopen\n```\n'],
])('%j becomes %j', async (text, expected) => {
  expect(await check([text])).toBe(expected);
  expect(await check([...text])).toBe(expected);
});

test.each(HOSTILE)('%j leads nowhere, in one piece and letter by letter', async (text) => {
  for (const pieces of [[text], [...text], text.split(/(?=[^\w])/)]) expectSafe(await check(pieces), text);
});

test('any mixture of hostile parts, cut anywhere, leads nowhere', async () => {
  const part = fc.oneof(
    fc.constantFrom(...HOSTILE.filter((text) => text.length < 200)),
    fc.constantFrom(
      '`',
      '``',
      '```',
      '~~~',
      '\n',
      '\n\n',
      '    ',
      '- ',
      '> ',
      '[',
      ']',
      '(',
      ')',
      '!',
      '\\',
      '<',
      '|',
      ' ',
      '&lt;',
    ),
    fc.constantFrom(
      '[Quickstart](/quickstart)',
      '[//evil.example](x)',
      '[https:](x)',
      'text',
      '**b**',
      '_i_',
      '1. ',
      'https:',
      '//evil.example',
      '# ',
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 12 }),
      fc.array(fc.nat(40), { maxLength: 20 }),
      async (parts, cuts) => {
        const text = parts.join('');
        const pieces: string[] = [];
        let at = 0;
        for (const cut of cuts) {
          pieces.push(text.slice(at, at + cut));
          at += cut;
        }
        expectSafe(await check([...pieces, text.slice(at)]), text);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('text is sent as it arrives, and only what can become a link waits', async () => {
  const checked = createCheckedText(rules);
  expect(await checked.push('Install it')).toBe('Install it');
  expect(await checked.push(' with [')).toBe(' with ');
  expect(await checked.push('Quickstart](/quick')).toBe('');
  expect(await checked.push('start) no')).toBe('[Quickstart](/quickstart) no');
  expect(await checked.push('w.')).toBe('w.');
});
