import { describe, expect, test } from 'vitest';
import { renderBody, renderTestPage, testPage } from './mdx-page.ts';

describe('table of contents', () => {
  test('an update brings its label; headings inside keep their ids and stay out', () => {
    const page = renderBody(
      '<Update label="May">\n\n## Added\n\n<Steps>\n<Step title="One">x</Step>\n</Steps>\n\n</Update>\n\n## After',
    );
    expect(page.toc.map(({ id }) => id)).toEqual(['may', 'after']);
    expect(page.html).toContain('<h2 id="added">');
    expect([...page.ids]).toContain('added');
  });

  test('a component that fails inside an update does not silence what follows', () => {
    const page = renderBody('<Update label="May">\n\n{[].x.y}\n\n</Update>\n\n## After');
    expect(page.toc.map(({ id }) => id)).toEqual(['may', 'after']);
  });
});

describe('what stands for a file of another host', () => {
  const remote = 'https://cdn.example.com/a.png';

  test('alone in a paragraph it takes the place of the picture, in a line it stays small', () => {
    expect(renderBody(`![A chart](${remote})`).html).toMatch(
      /<div class="op-paragraph"><a class="op-placeholder" href="https:\/\/cdn[^>]*>.*A chart <span class="op-placeholder-host">cdn\.example\.com/s,
    );
    expect(renderBody(`See ![it](${remote}) here`).html).toContain(
      'class="op-placeholder op-placeholder-inline"',
    );
  });

  test('it keeps the classes that show one of two pictures', () => {
    const html = renderBody(`<img className="block dark:hidden" src="${remote}" alt="x" />`).html;
    expect(html).toContain('class="op-placeholder block dark:hidden"');
    const missing = renderBody('<img className="hidden dark:block" src="/none.png" alt="x" />').html;
    expect(missing).toContain('<span class="op-placeholder hidden dark:block">');
  });

  test.each([
    `<img src="${remote}" width={24} height={24} alt="Logo" />`,
    `<img src="${remote}" height="40px" alt="Logo" />`,
    `<img className="tile-icon" src="${remote}" alt="" />`,
  ])('an image without room for text is replaced by an icon with a title: %s', (body) => {
    const { html } = renderBody(body);
    expect(html).toMatch(
      /<a class="op-placeholder op-placeholder-small[^>]*title="(Logo )?cdn\.example\.com"/,
    );
    expect(html).not.toContain('placeholder-text');
  });

  test.each([
    `<img src="${remote}" width="640" alt="Chart" />`,
    `<img src="${remote}" width="100%" alt="Chart" />`,
    `<img src="${remote}" alt="" />`,
    `![](${remote})`,
  ])('an image with room for text is replaced by its text and host: %s', (body) => {
    expect(renderBody(body).html).toContain('placeholder-text');
  });

  test.each([
    `<a href="/x"><img src="${remote}" alt="x" /></a>`,
    `[![x](${remote})](/x)`,
    '<a href="/x"><h3>Title</h3></a>',
    '<a href="/x">[y](/y)</a>',
  ])('no link stands inside another one: %s', (body) => {
    const { html } = renderBody(body, { pages: ['x', 'y'] });
    expect(html.match(/<a[\s>]/g)).toHaveLength(1);
  });

  test('a frame and a film become links that name where they lead', () => {
    const html = renderBody('<iframe src="https://www.youtube.com/embed/x" title="Tour" />').html;
    expect(html).toMatch(
      /<a class="op-placeholder"[^>]*>.*Tour <span class="op-placeholder-host">www\.youtube\.com/s,
    );
  });
});

test('components speak the language of their page', () => {
  const language = { kind: 'language', label: 'es', hidden: false, children: [], page: null };
  const page = testPage(
    'es/page',
    '```js\na\n```\n\n<Expandable title="x">y</Expandable>\n\n<Note>z</Note>',
    {
      trail: [language] as never,
    },
  );
  const { html } = renderTestPage(page);
  expect(html).toContain('aria-label="Copiar código"');
  expect(html).toContain('<span class="op-when-closed">Mostrar</span>');
  expect(html).toContain('role="note" aria-label="Nota"');
});

test('braces inside of an expression that is none are shown once', () => {
  const { html, warnings } = renderBody('a {JSON.parse("{"a":1}")} b\n\n<Note>after</Note>\n');
  expect(html).toContain('{JSON.parse("{"a":1}")} b');
  expect(html).toContain('callout');
  expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['invalid-expression']));
});

describe('text that follows an element in a link or a button', () => {
  test('stays on the line of the element, as in a flex row', () => {
    const { html } = renderBody('<a href="#x" className="flex">\n<svg viewBox="0 0 1 1" />\nOpen\n</a>');
    expect(html).toMatch(/<\/svg> ?Open<\/a>/);
  });

  test('paragraphs are still apart', () => {
    expect(renderBody('<a href="#x">\n\nOne\n\nTwo\n\n</a>').html).toContain('One<br>Two');
  });
});
