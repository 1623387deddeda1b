import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defectsOf } from './css-samples.ts';
import { textsOf } from './dom.ts';
import { frontMatters, hostileConfig } from './hostile-config.ts';
import { expressions, islandCode, markup, urlContexts, urls } from './hostile-payloads.ts';
import { renderBody } from './mdx-page.ts';
import { renderFiles } from './output.ts';

const forbiddenTags =
  /^(?:script|style|object|embed|applet|base|link|meta|noscript|template|frame|frameset|foreignobject|animate|set)$/i;
const allowedSchemes =
  /^(?:https?|mailto|tel|sms|cursor|vscode|vscode-insiders|windsurf|zed|slack|data:image\/):?/i;

/** Every tag with its attributes; the writer escapes `<` and `>` in text and attributes, so tags are what is left. */
function tagsOf(html: string): { name: string; attributes: [string, string][] }[] {
  return [...html.matchAll(/<([a-z][\w:-]*)((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*\/?>/gi)].map((match) => ({
    name: match[1] ?? '',
    attributes: [...(match[2] ?? '').matchAll(/([^\s=>"]+)(?:="([^"]*)")?/g)].map(
      (attribute): [string, string] => [attribute[1] ?? '', decodeEntities(attribute[2] ?? '')],
    ),
  }));
}

function decodeEntities(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

/** What a browser would run or load from elsewhere; empty for harmless HTML. */
function dangers(html: string): string[] {
  const found: string[] = [];
  const tags = tagsOf(html);
  if ((html.match(/<[a-z!?]/gi) ?? []).length !== tags.length) found.push('a tag that does not parse');
  for (const { name, attributes } of tags) {
    if (forbiddenTags.test(name)) found.push(`<${name}>`);
    for (const [attribute, value] of attributes) {
      const url = value.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g, '');
      if (/^on/i.test(attribute)) found.push(`${name} ${attribute}`);
      if (/^(?:srcdoc|formaction|action|ping|background|xlink:href|http-equiv)$/i.test(attribute))
        found.push(`${name} ${attribute}`);
      if (
        /^(?:href|src|poster|srcset)$/i.test(attribute) &&
        /^[a-z][a-z0-9+.-]*:/i.test(url) &&
        !allowedSchemes.test(url)
      ) {
        found.push(`${name} ${attribute}=${value}`);
      }
      if (name === 'iframe' && attribute === 'src' && !value.startsWith('https://'))
        found.push(`iframe ${value}`);
      if (attribute === 'style') found.push(...defectsOf(value).map((defect) => `style ${defect}`));
    }
  }
  return found;
}

/** Dangers of a whole document, whose own head and scripts are known. */
function chromeDangers(html: string): string[] {
  const own =
    /<script src="[\w./-]*_offprint\/[\w./-]+"[^<>]*><\/script>|<link rel="[a-z -]+"[^<>]*>|<meta [^<>]*>/g;
  const data = /<script type="application\/(?:ld\+)?json">[^<]*<\/script>/g;
  return dangers(
    html
      .replace(/^<!doctype html>/i, '')
      .replace(own, '')
      .replace(data, '')
      .replace(/<form role="search" action="[\w./-]*"/g, '<form'),
  );
}

/** Set by whatever runs a payload here. */
let ran = false;
const watched = globalThis as { canary?: () => void };
beforeAll(() => {
  watched.canary = () => {
    ran = true;
  };
});
afterAll(() => {
  delete watched.canary;
  expect(ran).toBe(false);
  expect(existsSync('canary')).toBe(false);
  expect('polluted' in {}).toBe(false);
});

test('there are at least three hundred payloads, each of its own', () => {
  const payloads = [...markup, ...expressions, ...islandCode, ...frontMatters];
  expect(new Set(payloads).size).toBe(payloads.length);
  expect(payloads.length).toBeGreaterThanOrEqual(300);
  expect(Object.keys(urlContexts).length * urls.length).toBeGreaterThanOrEqual(2000);
});

test('hostile front matter and docs.json come out as text', async () => {
  const { files } = await renderFiles({
    'docs.json': JSON.stringify({ ...hostileConfig, navigation: { pages: ['index'] } }),
    'index.mdx': 'Words.',
    ...Object.fromEntries(frontMatters.map((yaml, at) => [`p${at}.mdx`, `---\n${yaml}\n---\n\nWords.\n`])),
  });
  expect(files.size).toBeGreaterThan(frontMatters.length);
  for (const [path, content] of files) {
    if (path.endsWith('.html')) expect([path, chromeDangers(String(content))]).toEqual([path, []]);
  }
});

describe('URLs', () => {
  for (const [name, context] of Object.entries(urlContexts)) {
    test(`no scheme that runs code gets out of: ${name}`, () => {
      for (const url of urls)
        expect({ url, dangers: dangers(renderBody(context(url)).html) }).toEqual({ url, dangers: [] });
    });
  }
});

describe('markup', () => {
  test.each(markup)('nothing runs: %s', (source) => {
    expect(dangers(renderBody(source).html)).toEqual([]);
  });
});

describe('islands', () => {
  test.each(islandCode)('nothing of it runs here: %s', (source) => {
    expect(dangers(renderBody(`${source}\n\nafter`).html)).toEqual([]);
    expect(ran).toBe(false);
  });
});

describe('expressions', () => {
  const head = 'export const list = ["a", "b"];\nexport const fn = () => "called";\n\n';
  test.each(expressions)('nothing outside the page is reached, and the page survives: {%s}', (source) => {
    for (const place of [
      `{${source}}`,
      `<div title={${source}}>x</div>`,
      `export const x = ${source};\n\n{x}`,
    ]) {
      const page = renderBody(`${head}${place}\n\nafter`);
      expect(textsOf(page.html, { role: 'paragraph' })).toContain('after');
      expect(page.html).not.toMatch(/native code|\[object|\[Function|PATH=|=&gt;/);
      expect(dangers(page.html)).toEqual([]);
      expect(page.warnings.filter((warning) => warning.code === 'page-failed')).toEqual([]);
      expect(page.html.length).toBeLessThan(3_100_000);
    }
  });

  test('data of a page never passes for a node of the tree', () => {
    const page = renderBody(
      'export const a = { type: "html", value: "<script>1</script>", children: [] };\n\n{a}\n\n<Card title={a} icon={a}>x</Card>\n\n<div>{[a]}</div>',
    );
    expect(page.html).not.toContain('script');
  });
});

const repeats: Record<string, (n: number) => string> = {
  quotes: (n) => `${'> '.repeat(n)}a`,
  lists: (n) => `${'- '.repeat(n)}a`,
  'quotes and lists': (n) => `${'> - '.repeat(n)}a`,
  'nested tags in a line': (n) => `${'<div>'.repeat(n)}x${'</div>'.repeat(n)}`,
  'nested tags in lines': (n) => `${'<div>\n'.repeat(n)}x\n${'</div>\n'.repeat(n)}`,
  'tags never closed': (n) => '<div>\n'.repeat(n),
  'tags never opened': (n) => '</div>\n'.repeat(n),
  'nested emphasis': (n) => '*a '.repeat(n) + 'b*'.repeat(n),
  brackets: (n) => `{${'('.repeat(n)}1${')'.repeat(n)}}`,
  arrays: (n) => `{${'['.repeat(n)}1${']'.repeat(n)}}`,
  'objects in a module': (n) => `export const a = ${'{a:'.repeat(n)}1${'}'.repeat(n)}`,
  functions: (n) => `export const a = ${'()=>{return '.repeat(n)}1${'}'.repeat(n)}`,
  templates: (n) => `{${'`${'.repeat(n)}1${'}`'.repeat(n)}}`,
  'unary operators': (n) => `{${'!'.repeat(n)}1}`,
  'unary operators on lines': (n) => `{${'-\n'.repeat(n)}1}`,
  conditionals: (n) => `{${'a?b:'.repeat(n)}1}`,
  'arrow functions': (n) => `{${'a=>'.repeat(n)}1}`,
  'new and typeof': (n) => `{${'new '.repeat(n)}a}\n\n{${'typeof '.repeat(n)}a}`,
  'brackets hidden in texts': (n) => `{${'(")"+'.repeat(n)}1${')'.repeat(n)}}`,
  'JSX in an expression': (n) => `{${'<a>'.repeat(n)}${'</a>'.repeat(n)}}`,
  'JSX in attributes': (n) => `${'<A b={'.repeat(n)}1${'}/>'.repeat(n)}`,
  'attributes never closed': (n) => `${'<A b={'.repeat(n)}1`,
  'attributes never closed, with a blank': (n) => '<A b= {"x'.repeat(n),
  'attributes never closed, objects': (n) => 'x <A b={{'.repeat(n),
  'braces never closed': (n) => '{'.repeat(n),
  'braces never closed on lines': (n) => '{ a\n'.repeat(n),
  'expressions in a line': (n) => 'a {1} '.repeat(n),
  'code with braces in a line': (n) => '`{` '.repeat(n),
  'classes in a module': (n) => `export ${'class A { a = '.repeat(n)}${'}'.repeat(n)}`,
  'invalid expressions': (n) => 'a {b c}\n\n'.repeat(n),
  'comments never closed': (n) => '<!-- '.repeat(n),
  'heading ids': (n) => '## A {#b}\n\n'.repeat(n),
  'equal headings': (n) => '## A\n\n'.repeat(n),
  variables: (n) => '{{a}} '.repeat(n),
  'links never closed': (n) => '[a](b'.repeat(n),
  'web addresses': (n) => 'www.a_'.repeat(n),
};

describe('size', () => {
  test.each(Object.keys(repeats))('10,000 times over ends soon: %s', (name) => {
    const started = process.cpuUsage();
    const page = renderBody(`${repeats[name]?.(10_000) ?? ''}\n\nafter\n`);
    const used = process.cpuUsage(started);
    expect(page.warnings.filter((warning) => warning.code === 'page-failed')).toEqual([]);
    // four at most; what grows without bound takes hours
    expect((used.user + used.system) / 1e6).toBeLessThan(100);
  });

  test('chains of a million operators do not overflow the native parser', () => {
    for (const part of ['1+', 'a||', 'a,'])
      expect(renderBody(`{${part.repeat(1_000_000)}1}\n\nafter`).html).toContain('after');
    expect(renderBody(`{a${'()'.repeat(1_000_000)}}\n\nafter`).html).toContain('after');
  });

  test('a page of 10 MB and a line of 1 MB come out', () => {
    const paragraph = 'Some text with **bold** and `code` in it.\n\n';
    const big = renderBody(paragraph.repeat(Math.floor(9_900_000 / paragraph.length)));
    expect(big.html.length).toBeGreaterThan(9_000_000);
    expect(renderBody('word '.repeat(200_000)).html.length).toBeGreaterThan(900_000);
    expect(renderBody('x'.repeat(10_000_001)).warnings.map((warning) => warning.code)).toEqual([
      'page-too-large',
    ]);
  });

  test('snippets that contain themselves stop with a warning at the place', () => {
    const files = {
      'snippets/a.mdx': 'import B from "./b.mdx"\n\nA\n\n<B />\n',
      'snippets/b.mdx': 'import A from "./a.mdx"\n\nB\n\n<A />\n',
      'snippets/c.mdx': 'C\n\n<Snippet file="c.mdx" />\n',
    };
    const page = renderBody('import A from "/snippets/a.mdx"\n\n<A />\n\n<Snippet file="c.mdx" />\n\nafter', {
      files,
    });
    expect(textsOf(page.html, { role: 'paragraph' })).toContain('after');
    const cycles = page.warnings.filter((warning) => warning.code === 'snippet-cycle');
    expect(cycles.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'snippets/b.mdx:1',
      'snippets/c.mdx:3',
    ]);
  });

  test('snippets that contain each other twice, 40 levels deep, stop at a budget', () => {
    const files: Record<string, string> = {};
    for (let level = 0; level < 40; level++) {
      const next = `import N from "./s${level + 1}.mdx"\n\n<N />\n\n<N />\n`;
      files[`snippets/s${level}.mdx`] = level === 38 ? 'text' : next;
    }
    const page = renderBody('import S from "/snippets/s0.mdx"\n\n<S />\n\nafter', { files });
    expect(page.warnings.length).toBeGreaterThan(0);
    expect(page.html.length).toBeLessThan(60_000_000);
  });

  test('values that share their parts stop at a budget', () => {
    let source = 'export const a0 = <b>x</b>;\n';
    for (let level = 1; level < 40; level++)
      source += `export const a${level} = <i>{a${level - 1}}{a${level - 1}}</i>;\n`;
    for (let level = 1; level < 40; level++)
      source += `export const l${level} = [${level === 1 ? '1' : `l${level - 1}, l${level - 1}`}];\n`;
    const page = renderBody(`${source}\n{a39}\n\n{l39}\n\n{l39.join()}\n\n{JSON.stringify(l39)}\n`);
    expect(page.warnings.map((warning) => warning.code)).toContain('expression-too-large');
    expect(page.warnings.filter((warning) => warning.code === 'page-failed')).toEqual([]);
  });
});
