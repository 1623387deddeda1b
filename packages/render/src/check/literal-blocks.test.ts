import { expect, test } from 'vitest';
import { memorySource } from '../source.ts';
import { checkSite } from './check-site.ts';

const CODES = ['unsupported-directive', 'invalid-table', 'invalid-link', 'literal-emphasis'];

function found(page: string, files: Record<string, string> = {}) {
  const source = memorySource({
    'docs.json': JSON.stringify({
      name: 'S',
      colors: { primary: '#0f766e' },
      navigation: { pages: ['index'] },
    }),
    'index.mdx': page,
    ...files,
  });
  return checkSite(source)
    .findings.filter(({ code }) => CODES.includes(code))
    .map(({ file, line, code, message }) => ({ place: `${file}:${line}`, code, message }));
}

const places = (page: string): string[] => found(page).map(({ place, code }) => `${place} ${code}`);

test.each([
  [':::note\nText\n:::\n', 'Note'],
  ['::: warning A title\n\nText\n\n:::\n', 'Warning'],
  [':::caution[A title]\nText\n:::\n', 'Warning'],
  ['> :::danger\n> Text\n> :::\n', 'Danger'],
  ['- Item\n  :::tip\n  Text\n  :::\n', 'Tip'],
  ['::::tabs\n:::\n', 'Note'],
  [':::details More\nText\n:::\n', 'Accordion'],
  ['!!! note "A title"\n    Text\n', 'Note'],
  ['??? info\n    Text\n', 'Info'],
  ['> [!NOTE]\n> Text\n', 'Note'],
  ['> [!caution]- A title\n> Text\n', 'Warning'],
])('a directive block %j is reported with the component <%s>', (page, component) => {
  const findings = found(page);
  expect(findings.map(({ code }) => code)).toEqual(['unsupported-directive']);
  expect(findings[0]?.message).toContain(`<${component}`);
});

test('a directive is reported with the file and the line that contain it', () => {
  expect(places('---\ntitle: T\n---\n\nA\nB\n:::note\nC\n:::\n\n:::tip\n')).toEqual([
    'index.mdx:7 unsupported-directive',
    'index.mdx:11 unsupported-directive',
  ]);
  const page = 'import N from "/snippets/n.mdx";\n\n<N />\n';
  expect(found(page, { 'snippets/n.mdx': 'Text\n\n:::note\nText\n:::\n' })[0]?.place).toBe(
    'snippets/n.mdx:3',
  );
});

test.each([
  'Text with :::note inside.\n',
  '`:::note` starts a block.\n',
  '```md\n:::note\n:::\n```\n',
  '::: A title :::\n',
  'A **B** :::note\n',
  '!!! This is important\n',
  '??? Really?\n',
  '[!note](/a.png)\n',
  '![note](/a.png)\n',
])('%j contains no directive block', (page) => {
  expect(places(page)).toEqual([]);
});

test.each([
  ['| a | b |\nText\n|---|---|\n| 1 | 2 |\n', 3],
  ['| a | b | c |\n|---|---|\n| 1 | 2 |\n', 2],
  ['| a | b |\n\n| --- | :-: |\n| 1 | 2 |\n', 3],
  ['| `a` | **b** | c |\n|---|---|\n| 1 | 2 |\n', 2],
  ['a | b | c\n--- | ---\n1 | 2\n', 2],
])('the table %j, which is shown as text, is reported in line %i', (page, line) => {
  expect(places(page)).toEqual([`index.mdx:${line} invalid-table`]);
});

test.each([
  '| a | b |\n|---|---|\n| 1 | 2 |\n',
  'Text\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  '| a | b |\n|---|---|\n|---|---|\n',
  '```\n|---|---|\n```\n',
  'A\n\n---\n\nB\n',
  'A | B\n',
  '|---|\n',
  'The row `|---|---|` is the second one.\n',
])('%j contains no table that is shown as text', (page) => {
  expect(places(page)).toEqual([]);
});

test.each([
  ['Text\nand [more](/a b.png)\n', 2],
  ['![more](/images/a b.png)\n', 1],
  ['[`more`](/a\n/b)\n', 1],
  ['**[more\\](https://e.example)**\n', 1],
  ['- a\n- [more](./a（b）\n', 2],
  ['| a |\n|---|\n| [more](#a b) |\n', 3],
])('the link %j, which is shown as text, is reported in line %i', (page, line) => {
  expect(places(page)).toEqual([`index.mdx:${line} invalid-link`]);
});

test.each([
  '[more](/index)\n',
  '[more](</index>)\n',
  '[more](/index "A title")\n',
  '`[more](/a b)`\n',
  '```\n[more](/a b)\n```\n',
  '<pre>\n  [more](/a b)\n\n  :::note\n</pre>\n',
  'f[0](a b)\n',
  'Write [more] (/a b)\n',
])('%j contains no link that is shown as text', (page) => {
  expect(places(page)).toEqual([]);
});

test.each([
  ['Select **Open **on the menu.\n', 1, 'Remove the space'],
  ['Select\n** Open** on the menu.\n', 2, 'Remove the space'],
  ['- A ~~removed ~~ word\n', 1, 'Remove the space'],
  ['| a |\n|---|\n| **b **c |\n', 3, 'Remove the space'],
  ['<Note>**Orders API **</Note>\n', 1, 'Remove the space'],
  ['**Totals:**Check the sum.\n', 1, 'Add a space'],
])('the emphasis in %j, which is shown with its marks, is reported in line %i', (page, line, wayOut) => {
  const findings = found(page);
  expect(findings.map(({ place, code }) => `${place} ${code}`)).toEqual([
    `index.mdx:${line} literal-emphasis`,
  ]);
  expect(findings[0]?.message).toContain(wayOut);
});

test.each([
  '**Open** on the *menu* and ~~this~~.\n',
  '`**Open **on`\n',
  '```\n**Open **on\n```\n',
  '\\*\\*Open \\*\\*on\n',
  '&#42;&#42;Open **on **it\n',
  'Takes **kwargs.\n',
  'Takes **args and **kwargs, or **a, **b.\n',
  '2 ** 3 ** 4\n',
  '**注意：**以下\n',
  'a ***** b *****\n',
  '{"**Open **on"}\n',
])('%j contains no emphasis that is shown with its marks', (page) => {
  expect(places(page)).toEqual([]);
});
