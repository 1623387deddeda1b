import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byComponent } from '../../test/dom.ts';
import { createTestPage, element, fence, type TestPage, write } from '../../test/page-scope.ts';
import type { Node, Props, Value } from '../tree.ts';
import { components } from './index.ts';
import { htmlOf } from './markup.ts';
import { sideView } from './side.ts';

function writeSide(page: TestPage): { kind: string; html: string } | null {
  const side = sideView(page);
  return side === null ? null : { kind: side.kind, html: htmlOf(side.view) };
}

describe('markup', () => {
  it('a card with a link has one anchor whose text is the title', () => {
    expect(write('Card', { title: 'Start', icon: 'rocket', href: '/start' }, 'Go')).toMatchSnapshot();
  });
  it('an external card opens a new tab without access to this one and shows an arrow', () => {
    const html = write('Card', { title: 'Out', href: 'https://example.com' });
    expect(html).toContain('href="https://example.com" target="_blank" rel="noopener noreferrer"');
    expect(html).toContain('class="op-card-arrow"');
  });
  it('a card with an unsafe link is not a link', () => {
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
        new RegExp(
          `class="callout op-callout op-callout-${name.toLowerCase()}" role="note" aria-label="${name}".*<svg`,
        ),
      );
    },
  );
  it('a callout takes its color only when it is nothing but a color', () => {
    expect(write('Callout', { color: '#f00', icon: 'star' }, 'x')).toContain('style="--hue:#f00"');
    expect(write('Callout', { color: 'red;background:url(//x)' }, 'x')).not.toContain('url');
  });
  it('steps are numbered, may skip numbers, and are listed in the table of contents', () => {
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
  it('steps inside a step start at one again and the outer count continues', () => {
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
    const [parent, child] = byComponent(html, 'Accordion').map(({ attributes }) => attributes);
    expect(parent).toMatchObject({ id: 'parent' });
    expect(parent).not.toHaveProperty('open');
    expect(child).toMatchObject({ id: 'parent:child', open: '' });
  });
  it('a code group names its tabs by title, then by language', () => {
    const html = write('CodeGroup', {}, fence('ts', 'a', 'index.ts'), fence('bash', 'b'));
    expect([...html.matchAll(/data-label="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'index.ts',
      'Bash',
    ]);
  });
  it('untitled fences of an example are numbered', () => {
    const page = createTestPage();
    expect(page.html([element('RequestExample', {}, fence('bash', 'a'), fence('python', 'b'))])).toBe('');
    const html = htmlOf(sideView(page)?.view ?? null);
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
  it('an invalid color is a warning and shows nothing', () => {
    const page = createTestPage();
    expect(page.html([element('Color.Item', { name: 'x', value: 'red"onload="' })])).toBe('');
    expect(page.warnings).toEqual(['invalid-color']);
  });
  it('every component passes on id, class and style', () => {
    const own = { id: 'own', className: 'mine', style: { color: 'red', background: 'url(//x)' } };
    const needs: Record<string, Props> = {
      'Color.Item': { value: '#fff' },
      'GitHub.Repo': { repo: 'a/b' },
      'Github.Repo': { repo: 'a/b' },
      Badge: {},
      Icon: { icon: 'star' },
      Tooltip: { tip: 'x' },
      Visibility: { for: 'humans' },
      ZoomImage: { src: '/a.png' },
      Update: { label: 'x' },
      View: { title: 'x' },
      Variation: { is: 'a' },
    };
    // What only stands for other content, or is written by the page's own writer.
    const others = /^(?:Visibility|Latex|Mermaid|ZoomImage|Heading|Link|Tab|MDX)$/;
    for (const name of Object.keys(components).filter((key) => !others.test(key))) {
      const page = createTestPage();
      page.variations = [{ id: 'a', label: 'A' }];
      const children: (Node | string)[] = name === 'Tabs' ? [element('Tab', { title: 'a' }, 'x')] : ['text'];
      const html =
        page.html([element(name, { ...needs[name], ...own }, ...children, fence('js', 'x'))]) +
        htmlOf(sideView(page)?.view ?? null);
      expect(html, name).toMatch(/id="own"/);
      expect(html, name).toMatch(/class="[^"]*\bmine\b/);
      expect(html, name).toMatch(/style="[^"]*color:red"/);
      expect(html, name).not.toContain('url(');
    }
  });
  it('the classes and parts that style sheets of users name are there', () => {
    const html = [
      write('Accordion', { title: 'a', icon: 'star', description: 'd' }, 'x'),
      write('AccordionGroup', {}, 'x'),
      write('Note', { title: 't' }, 'x'),
      write('CardGroup', {}, element('Card', { title: 'a', icon: 'star', cta: 'c', href: '/x' }, 'x')),
      write('CodeGroup', {}, fence('js', 'x', 'a.js icon="star"')),
      write('Expandable', { title: 'x' }, 'x'),
      write('Frame', { caption: 'c', hint: 'h' }, 'x'),
      write('Steps', {}, element('Step', { title: 'a' }, 'x')),
      write('Tabs', {}, element('Tab', { title: 'a', icon: 'star' }, 'x')),
      write('Tile', { title: 'a', href: '/x', description: 'd' }, 'x'),
      write('Tooltip', { tip: 'x' }, 'x'),
      write('Update', { label: 'x', tags: ['a'], description: 'd' }, 'x'),
      write('ResponseField', { name: 'x', type: 'y', required: true }, 'x'),
      write('Badge', { color: 'blue', size: 'sm' }, 'x'),
      write('Icon', { icon: 'star' }),
    ].join('');
    const classes =
      'accordion accordion-group callout card card-group columns code-block code-block-icon code-block-copy-button code-group expandable frame icon step steps tab-icon tabs tile tooltip update field';
    for (const name of classes.split(' '))
      expect(html, name).toMatch(new RegExp(`class="(?:[^"]* )?${name}[ "]`));
    const parts =
      'accordion-button accordion-title accordion-content callout-icon callout-content card-content-container card-icon card-title card-content card-cta code-block-root code-block-header code-block-header-filename expandable-button expandable-content frame-content frame-caption step-number step-line step-title step-content tabs-list tab-button tab-content tooltip-content update-label update-description update-tag update-content field-name field-info-pill field-required-pill field-content';
    for (const name of parts.split(' ')) expect(html, name).toContain(`data-component-part="${name}"`);
    expect(html).toContain('data-badge data-color="blue" data-size="sm"');
  });
  it('an id is taken once, and a second one gets a number', () => {
    const html = write('Columns', {}, element('Card', { id: 'a' }, 'x'), element('Card', { id: 'a' }, 'y'));
    expect([...html.matchAll(/ id="([^"]*)"/g)].map((match) => match[1])).toEqual(['a', 'a-2']);
  });
  it('a nested accordion leaves the short anchor to others', () => {
    const page = createTestPage();
    page.html([element('Accordion', { title: 'Parent' }, element('Accordion', { title: 'Child' }, 'x'))]);
    expect(page.id('child')).toBe('child');
  });
  it('a title in a button or summary holds no link', () => {
    const title: Node = { type: 'link', url: '/y', title: null, children: [{ type: 'text', value: 'T' }] };
    expect(write('Accordion', { title }, 'x')).not.toContain('<a');
    expect(write('Tabs', {}, element('Tab', { title }, 'x'))).not.toContain('<a');
    const page = createTestPage();
    page.html([element('Step', { title }, 'x')]);
    expect(page.entries[0]?.html).toBe('T');
  });
  it('a typed card has the sign of its kind, or its own', () => {
    expect(write('Card', { title: 'x', type: 'warning' })).toMatch(/card-warning.*card-icon.*<svg/);
    expect(write('Card', { title: 'x', type: 'constructor' })).not.toContain('<svg');
  });
  it('a disabled card or badge is not a link', () => {
    expect(write('Card', { title: 'x', href: '/x', disabled: true })).not.toContain('<a');
    expect(write('Badge', { href: '/x', disabled: true }, 'x')).not.toContain('<a');
  });
  it('tabs that do not follow others are marked, with a flag or with text', () => {
    for (const sync of [false, 'false'])
      expect(write('Tabs', { sync }, element('Tab', { title: 'a' }, 'x'))).not.toContain('data-op-sync');
  });
  it('steps without an anchor keep their id', () => {
    const html = write('Steps', {}, element('Step', { title: 'One', noAnchor: true }, 'x'));
    expect(html).toContain('<p id="one"');
    expect(html).not.toContain('heading-anchor');
  });
  it('a video that plays by itself in a frame is silent; others are left alone', () => {
    const video = (props: Props) => write('Frame', {}, element('probe', props));
    expect(video({})).not.toContain('muted');
    const seen: Props[] = [];
    const page = createTestPage();
    page.html = (nodes) => {
      for (const node of nodes) if (node.type === 'element') seen.push(node.props);
      return '';
    };
    components.Frame?.view({}, [element('video', { autoPlay: true }), element('video', { src: '/a' })], page);
    expect(seen).toEqual([{ autoPlay: true, playsInline: true, loop: true, muted: true }, { src: '/a' }]);
  });
  it('a hint in a label of the contents or in a link is its term alone', () => {
    const page = createTestPage();
    const hint = element('Tooltip', { tip: 'long' }, 'term');
    expect(page.withoutLinks(() => page.html([hint]))).toBe('term');
  });
  it('a hint has the role tooltip only without a link', () => {
    expect(write('Tooltip', { tip: 'x' }, 'term')).toContain('role="tooltip"');
    const html = write('Tooltip', { tip: 'x', cta: 'More', href: '/x' }, 'term');
    expect(html).not.toContain('role="tooltip"');
    expect(html).toContain('<a class="op-tooltip-cta" data-component-part="tooltip-cta" href="/x">More</a>');
  });
  it('the first view shows and brings the chooser, further ones wait', () => {
    const page = createTestPage();
    const html = page.html([
      element('View', { title: 'A' }, 'a'),
      element('View', { title: 'B' }, 'b'),
      element('View', { title: 'A' }, 'c'),
    ]);
    expect(html.match(/id="multi-view-dropdown"/g)).toHaveLength(1);
    expect(
      [...html.matchAll(/data-view="(.)" aria-label="."( hidden="until-found")?/g)].map((m) => m.slice(1)),
    ).toEqual([
      ['A', undefined],
      ['B', ' hidden="until-found"'],
      ['A', undefined],
    ]);
  });
  it('an example of a view comes and goes with it', () => {
    const page = createTestPage();
    const example = (text: string) => element('RequestExample', {}, fence('bash', text));
    page.html([element('View', { title: 'A' }, example('a')), element('View', { title: 'B' }, example('b'))]);
    const parts = [
      ...htmlOf(sideView(page)?.view ?? null).matchAll(/class="op-view-part" data-view="(.)"( hidden)?/g),
    ];
    expect(parts.map(([, name, hidden]) => [name, hidden])).toEqual([
      ['A', undefined],
      ['B', ' hidden'],
    ]);
  });
  it('ids of accordions in accordions stay short', () => {
    const title = 'long title '.repeat(20);
    let inner: Node = element('Accordion', { title }, 'x');
    for (let level = 0; level < 30; level++) inner = element('Accordion', { title }, inner);
    const html = createTestPage().html([inner]);
    for (const [, id = ''] of html.matchAll(/ id="([^"]*)"/g)) expect(id.length).toBeLessThan(700);
  });
  it('content of the first variation shows; one that docs.json does not know is a warning and shows', () => {
    const page = createTestPage();
    page.variations = [
      { id: 'cloud', label: 'Cloud' },
      { id: 'own', label: 'Own' },
    ];
    expect(page.html([element('Variation', { is: ['own', 'cloud'] }, 'x')])).not.toContain(' hidden');
    expect(page.html([element('Variation', { is: 'own' }, 'x')])).toContain(' hidden');
    expect(page.html([element('Variation', { is: 'none' }, 'x')])).toBe('<p>x</p>');
    expect(page.warnings).toEqual(['unknown-variation']);
  });
  it('a panel, an example and filters go to the side column; without that column, an example stays in place', () => {
    const page = createTestPage();
    expect(page.html([element('Panel', {}, element('RequestExample', {}, fence('bash', 'a')))])).toBe('');
    expect(writeSide(page)).toMatchObject({
      kind: 'panel',
      html: expect.stringContaining('id="request-example"'),
    });
    const narrow = createTestPage();
    narrow.hasSide = false;
    expect(narrow.html([element('Panel', {}, 'x')])).toBe('');
    expect(narrow.html([element('RequestExample', {}, fence('bash', 'a'))])).toContain(
      'id="request-example"',
    );
    expect(writeSide(narrow)).toBeNull();
  });
  it('an example or a panel in a step stays in its step', () => {
    const page = createTestPage();
    const panel = element('Panel', {}, 'beside');
    expect(page.html([element('Steps', {}, element('Step', { title: 'x' }, panel))])).toContain(
      '<p>beside</p></aside>',
    );
    expect(writeSide(page)).toBeNull();
    const example = element('RequestExample', {}, fence('bash', 'a'));
    expect(write('Steps', {}, element('Step', { title: 'x' }, example))).toContain('id="request-example"');
  });
  it('the tags of all updates are offered once each', () => {
    const page = createTestPage();
    page.html([
      element('Update', { label: 'a', tags: ['x', 'y'] }, 't'),
      element('Update', { label: 'b', tags: ['y'] }, 't'),
    ]);
    const side = writeSide(page);
    expect(side?.kind).toBe('filters');
    expect([...(side?.html ?? '').matchAll(/data-tag="(.)"/g)].map((match) => match[1])).toEqual(['x', 'y']);
  });
  it('a prompt offers the actions that it lists, and its link contains the whole text', () => {
    const html = write('Prompt', { actions: ['copy', 'cursor'] }, 'Ask & "tell" #1');
    expect(html).toContain(
      'href="cursor://anysphere.cursor-deeplink/prompt?text=Ask%20%26%20%22tell%22%20%231"',
    );
    expect(html).toContain('data-op-copy-label="Copied"');
    expect(write('Prompt', { actions: ['cursor'] }, 'x')).not.toContain('data-op-copy-label');
    expect(write('Prompt', {}, 'x')).not.toContain('cursor://');
  });
  it('a tree folder that cannot be opened is open and no toggle', () => {
    const html = write(
      'Tree',
      {},
      element('Tree.Folder', { name: 'a', openable: false }, element('Tree.File', { name: 'b' })),
    );
    expect(html).not.toMatch(/aria-expanded| hidden/);
    expect(html).toContain('>b<');
  });
  it('a color for light and dark pages copies the visible one', () => {
    const html = write('Color.Item', { name: 'x', value: { light: '#fff', dark: '#000' } });
    expect(html).toContain('data-op-copy="#fff" data-op-copy-dark="#000"');
  });
  it('a field lists its allowed values and shows data as a default', () => {
    const html = write('ParamField', { body: 'k', enum: ['a', 1], default: { a: 1 } }, 'x');
    expect(html).toContain('Allowed values: <code>a</code> <code>1</code>');
    expect(html).toContain('default: <code>{"a":1}</code>');
  });
  it('code given as text keeps its lines', () => {
    const text: Node = { type: 'text', value: '\n  a\n    b\n' };
    expect(write('CodeBlock', { language: 'text' }, text)).toContain('<code>  a\n    b</code>');
  });
  it('names of Object.prototype are not components', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
      expect(components[name]).toBeUndefined();
  });
});

const PROPS =
  'title description icon iconType href img cta color cols caption hint name query path body header type default placeholder id label tags style enum actions actionsPlacement is value tip headline repo variant value level size shape filename language highlight focus for is chart src className class titleSize stepNumber defaultTabIndex pre post rss dropdown arrow horizontal required'.split(
    ' ',
  );
/** The one attribute that may hold declarations, none of which loads or runs anything. */
const UNSAFE_STYLE = / style="[^"]*(?:url\s*\(|expression\s*\(|@import|[{}<])/i;
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
  fc.record({ color: hostileText, '--x': hostileText, background: fc.constant('url(//zqzq)') }),
);

describe('strangers', () => {
  it.each(Object.keys(components))('no prop or text of %s breaks out of its place', (name) => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...PROPS), hostileValue, { maxKeys: 12 }),
        hostileText,
        hostileText,
        (props, text, code) => {
          const page = createTestPage();
          page.variations = [
            { id: 'a', label: text },
            { id: 'b', label: code },
          ];
          const inner = element(name, { ...props, is: 'a' }, code);
          const html =
            page.html([element(name, { ...props }, text, fence(text, code, text), inner)]) +
            htmlOf(sideView(page)?.view ?? null);
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
      / (?:on\w+|zqzq)(?:[ =]|$)/i.test(attributes.replace(/"[^"]*"/g, '')) ||
      UNSAFE_STYLE.test(attributes)
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
