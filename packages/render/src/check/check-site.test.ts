import { describe, expect, test } from 'vitest';
import { memorySource } from '../source.ts';
import { type CheckOptions, checkSite } from './check-site.ts';
import { externalLinkError } from './external-link.ts';

const DOCS = { name: 'Site', colors: { primary: '#0f766e' }, navigation: { pages: ['index', 'more'] } };

function check(files: Record<string, string>, options: CheckOptions = {}) {
  const docs = files['docs.json'] ?? JSON.stringify(DOCS);
  const source = memorySource({ 'index.mdx': 'Words.', 'more.mdx': 'Words.', ...files, 'docs.json': docs });
  return checkSite(source, options);
}

/** `file:line code` of what is found. */
const places = (files: Record<string, string>, options: CheckOptions = {}): string[] =>
  check(files, options).findings.map(({ file, line, code }) => `${file}:${line ?? ''} ${code}`);

test('an icon that a free one replaces is one note for each name, however many places have it', () => {
  const files = {
    'docs.json': JSON.stringify({
      ...DOCS,
      navbar: { links: [{ label: 'A', href: '/more', icon: 'elephant' }] },
    }),
    'index.mdx':
      '---\ntitle: A\nicon: elephant\n---\n\n<Icon icon="elephant" />\n\n<Icon icon="no-such-icon" />\n',
    'more.mdx': '<Icon icon="elephant" />\n\n<Icon icon="fire-flame" />\n\n<Icon icon="no-such-icon" />\n',
  };
  const found = check(files).findings.filter(({ code }) => code.endsWith('icon') || code.startsWith('icon'));
  expect(found.map(({ file, code, severity }) => [file, code, severity])).toEqual([
    ['docs.json', 'icon-substituted', 'info'],
    ['index.mdx', 'unknown-icon', 'warning'],
    ['more.mdx', 'icon-substituted', 'info'],
    ['more.mdx', 'unknown-icon', 'warning'],
  ]);
});

