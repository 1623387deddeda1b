import { describe, expect, test } from 'vitest';
import { byId, byRole, find, findOne, has, type Query, readText, textsOf } from './dom.ts';
import { renderBody, renderTestPage, testPage } from './mdx-page.ts';

describe('table of contents', () => {
  test('an update brings its label; headings inside keep their ids and stay out', () => {
    const page = renderBody(
      '<Update label="May">\n\n## Added\n\n<Steps>\n<Step title="One">x</Step>\n</Steps>\n\n</Update>\n\n## After',
    );
    expect(page.toc.map(({ id }) => id)).toEqual(['may', 'after']);
    expect(byId(page.html, 'added')).toMatchObject({ role: 'heading', level: 2, text: 'Added' });
    expect([...page.ids]).toContain('added');
  });

  test('a component that fails inside an update does not silence what follows', () => {
    const page = renderBody('<Update label="May">\n\n{[].x.y}\n\n</Update>\n\n## After');
    expect(page.toc.map(({ id }) => id)).toEqual(['may', 'after']);
  });
});

describe('what stands for a file of another host', () => {
  const remote = 'https://cdn.example.com/a.png';
  const inParagraph: Query = { within: { role: 'paragraph' } };

  test('alone in a paragraph it takes the place of the picture, in a line it stays small', () => {
    const alone = findOne(renderBody(`![A chart](${remote})`).html, { role: 'link' });
    expect(alone).toMatchObject({ name: 'A chart cdn.example.com', attributes: { href: remote } });
    expect(alone.closest({ role: 'paragraph' })).toBeNull();
    const inLine = findOne(renderBody(`See ![it](${remote}) here`).html, { role: 'link', ...inParagraph });
    expect(inLine).toMatchObject({ name: 'it cdn.example.com', attributes: { href: remote } });
    expect(inLine.classes).not.toEqual(alone.classes);
  });

  test('it keeps the classes that show one of two pictures', () => {
    const html = renderBody(`<img className="block dark:hidden" src="${remote}" alt="x" />`).html;
    expect(byRole(html, 'link')).toHaveLength(1);
    expect(has(html, { role: 'link', class: 'block dark:hidden' })).toBe(true);
    const missing = renderBody('<img className="hidden dark:block" src="/none.png" alt="x" />').html;
    expect(findOne(missing, { class: 'hidden dark:block' })).toMatchObject({ role: '', text: /x/ });
  });

  test.each([
    `<img src="${remote}" width={24} height={24} alt="Logo" />`,
    `<img src="${remote}" height="40px" alt="Logo" />`,
    `<img className="tile-icon" src="${remote}" alt="" />`,
  ])('an image without room for text is replaced by an icon with a title: %s', (body) => {
    const { html } = renderBody(body);
    const link = findOne(html, { role: 'link', attributes: { href: remote } });
    expect(link.attributes.title).toMatch(/^(?:Logo )?cdn\.example\.com$/);
    expect(link.children).toMatchObject([{ tag: 'svg' }]);
    expect(readText(html)).toBe('');
  });

  test.each([
    `<img src="${remote}" width="640" alt="Chart" />`,
    `<img src="${remote}" width="100%" alt="Chart" />`,
    `<img src="${remote}" alt="" />`,
    `![](${remote})`,
  ])('an image with room for text is replaced by its text and host: %s', (body) => {
    const link = findOne(renderBody(body).html, { role: 'link', attributes: { href: remote } });
    expect(link.text).toMatch(/^(?:Chart )?cdn\.example\.com$/);
  });

  test.each([
    `<a href="/x"><img src="${remote}" alt="x" /></a>`,
    `[![x](${remote})](/x)`,
    '<a href="/x"><h3>Title</h3></a>',
    '<a href="/x">[y](/y)</a>',
  ])('no link stands inside another one: %s', (body) => {
    const { html } = renderBody(body, { pages: ['x', 'y'] });
    expect(find(html, { tag: 'a' })).toHaveLength(1);
  });

  test('a frame and a film become links that name where they lead', () => {
    const html = renderBody('<iframe src="https://www.youtube.com/embed/x" title="Tour" />').html;
    expect(byRole(html, 'link')).toMatchObject([
      { name: 'Tour www.youtube.com', attributes: { href: 'https://www.youtube.com/embed/x' } },
    ]);
    expect(has(html, { tag: 'iframe' })).toBe(false);
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
  expect(byRole(html, 'button', 'Copiar código')).toHaveLength(1);
  expect(textsOf(html, { role: 'summary' })).toEqual([expect.stringMatching(/^Mostrar/)]);
  expect(byRole(html, 'note', 'Nota')).toHaveLength(1);
});

test('braces inside of an expression that is none are shown once', () => {
  const { html, warnings } = renderBody('a {JSON.parse("{"a":1}")} b\n\n<Note>after</Note>\n');
  expect(textsOf(html, { role: 'paragraph' })).toEqual(['a {JSON.parse("{"a":1}")} b']);
  expect(textsOf(html, { role: 'note' })).toEqual(['after']);
  expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['invalid-expression']));
});

describe('text that follows an element in a link or a button', () => {
  test('stays on the line of the element, as in a flex row', () => {
    const { html } = renderBody('<a href="#x" className="flex">\n<svg viewBox="0 0 1 1" />\nOpen\n</a>');
    const link = findOne(html, { role: 'link' });
    expect(link.children).toMatchObject([{ tag: 'svg' }]);
    expect(link.rawText).toMatch(/^\s*Open$/);
  });

  test('paragraphs are still apart', () => {
    const link = findOne(renderBody('<a href="#x">\n\nOne\n\nTwo\n\n</a>').html, { role: 'link' });
    expect(link).toMatchObject({ rawText: 'OneTwo', children: [{ tag: 'br' }] });
  });
});
