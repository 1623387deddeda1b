import { describe, expect, test } from 'vitest';
import { renderFormula } from '../src/math/index.ts';
import { byRole, byText, find, findOne, has, type Query, readText, textsOf, valuesOf } from './dom.ts';
import { renderBody } from './mdx-page.ts';
import { brokenLinks, renderFiles, textOf } from './output.ts';

/** A formula as it is set for the eye, in HTML. */
const typeset: Query = { class: 'katex-html', attributes: { 'aria-hidden': 'true' } };
const block: Query = { role: 'group', name: 'Formula', attributes: { tabindex: '0' }, has: { role: 'math' } };
const inLine: Query = { role: 'math', within: { role: 'paragraph' } };

describe('formulas', () => {
  test('stand as MathML for readers of any kind and as typeset HTML for the eye', () => {
    const { html, warnings } = renderBody('The sum $a_1 + b$ is.\n\n$$\n\\frac{1}{2}\n$$\n');
    expect(find(html, inLine)).toHaveLength(1);
    expect(find(html, block)).toHaveLength(1);
    expect(find(html, typeset)).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  test('alone in its paragraph, a formula in double dollar signs is a block', () => {
    expect(find(renderBody('$$x^2$$').html, block)).toHaveLength(1);
    expect(find(renderBody('so $$x^2$$ here').html, inLine)).toHaveLength(1);
  });

  test('prices, variables and shell words are not formulas', () => {
    const { html, assets } = renderBody('It costs $5 or $10, in $HOME/$USER, `$ref`, or $ 3 $ in all.');
    expect(byRole(html, 'math')).toEqual([]);
    expect(assets).toEqual([]);
  });

  test('dollar signs in texts of expressions, or with tags between them, are not formulas', () => {
    const { html, warnings } = renderBody(
      "<p>{'$'}one</p>\n<p>{'$'}two</p>\n\nUse {\"$\"}5 or {`$`}6.\n\n<p>Value ($).</p> <p>Sum ($).</p>\n",
    );
    expect(byRole(html, 'math')).toEqual([]);
    expect(warnings).toEqual([]);
    expect(textsOf(html, { role: 'paragraph' })).toEqual([
      '$one',
      '$two',
      'Use $5 or $6.',
      'Value ($).',
      'Sum ($).',
    ]);
  });

  test('emphasis may start before a formula and end behind it', () => {
    const { html } = renderBody('An _active $\\text{Pre}$_ one, _$\\beta$ first_.\n');
    expect(find(html, inLine)).toHaveLength(2);
    expect(textsOf(html, { tag: 'em' })).toHaveLength(2);
    expect(find(renderBody('Set $A_$B or _$HOME_ here.\n').html, inLine)).toHaveLength(0);
  });

  test('a letter may follow a formula that has a mark of TeX, a digit may not', () => {
    const { html, warnings } = renderBody(
      'All $\\text{PreCommit}$ted blocks, two $x_1$s and $\\mathit{my\\_id}$s.\n',
    );
    expect(find(html, inLine)).toHaveLength(3);
    expect(readText(html)).toMatch(/ted blocks, two .*s and .*s\.$/);
    expect(warnings).toEqual([]);
    for (const body of [
      'From $x_1$5 on',
      'a $PATH_A/$PATH_B',
      'the file $'.concat('{name}_$suffix'),
      'from $user_id:$name on',
      'It is $5$m',
    ])
      expect(byRole(renderBody(body.replaceAll('{', '\\{')).html, 'math'), body).toEqual([]);
  });

  test('`<Latex>` takes TeX with its braces and backslashes as it is, or a string', () => {
    const matrix = renderBody('<Latex>\n\\begin{pmatrix} a & b \\\\ c_1 & d \\end{pmatrix}\n</Latex>');
    expect(find(matrix.html, { ...block, has: { tag: 'mtable' } })).toHaveLength(1);
    expect(matrix.warnings).toEqual([]);
    const inline = renderBody('so <Latex>\\frac{a}{b} * c_i</Latex> and <Latex>{"\\\\sqrt{2}"}</Latex>');
    expect(find(inline.html, inLine)).toHaveLength(2);
    expect(find(inline.html, { ...inLine, has: { tag: 'msqrt' } })).toHaveLength(1);
    expect(inline.warnings).toEqual([]);
  });

  test('a tag in code is written about and opens nothing', () => {
    const body =
      'Write `<Latex>` like this.\n\n```mdx\n<Latex>\n\\frac{1}{2}\n</Latex>\n```\n\n`<Latex>` and {1 + 1}';
    const { html, warnings } = renderBody(body);
    expect(warnings).toEqual([]);
    expect(byRole(html, 'math')).toEqual([]);
    expect(byText(html, '<Latex> and 2')).toMatchObject([{ children: [{ role: 'code', text: '<Latex>' }] }]);
  });

  test('search and Markdown keep the source', () => {
    const page = renderBody('Euler: $e^{i\\pi}$\n\n$$\n\\int_0^1 x\n$$\n');
    expect(page.sections()[0]?.text).toContain('e^{i\\pi}');
    expect(page.markdown).toBe('Euler: $e^{i\\pi}$\n\n$$\n\\int_0^1 x\n$$\n');
  });

  test('a formula that cannot be read stands as its source, with a warning at its line', () => {
    const { html, warnings } = renderBody('Text\n\nBad $\\frac{1$ formula\n');
    expect(textsOf(html, { role: 'code' })).toEqual(['\\frac{1']);
    expect(warnings).toMatchObject([{ file: 'docs/page.mdx', line: 3, code: 'invalid-math' }]);
  });

  test('nothing in a formula links, loads or names classes', () => {
    for (const tex of [
      '\\href{javascript:alert(1)}{x}',
      '\\url{https://evil.example}',
      '\\includegraphics{https://evil.example/a.png}',
      '\\htmlClass{navbar}{x}',
      '\\htmlStyle{position:fixed}{x}',
      '\\text{<img src=x onerror=alert(1)>}',
    ]) {
      const { html } = renderFormula(tex, false, false);
      expect(find(html ?? '', { tag: 'img' })).toEqual([]);
      expect(valuesOf(html ?? '', 'href')).toEqual([]);
      expect(has(html ?? '', { class: 'navbar' })).toBe(false);
      expect(valuesOf(html ?? '', 'style').filter((style) => style.includes('fixed'))).toEqual([]);
    }
  });

  test('formulas that grow without end give up', () => {
    const doubling = Array.from({ length: 25 }, (_, n) => {
      const letter = String.fromCharCode(97 + n);
      return `\\def\\x${letter}{\\x${String.fromCharCode(98 + n)}\\x${String.fromCharCode(98 + n)}}`;
    }).join('');
    expect(renderFormula(`${doubling}\\xa`, true, false).html).toBeNull();
    expect(renderFormula('\\def\\f{\\f\\f}\\f', false, false).fault).toMatch(/[Tt]oo many expansions/);
    expect(renderFormula(`${'{'.repeat(3000)}x${'}'.repeat(3000)}`, false, false)).toBeDefined();
    expect(renderFormula('x'.repeat(9000), false, false).html).toBeNull();
    const rule = renderFormula('\\rule{9999999em}{9999999em}', false, false).html ?? '';
    // The source of the formula is in an annotation, as text.
    const attributes = find(rule, {}).flatMap((each) => Object.values(each.attributes));
    expect(attributes.filter((value) => value.includes('9999999'))).toEqual([]);
    expect(textsOf(rule, typeset).join()).not.toContain('9999999');
  });
});

describe('files of formulas', () => {
  const docs = JSON.stringify({
    name: 'T',
    theme: 'mint',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index', 'plain'] },
  });
  const files = { 'docs.json': docs, 'index.mdx': 'A $x$.', 'plain.mdx': 'Costs $5.' };

  test('only pages with formulas load the style sheet, whose fonts are all there', async () => {
    const output = await renderFiles(files);
    const sheet: Query = {
      tag: 'link',
      attributes: { rel: 'stylesheet', href: /^_offprint\/math-[0-9a-f]+\.css$/ },
    };
    const path = findOne(textOf(output, 'index.html'), sheet).attributes.href;
    expect(find(textOf(output, 'plain.html'), sheet)).toEqual([]);
    expect(textOf(output, path ?? '')).not.toContain('.ttf');
    expect(brokenLinks(output)).toEqual([]);
    const without = await renderFiles({ ...files, 'index.mdx': 'No formula.' });
    expect([...without.files.keys()].filter((name) => /math|KaTeX/.test(name))).toEqual([]);
  });

  test('`styling.latex: false` loads no style sheet and leaves the setting to the browser', async () => {
    const off = JSON.parse(docs) as Record<string, unknown>;
    off.styling = { latex: false };
    const output = await renderFiles({ ...files, 'docs.json': JSON.stringify(off) });
    expect(byRole(textOf(output, 'index.html'), 'math')).toHaveLength(1);
    expect([...output.files.keys()].filter((name) => /math|KaTeX/.test(name))).toEqual([]);
  });
});