describe('a page', () => {
  test('without an error has no finding', () => {
    const body =
      '---\ntitle: Home\n---\n\n## A\n\n### B\n\n## C\n\n[Another page](/more) ![What it shows](/a.png) <img src="/a.png" alt="" />\n\n<a id="old"></a>\n\n<Card title="More" href="/more">x</Card>\n';
    expect(places({ 'index.mdx': body, 'a.png': '' })).toEqual([]);
  });

  test('images need alternative text, decoration an empty one', () => {
    const body =
      '![](/a.png)\n\n<img src="/a.png" />\n\n<img src="/a.png" alt="" />\n\n<img src="/a.png" aria-hidden />\n';
    expect(places({ 'index.mdx': body, 'a.png': '' })).toEqual([
      'index.mdx:1 image-alt',
      'index.mdx:3 image-alt',
    ]);
  });

  test('headings leave no level out and repeat no title; components start again', () => {
    const body =
      '---\ntitle: T\n---\n\n### Jump\n\n# Second\n\n## A\n\n#### Jump\n\n<Accordion title="x">\n\n#### Fine\n\n</Accordion>\n\n<h6>Jump</h6>\n';
    expect(places({ 'index.mdx': body })).toEqual([
      'index.mdx:5 heading-jump',
      'index.mdx:7 heading-second-title',
      'index.mdx:11 heading-jump',
      'index.mdx:19 heading-jump',
    ]);
    expect(places({ 'index.mdx': '---\ntitle: T\n---\n\n# T\n\n## A\n' })).toEqual([]);
    expect(places({ 'index.mdx': '---\ntitle: T\n---\n\n## A\n\n#\n\n### B\n' })).toEqual([
      'index.mdx:7 heading-text-missing',
    ]);
    expect(places({ 'index.mdx': '---\nmode: custom\n---\n\n# One\n\n## A\n' })).toEqual([]);
  });

  test('links have a text that names a target, and a target', () => {
    const body =
      '[](/more)\n\n[click here](/more)\n\n[Text]()\n\n<a href="#">x</a>\n\n<a href="/more"><Icon icon="star" /></a>\n\n[Here is more](/more)\n\n<a href="/more" aria-label="Another page">here</a>\n';
    expect(places({ 'index.mdx': body })).toEqual([
      'index.mdx:1 link-text-missing',
      'index.mdx:3 link-text-vague',
      'index.mdx:5 link-target-missing',
      'index.mdx:7 link-target-missing',
    ]);
  });

  test('properties that a component does not have are found, with a suggestion for a misspelling', () => {
    const body =
      '<Card titel="x" href="/">x</Card>\n\n<Card title="x" data-test="y" key="z" classname="z">x</Card>\n\n<div titel="x">x</div>\n';
    const { findings } = check({ 'index.mdx': body });
    expect(findings.map(({ line, code, message }) => [line, code, message])).toEqual([
      [1, 'unknown-property', expect.stringContaining('Did you mean `title`?')],
      [3, 'unknown-property', expect.stringContaining('Did you mean `className`?')],
    ]);
  });

  test('a property without effect is reported once per page and component, with those that have one', () => {
    const card = '<Card title="a" subtitle="b" href="/more">x</Card>\n\n';
    const files = {
      'index.mdx': `${card.repeat(2)}<Tile title="a" subtitle="b" href="/more" />\n\n<ParamField path="a" optional>x</ParamField>\n`,
      'more.mdx': card,
    };
    const { findings } = check(files);
    expect(findings.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([
      'index.mdx:1 unknown-property',
      'index.mdx:5 unknown-property',
      'more.mdx:1 unknown-property',
    ]);
    expect(findings[0]?.message).toContain(
      '`subtitle` is not a property of `<Card>` and has no effect. Its properties: `title`, `description`, ',
    );
  });

  test('ids stand once', () => {
    const body = '## A {#one}\n\n<div id="one">x</div>\n\n<Accordion title="x" id="two">x</Accordion>\n';
    expect(places({ 'index.mdx': body })).toEqual(['index.mdx:3 duplicate-id']);
  });

  test('what is wrong in a snippet is said of the snippet, once', () => {
    const files = {
      'index.mdx': 'import A from "/snippets/a.mdx";\n\n<A />\n\n<A />\n',
      'more.mdx': 'import A from "/snippets/a.mdx";\n\n<A />\n',
      'snippets/a.mdx': 'Words.\n\n![](/a.png)\n',
      'a.png': '',
    };
    expect(places(files)).toEqual(['snippets/a.mdx:3 image-alt']);
  });

  test('broken links, anchors, files, imports and markup are found with their lines', () => {
    const body =
      '[a](/nowhere)\n\n[b](/more#nowhere)\n\n![c](/no.png)\n\nimport D from "/no.mdx"\n\n<Card href="javascript:1">x</Card>\n';
    expect(places({ 'index.mdx': body })).toEqual([
      'index.mdx:1 broken-link',
      'index.mdx:3 anchor-not-found',
      'index.mdx:5 missing-asset',
      'index.mdx:7 unresolved-import',
      'index.mdx:9 unsafe-link',
    ]);
  });
});

describe('a site', () => {
  test('files that nothing names are found; names in any text count as use', () => {
    const files = {
      'index.mdx': '![x](images/used%20one.png)\n\n{/* images/noted.svg */}\n',
      'style.css': 'body { background: url(images/Ground.PNG) }',
      'images/used one.png': '',
      'images/noted.svg': '<svg/>',
      'images/Ground.PNG': '',
      'images/left.png': '',
      'snippets/used.mdx': 'Words.',
      'snippets/left.mdx': 'Words.',
      'snippets/button.jsx': 'export const B = () => <b/>',
      'more.mdx':
        'import U from "/snippets/used.mdx"\nimport { B } from "../snippets/button"\n\n<U /><B />\n',
    };
    expect(places(files).filter((place) => place.includes('unused'))).toEqual([
      'images/left.png: unused-file',
      'snippets/left.mdx: unused-file',
    ]);
  });

  test('pages that no navigation lists and titles that stand twice are notes', () => {
    const files = {
      'a.mdx': '---\ntitle: Same\n---\n',
      'more.mdx': '---\ntitle: Same\n---\n',
      'index.mdx': '---\ntitle: Same\n---\n',
      'b.mdx': '---\nhidden: true\n---\n',
    };
    const { findings } = check(files);
    expect(findings.map(({ file, code, severity }) => [file, code, severity])).toEqual([
      ['a.mdx', 'unlisted-page', 'info'],
      ['more.mdx', 'duplicate-title', 'info'],
    ]);
  });

  test('errors that stop an export are findings, with their line', () => {
    const broken = check({ 'docs.json': '{\n  "name": "x",\n  nonsense\n}' });
    expect(broken).toMatchObject({ name: null, pageCount: 0 });
    expect(broken.findings).toMatchObject([
      { file: 'docs.json', line: 3, code: 'invalid-json', severity: 'error' },
    ]);
    expect(checkSite(memorySource({})).findings).toMatchObject([
      { code: 'config-missing', severity: 'error' },
    ]);
  });

  test('parsing alone finds errors of syntax and configuration and renders nothing', () => {
    const files = {
      'index.mdx': '[a](/nowhere)\n\n<Card\n',
      'docs.json': JSON.stringify({ ...DOCS, colours: 1 }),
    };
    const codes = check(files, { parseOnly: true }).findings.map(({ code }) => code);
    expect(codes).toContain('config-unknown-key');
    expect(codes).not.toContain('broken-link');
    expect(codes.some((code) => /mdx|tag/.test(code))).toBe(true);
  });
});

test.each([
  ['https://example.com', true],
  ['https://example.com:8080/a?b#c', true],
  ['http://localhost:3000', true],
  ['http://127.0.0.1/', true],
  ['http://[::1]/', true],
  ['https://müller.example', true],
  ['mailto:a@example.com?subject=x', true],
  ['tel:+1', true],
  ['/a/b', true],
  ['https:/example.com', false],
  ['https:example.com', false],
  ['https:///example.com', false],
  ['https://', false],
  ['https://example', false],
  ['https://https://example.com', false],
  ['https://exam ple.com', false],
  ['https://example.com/a b', false],
  ['https://{host}/x', false],
  ['https://example.com:99999/', false],
  ['https://.example.com', false],
  ['mailto:someone', false],
])('the form of %s is sound: %s', (href, sound) => {
  expect(externalLinkError(href) === null).toBe(sound);
});
