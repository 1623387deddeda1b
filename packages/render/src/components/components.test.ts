import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestPage, element, fence, write } from '../../test/page-scope.ts';
import type { Node, Value } from '../tree.ts';
import { components } from './index.ts';

describe('markup', () => {
  it('a card with a link has one anchor whose text is the title', () => {
    expect(write('Card', { title: 'Start', icon: 'rocket', href: '/start' }, 'Go')).toMatchSnapshot();
  });
  it('an external card opens a new tab without access to this one and shows an arrow', () => {
    const html = write('Card', { title: 'Out', href: 'https://example.com' });
    expect(html).toContain('href="https://example.com" target="_blank" rel="noopener noreferrer"');
    expect(html).toContain('class="card-arrow"');
  });
  it('a card with an unsafe link is no link', () => {
    expect(write('Card', { title: 'x', href: 'javascript:alert(1)' })).not.toContain('<a');
  });
  it('a card without a title takes its name from its text', () => {
    expect(write('Card', { href: '/x' }, 'Body text')).toContain('aria-label="Body text"');
  });
  it('a link inside the title of a linked card is unwrapped', () => {
    const title: Node = { type: 'link', url: '/y', title: null, children: [{ type: 'text', value: 'T' }] };
    expect(write('Card', { title, href: '/x' }).match(/<a/g)).toHaveLength(1);
  });
  it('column counts are clamped to 1 to 4 and may be strings', () => {
    expect(write('CardGroup', { cols: '3' })).toContain('cols-3');
    expect(write('Columns', { cols: 99 })).toContain('cols-4');
    expect(write('Columns', { cols: 'many' })).toContain('cols-2');
  });
  it.each(['Note', 'Warning', 'Info', 'Tip', 'Check', 'Danger'])(
    '%s is a named note with an icon',
    (name) => {
      expect(write(name, {}, 'Text')).toMatch(
        new RegExp(`class="callout callout-${name.toLowerCase()}" role="note" aria-label="${name}".*<svg`),
      );
    },
  );
  it('a callout takes its colour only when it is nothing but a colour', () => {
    expect(write('Callout', { color: '#f00', icon: 'star' }, 'x')).toContain('fill="#f00"');
    expect(write('Callout', { color: 'red;background:url(//x)' }, 'x')).not.toContain('url');
  });
  it('steps are numbered, may jump, and stand in the table of contents', () => {
    const page = createTestPage();
    const html = page.html([
      element(
        'Steps',
        { titleSize: 'h3' },
        element('Step', { title: 'One' }),
        element('Step', { title: 'Five', stepNumber: 5 }),
        element('Step', { title: 'Six' }),
      ),
    ]);
    expect([...html.matchAll(/data-component-part="step-number">(\d+)</g)].map((match) => match[1])).toEqual([
      '1',
      '5',
      '6',
    ]);
    expect(page.entries.map(({ depth, id }) => [depth, id])).toEqual([
      [3, 'one'],
      [3, 'five'],
      [3, 'six'],
    ]);
  });
  it('steps inside a step start at one again and the outer count goes on', () => {
    const inner = element('Steps', {}, element('Step', { title: 'a' }));
    const html = write('Steps', {}, element('Step', { title: 'x' }, inner), element('Step', { title: 'y' }));
    expect([...html.matchAll(/step-number">(\d)/g)].map((match) => match[1])).toEqual(['1', '1', '2']);
  });
  it('tabs follow the ARIA tabs pattern and keep closed panels findable', () => {
    expect(
      write(
        'Tabs',
        { defaultTabIndex: 1 },
        element('Tab', { title: 'npm' }, 'A'),
        element('Tab', { title: 'pnpm' }, 'B'),
      ),
    ).toMatchSnapshot();
  });
  it('a tab outside tabs shows its content', () => {
    expect(write('Tab', { title: 'Lone' }, 'Text')).toContain('<p>Text</p>');
  });
  it('accordions are details whose nested ids name their parents', () => {
    const html = write(
      'Accordion',
      { title: 'Parent' },
      element('Accordion', { title: 'Child', defaultOpen: true }, 'x'),
    );
    expect(html).toContain('<details id="parent" class="accordion">');
    expect(html).toContain('<details id="parent:child" class="accordion" open>');
  });
  it('a code group names its tabs by title, then by language', () => {
    const html = write('CodeGroup', {}, fence('ts', 'a', 'index.ts'), fence('bash', 'b'));
    expect([...html.matchAll(/data-label="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'index.ts',
      'Bash',
    ]);
  });
  it('untitled fences of an example are numbered', () => {
    const html = write('RequestExample', {}, fence('bash', 'a'), fence('python', 'b'));
    expect([...html.matchAll(/data-label="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'Request',
      'Request 2',
    ]);
  });
  it('a code group finds fences inside wrappers and keeps what else it holds', () => {
    const html = write('CodeGroup', {}, element('div', {}, fence('go', 'x')), 'Afterword');
    expect(html).toContain('data-label="Go"');
    expect(html).toContain('<p>Afterword</p>');
  });
  it('CodeBlock props act as the options of a fence', () => {
    const html = write(
      'CodeBlock',
      { language: 'js', filename: 'a.js', highlight: '[1]', lines: true },
      'let a',
    );
    expect(html).toContain('>a.js<');
    expect(html).toContain('class="line hl"');
    expect(html).toContain('numbered');
  });
  it('a parameter field shows name, type, place, default and whether it is required', () => {
    expect(
      write('ParamField', { query: 'limit', type: 'integer', default: 20, required: true }, 'How many.'),
    ).toMatchSnapshot();
  });
  it('a response field with false as default shows it', () => {
    expect(write('ResponseField', { name: 'ok', default: false })).toContain('default: <code>false</code>');
  });
  it('an update gives its label to the table of contents', () => {
    const page = createTestPage();
    const html = page.html([element('Update', { label: 'June 2026', tags: ['Fix'] }, 'Text')]);
    expect(page.entries).toEqual([{ depth: 2, id: 'june-2026', html: 'June 2026' }]);
    expect(html).toMatchSnapshot();
  });
  it('a tree of a Markdown list makes folders of items with a slash or a list', () => {
    const item = (value: string, ...lists: Node[]): Node => ({
      type: 'listItem',
      spread: false,
      checked: null,
      children: [{ type: 'paragraph', children: [{ type: 'text', value }] }, ...lists],
    });
    const list = (...children: Node[]): Node => ({
      type: 'list',
      ordered: false,
      start: null,
      spread: false,
      children,
    });
    const html = write('Tree', {}, list(item('src', list(item('a.ts'))), item('docs/'), item('b.ts')));
    expect(html.match(/tree-folder/g)).toHaveLength(2);
    expect(html.match(/tree-file/g)).toHaveLength(2);
  });
  it('content for agents stays out of the page', () => {
    expect(write('Visibility', { for: 'agents' }, 'secret')).toBe('');
    expect(write('Visibility', {}, 'secret')).toBe('');
    expect(write('Visibility', { for: 'humans' }, 'shown')).toContain('shown');
  });
  it('a repository that is none is a warning and shows nothing', () => {
    const page = createTestPage();
    expect(page.html([element('GitHub.Repo', { repo: 'a/b"><script>' })])).toBe('');
    expect(page.warnings).toEqual(['invalid-repository']);
  });
  it('a colour that is none is a warning and shows nothing', () => {
    const page = createTestPage();
    expect(page.html([element('Color.Item', { name: 'x', value: 'red"onload="' })])).toBe('');
    expect(page.warnings).toEqual(['invalid-color']);
  });
  it('names of the prototype are no components', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
      expect(components[name]).toBeUndefined();
  });
});

const PROPS =
  'title description icon iconType href img cta color cols caption hint name query path body header type default placeholder id label tags tip headline repo variant value level size shape filename language highlight focus for is chart src className class titleSize stepNumber defaultTabIndex pre post rss dropdown arrow horizontal required'.split(
    ' ',
  );
const MARK = 'zqzq';
const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    `"><${MARK}>`,
    `' ${MARK}=1 "`,
    `" ${MARK}="1`,
    `</code></pre><${MARK}>`,
    `<!--<${MARK}>-->`,
    `javascript:${MARK}`,
    `#fff" ${MARK}="`,
    `a\n" ${MARK}=x`,
    `]]><${MARK}>`,
    '\u0000<\u2028',
    '{{}}`' + '$' + '{1}',
  ),
);
const hostileValue: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  fc.boolean(),
  fc.double(),
  fc.constant(null),
  fc.array(hostileText, { maxLength: 3 }),
  fc.record({ light: hostileText, dark: hostileText }),
);

describe('strangers', () => {
  it.each(Object.keys(components))('no prop or text of %s breaks out of its place', (name) => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...PROPS), hostileValue, { maxKeys: 12 }),
        hostileText,
        hostileText,
        (props, text, code) => {
          const html = write(
            name,
            { ...props },
            text,
            fence(text, code, text),
            element(name, { ...props }, code),
          );
          expect(faultOf(html)).toBeNull();
        },
      ),
      { numRuns: 60 },
    );
  });
});

const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z][a-zA-Z-]*(?:="[^"<>]*")?)*)(\/?)>/y;
const VOID = new Set(['img', 'br', 'input']);

/** What makes the HTML ill-formed or lets a stranger's word be a tag or an attribute; null when nothing does. */
function faultOf(html: string): string | null {
  const open: string[] = [];
  let at = 0;
  while (at < html.length) {
    if (html[at] !== '<') {
      if (html[at] === '>') return `stray > at ${html.slice(Math.max(0, at - 40), at + 20)}`;
      at++;
      continue;
    }
    TAG.lastIndex = at;
    const match = TAG.exec(html);
    if (match === null) return `no tag at ${html.slice(at, at + 60)}`;
    const [, slash, name, attributes, selfClosing] = match as unknown as [
      string,
      string,
      string,
      string,
      string,
    ];
    if (
      name === MARK ||
      name === 'script' ||
      name === 'style' ||
      / (?:on\w+|style|zqzq)(?:[ =]|$)/i.test(attributes.replace(/"[^"]*"/g, ''))
    )
      return `foreign ${match[0]}`;
    if (/ (?:href|src)="\s*(?:javascript|data):/i.test(attributes)) return `unsafe URL ${match[0]}`;
    if (slash === '/') {
      if (open.pop() !== name) return `unbalanced </${name}>`;
    } else if (selfClosing === '' && !VOID.has(name)) open.push(name);
    at = TAG.lastIndex;
  }
  return open.length === 0 ? null : `unclosed <${open.join('> <')}>`;
}
