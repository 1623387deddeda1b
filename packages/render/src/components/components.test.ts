import { describe, expect, it } from 'vitest';
import {
  byComponent,
  byId,
  byPart,
  byRole,
  byText,
  find,
  findOne,
  has,
  readHtml,
  readRoots,
  readText,
  type Shown,
  textsOf,
  valuesOf,
} from '../../test/dom.ts';
import { renderFiles, textOf } from '../../test/output.ts';
import { createTestPage, element, fence, type TestPage, write } from '../../test/page-scope.ts';
import { openSearch } from '../../test/search-site.ts';
import type { Node, Props } from '../tree.ts';
import { components } from './index.ts';
import { htmlOf } from './markup.ts';
import { sideView } from './side.ts';

function writeSide(page: TestPage): { kind: string; html: string } | null {
  const side = sideView(page);
  return side === null ? null : { kind: side.kind, html: htmlOf(side.view) };
}

const linkTitle: Node = { type: 'link', url: '/y', title: null, children: [{ type: 'text', value: 'T' }] };
/** The shape of the first icon. */
const drawingOf = (html: string): string | undefined => valuesOf(html, 'd', { tag: 'path' })[0];
const isOpen = ({ attributes }: Shown): boolean => 'open' in attributes;

describe('cards', () => {
  it('has one link, named by the title, around which icon and text stay', () => {
    const card = findOne(write('Card', { title: 'Start', icon: 'rocket', href: '/start' }, 'Go'), {
      component: 'Card',
      class: 'card',
    });
    const [link, ...others] = byRole(card, 'link');
    expect(others).toEqual([]);
    expect(link).toMatchObject({ name: 'Start', attributes: { href: '/start' } });
    expect(link?.attributes).not.toHaveProperty('target');
    expect(link?.closest({ part: 'card-title' })).not.toBeNull();
    expect(findOne(card, { part: 'card-icon', within: { part: 'card-content-container' } })).toMatchObject({
      children: [{ tag: 'svg', attributes: { 'aria-hidden': 'true' } }],
    });
    expect(findOne(card, { part: 'card-content' }).text).toBe('Go');
    expect(has(card, { part: 'card-arrow' })).toBe(false);
  });
  it('shows its description if it has no content', () => {
    const body = (...content: string[]) =>
      findOne(write('Card', { title: 'Start', description: 'In brief' }, ...content), {
        part: 'card-content',
      }).text;
    expect(body()).toBe('In brief');
    expect(body('At length')).toBe('At length');
  });
  it('opens an external link in a new tab without access to this one and shows an arrow', () => {
    const html = write('Card', { title: 'Out', href: 'https://example.com' });
    expect(findOne(html, { role: 'link', name: 'Out' }).attributes).toMatchObject({
      href: 'https://example.com',
      target: '_blank',
      rel: 'noopener noreferrer',
    });
    expect(findOne(html, { part: 'card-arrow' }).attributes['aria-hidden']).toBe('true');
  });
  it('is not a link if the link is unsafe', () => {
    const html = write('Card', { title: 'x', href: 'javascript:alert(1)' });
    expect(find(html, { tag: 'a' })).toEqual([]);
    expect(findOne(html, { part: 'card-title' }).text).toBe('x');
  });
  it('names the link of a card without a title by its text', () => {
    expect(byRole(write('Card', { href: '/x' }, 'Body text'), 'link', 'Body text')).toHaveLength(1);
  });
  it('unwraps a link inside the title of a linked card', () => {
    const html = write('Card', { title: linkTitle, href: '/x' });
    expect(valuesOf(html, 'href')).toEqual(['/x']);
    expect(byRole(html, 'link', 'T')).toHaveLength(1);
  });
  it('clamps column counts to 1 to 4 and reads them from strings', () => {
    const columns = (cols?: unknown): string => write('Columns', { cols: cols as string });
    expect(new Set([1, 2, 3, 4].map(columns)).size).toBe(4);
    expect(write('CardGroup', { cols: '3' })).toBe(write('CardGroup', { cols: 3 }));
    expect(columns('3')).toBe(columns(3));
    expect(columns(99)).toBe(columns(4));
    expect(columns(-1)).toBe(columns(1));
    expect(columns('many')).toBe(columns(2));
    expect(columns()).toBe(columns(2));
  });
  it('shows the icon of the kind that `type` names, or no icon', () => {
    const html = write('Card', { title: 'x', type: 'warning' });
    expect(find(html, { tag: 'svg', within: { part: 'card-icon' } })).toHaveLength(1);
    expect(drawingOf(html)).toBe(drawingOf(write('Warning', {}, 'x')));
    expect(html).not.toBe(write('Card', { title: 'x', type: 'danger' }));
    expect(has(write('Card', { title: 'x', type: 'constructor' }), { tag: 'svg' })).toBe(false);
  });
  it('makes a disabled card or badge no link, and says that it is disabled', () => {
    for (const html of [
      write('Card', { title: 'x', href: '/x', disabled: true }),
      write('Badge', { href: '/x', disabled: true }, 'x'),
    ]) {
      expect(has(html, { tag: 'a' })).toBe(false);
      expect(readRoots(html)).toMatchObject([{ text: 'x', attributes: { 'aria-disabled': 'true' } }]);
    }
  });
});

describe('callouts', () => {
  it.each(['Note', 'Warning', 'Info', 'Tip', 'Check', 'Danger'])(
    '%s is a named note with an icon',
    (name) => {
      const note = findOne(write(name, {}, 'Text'), { role: 'note', name, class: 'callout' });
      expect(note.attributes['data-callout-type']).toBe(name.toLowerCase());
      expect(find(note, { tag: 'svg', within: { part: 'callout-icon' } })).toHaveLength(1);
      expect(findOne(note, { part: 'callout-content' }).text).toBe('Text');
    },
  );
  it('takes a color only when it is nothing but a color', () => {
    const styleOf = (color: string) =>
      findOne(write('Callout', { color, icon: 'star' }, 'x'), { role: 'note' }).attributes.style;
    expect(styleOf('#f00')).toBe('--hue:#f00');
    expect(styleOf('red;background:url(//x)')).toBeUndefined();
  });
});

describe('steps', () => {
  it('are numbered, may skip numbers, and are listed in the table of contents', () => {
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
    expect(textsOf(html, { part: 'step-number' })).toEqual(['1', '5', '6']);
    expect(byRole(html, 'listitem')).toHaveLength(3);
    expect(find(html, { role: 'heading', level: 3, id: 'five', name: 'Five' })).toHaveLength(1);
    expect(page.entries.map(({ depth, id }) => [depth, id])).toEqual([
      [3, 'one'],
      [3, 'five'],
      [3, 'six'],
    ]);
  });
  it('start at one inside a step, and the outer count continues', () => {
    const inner = element('Steps', {}, element('Step', { title: 'a' }));
    const html = write('Steps', {}, element('Step', { title: 'x' }, inner), element('Step', { title: 'y' }));
    expect(textsOf(html, { part: 'step-number' })).toEqual(['1', '1', '2']);
  });
  it('keep their id without an anchor', () => {
    const step = (noAnchor: boolean) => write('Steps', {}, element('Step', { title: 'One', noAnchor }, 'x'));
    expect(valuesOf(step(false), 'href')).toEqual(['#one']);
    expect(valuesOf(step(true), 'href')).toEqual([]);
    expect(byId(step(true), 'one')).toMatchObject({ part: 'step-title', text: 'One' });
  });
});

describe('tabs', () => {
  const html = write(
    'Tabs',
    { defaultTabIndex: 1 },
    element('Tab', { title: 'npm' }, 'A'),
    element('Tab', { title: 'pnpm' }, 'B'),
  );
  it('follow the ARIA tabs pattern: each tab controls the panel that it names', () => {
    const tabs = find(html, { role: 'tab', within: { role: 'tablist' } });
    expect(tabs.map(({ name, attributes }) => [name, attributes['aria-selected']])).toEqual([
      ['npm', 'false'],
      ['pnpm', 'true'],
    ]);
    expect(tabs.map(({ attributes }) => attributes.tabindex)).toEqual(['-1', undefined]);
    for (const tab of tabs) expect(tab.controls).toMatchObject([{ role: 'tabpanel', name: tab.name }]);
    expect(byRole(html, 'tabpanel').map((panel) => byText(panel, /^[AB]$/)[0]?.text)).toEqual(['A', 'B']);
  });
  it('keep the text of closed panels findable', () => {
    expect(byRole(html, 'tabpanel').map(({ attributes }) => attributes.hidden)).toEqual([
      'until-found',
      undefined,
    ]);
  });
  it('show the content of a tab outside tabs', () => {
    expect(byRole(write('Tab', { title: 'Lone' }, 'Text'), 'paragraph').map(({ text }) => text)).toEqual([
      'Lone',
      'Text',
    ]);
  });
  it('follow others of the page unless a flag or text says not to', () => {
    const syncOf = (props: Props) =>
      find(write('Tabs', props, element('Tab', { title: 'a' }, 'x')), {
        component: 'Tabs',
        attributes: { 'data-op-tabs': true, 'data-op-sync': true },
      }).length;
    expect([{}, { sync: true }, { sync: false }, { sync: 'false' }].map(syncOf)).toEqual([1, 1, 0, 0]);
  });
});

describe('accordions', () => {
  it('are disclosures whose nested ids name their parents', () => {
    const html = write(
      'Accordion',
      { title: 'Parent' },
      element('Accordion', { title: 'Child', defaultOpen: true }, 'x'),
    );
    const accordions = byComponent(html, 'Accordion');
    expect(accordions.map(({ tag, id }) => [tag, id])).toEqual([
      ['details', 'parent'],
      ['details', 'parent:child'],
    ]);
    expect(accordions.map(isOpen)).toEqual([false, true]);
    expect(byRole(html, 'summary').map(({ name }) => name)).toEqual(['Parent', 'Child']);
  });
  it('leave the short anchor of a nested accordion to others', () => {
    const page = createTestPage();
    page.html([element('Accordion', { title: 'Parent' }, element('Accordion', { title: 'Child' }, 'x'))]);
    expect(page.id('child')).toBe('child');
  });
  it('keep ids short at any depth', () => {
    const title = 'long title '.repeat(20);
    let inner: Node = element('Accordion', { title }, 'x');
    for (let level = 0; level < 30; level++) inner = element('Accordion', { title }, inner);
    const ids = valuesOf(createTestPage().html([inner]), 'id');
    expect(ids).toHaveLength(31);
    for (const id of ids) expect(id.length).toBeLessThan(700);
  });
  it('contain no link in their title, nor do tabs and entries of the contents', () => {
    expect(has(write('Accordion', { title: linkTitle }, 'x'), { tag: 'a' })).toBe(false);
    expect(has(write('Tabs', {}, element('Tab', { title: linkTitle }, 'x')), { tag: 'a' })).toBe(false);
    const page = createTestPage();
    page.html([element('Step', { title: linkTitle }, 'x')]);
    expect(page.entries[0]?.html).toBe('T');
  });
});

describe('code in titles', () => {
  const code = (html: string): string[] => textsOf(html, { tag: 'code' });
  it.each([
    ['Step', 'title'],
    ['Accordion', 'title'],
    ['Accordion', 'description'],
    ['Expandable', 'title'],
    ['Tab', 'title'],
    ['Card', 'title'],
    ['Note', 'title'],
    ['Tooltip', 'headline'],
    ['Update', 'label'],
  ])('is shown as inline code in %s, prop %s', (name, prop) => {
    const html = write(name, { [prop]: 'Set `NAME` and `A*B*`' }, 'x');
    expect(code(html)).toEqual(['NAME', 'A*B*']);
    expect(readText(html)).toContain('Set NAME and A*B*');
    expect(html).not.toContain('`');
  });
  it('is shown in the table of contents too', () => {
    const page = createTestPage();
    page.html([element('Step', { title: 'Run `npm <i>`' }, 'x')]);
    expect(page.entries[0]).toMatchObject({ id: 'run-npm-i', html: 'Run <code>npm &lt;i&gt;</code>' });
  });
  it('ends at a run of as many backticks', () => {
    const html = write('Accordion', { title: 'A ``` and ``b`c`` d' }, 'x');
    expect(code(html)).toEqual(['b`c']);
    expect(readText(html)).toContain('A ``` and b`c d');
  });
  it('leaves other Markdown of titles as text', () => {
    expect(readText(write('Accordion', { title: '2 ** 3 [x](y)' }, 'x'))).toContain('2 ** 3 [x](y)');
  });
});

describe('code', () => {
  const tabNames = (html: string): string[] => byRole(html, 'tab').map(({ name }) => name);

  it('names the tabs of a group by title, then by language', () => {
    const html = write('CodeGroup', {}, fence('ts', 'a', 'index.ts'), fence('bash', 'b'));
    expect(tabNames(html)).toEqual(['index.ts', 'Bash']);
    expect(valuesOf(html, 'data-label')).toEqual(['index.ts', 'Bash']);
  });
  it('numbers the untitled fences of an example', () => {
    const page = createTestPage();
    expect(page.html([element('RequestExample', {}, fence('bash', 'a'), fence('python', 'b'))])).toBe('');
    expect(tabNames(writeSide(page)?.html ?? '')).toEqual(['Request', 'Request 2']);
  });
  it('finds the fences of a group inside wrappers and keeps what else it contains', () => {
    const html = write('CodeGroup', {}, element('div', {}, fence('go', 'x')), 'Afterword');
    expect(tabNames(html)).toEqual(['Go']);
    expect(byText(html, 'Afterword')).toMatchObject([{ role: 'paragraph' }]);
  });
  it('reads the props of CodeBlock as the options of a fence', () => {
    const html = write(
      'CodeBlock',
      { language: 'js', filename: 'a.js', highlight: '[1]', lines: true },
      'let a',
    );
    expect(findOne(html, { part: 'code-block-header-filename' }).text).toBe('a.js');
    const block = findOne(html, {
      class: 'code-block numbered',
      attributes: { 'data-language': 'javascript' },
    });
    expect(textsOf(block, { class: 'line hl' })).toEqual(['let a']);
  });
  it('keeps the lines of code that is given as text', () => {
    const text: Node = { type: 'text', value: '\n  a\n    b\n' };
    const html = write('CodeBlock', { language: 'text' }, text);
    expect(findOne(html, { role: 'code' }).rawText).toBe('  a\n    b');
  });
});

describe('fields', () => {
  it('show name, type, place, default and whether a parameter is required', () => {
    const html = write(
      'ParamField',
      { query: 'limit', type: 'integer', default: 20, required: true },
      'How many.',
    );
    const field = findOne(html, { component: 'ParamField', class: 'field', id: 'param-limit' });
    expect(findOne(field, { part: 'field-name' })).toMatchObject({ role: 'code', text: 'limit' });
    expect(textsOf(field, { part: 'field-info-pill' })).toEqual(['integer', 'query', 'default: 20']);
    expect(findOne(field, { part: 'field-required-pill' }).text).toBe('required');
    expect(findOne(field, { part: 'field-content' }).text).toBe('How many.');
    expect(findOne(field, { role: 'link', name: 'Link to limit' }).attributes.href).toBe('#param-limit');
  });
  it('show false as a default', () => {
    const html = write('ResponseField', { name: 'ok', default: false });
    expect(findOne(html, { part: 'field-info-pill', has: { role: 'code', text: 'false' } }).text).toBe(
      'default: false',
    );
  });
  it('list allowed values, and show data as a default', () => {
    const html = write('ParamField', { body: 'k', enum: ['a', 1], default: { a: 1 } }, 'x');
    const values = findOne(html, { role: 'paragraph', text: 'Allowed values: a 1' });
    expect(textsOf(values, { role: 'code' })).toEqual(['a', '1']);
    expect(byText(html, '{"a":1}')).toMatchObject([{ role: 'code', parent: { text: 'default: {"a":1}' } }]);
  });
});

describe('updates', () => {
  it('give their label to the table of contents and to their anchor', () => {
    const page = createTestPage();
    const html = page.html([element('Update', { label: 'June 2026', tags: ['Fix'] }, 'Text')]);
    expect(page.entries).toEqual([{ depth: 2, id: 'june-2026', html: 'June 2026' }]);
    const update = findOne(html, { role: 'article', name: 'June 2026', class: 'update', id: 'june-2026' });
    expect(update.attributes['data-tags']).toBe('["Fix"]');
    expect(findOne(update, { role: 'link', name: 'June 2026' })).toMatchObject({
      part: 'update-label',
      attributes: { href: '#june-2026' },
    });
    expect(textsOf(update, { part: 'update-tag', within: { part: 'update-tag-list' } })).toEqual(['Fix']);
    expect(findOne(update, { part: 'update-content' }).text).toBe('Text');
  });
  it('offer the tags of all updates once each', () => {
    const page = createTestPage();
    page.html([
      element('Update', { label: 'a', tags: ['x', 'y'] }, 't'),
      element('Update', { label: 'b', tags: ['y'] }, 't'),
    ]);
    const side = writeSide(page);
    expect(side?.kind).toBe('filters');
    const filters = find(side?.html ?? '', { role: 'button', attributes: { 'aria-pressed': 'false' } });
    expect(filters.map(({ name, attributes }) => [name, attributes['data-tag']])).toEqual([
      ['x', 'x'],
      ['y', 'y'],
    ]);
  });
});

describe('trees', () => {
  it('make folders of the list items with a slash or a list', () => {
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
    const namesOf = (className: string) =>
      find(html, { class: className }).map((entry) => byRole(entry, 'treeitem')[0]?.name);
    expect(namesOf('tree-folder')).toEqual(['src', 'docs']);
    expect(namesOf('tree-file')).toEqual(['a.ts', 'b.ts']);
    expect(byRole(html, 'treeitem').map(({ level }) => level)).toEqual([1, 2, 1, 1]);
    expect(findOne(html, { role: 'treeitem', name: 'a.ts' }).closest({ role: 'group' })?.name).toBe('src');
  });
  it('show a folder that cannot be opened as open, and without a toggle', () => {
    const folder = (openable: boolean) =>
      write('Tree', {}, element('Tree.Folder', { name: 'a', openable }, element('Tree.File', { name: 'b' })));
    expect(findOne(folder(true), { role: 'treeitem', name: 'b' }).isHidden).toBe(true);
    expect(findOne(folder(false), { role: 'treeitem', name: 'b' }).isHidden).toBe(false);
    expect(valuesOf(folder(true), 'aria-expanded')).toEqual(['false']);
    expect(valuesOf(folder(false), 'aria-expanded')).toEqual([]);
  });
});

describe('hints', () => {
  const hint = (props: Props = {}) => write('Tooltip', { tip: 'long', ...props }, 'term');

  it('describe their term', () => {
    expect(findOne(hint(), { part: 'tooltip-trigger' })).toMatchObject({
      text: 'term',
      describedBy: [{ role: 'tooltip', text: 'long' }],
    });
  });
  it('are their term alone in a label of the contents or in a link', () => {
    const page = createTestPage();
    const node = element('Tooltip', { tip: 'long' }, 'term');
    expect(page.withoutLinks(() => page.html([node]))).toBe('term');
  });
  it('are reached by the keyboard once, also if their term has no link or a refused one', async () => {
    const terms = {
      text: 'term',
      refused: '[term](javascript:x)',
      link: '[term](/other)',
      disabled: '<Badge href="/other" disabled>term</Badge>',
      badge: '<Badge href="/other">term</Badge>',
      button: '<button>term</button>',
    };
    const body = Object.values(terms).map((term) => `<Tooltip tip="x">${term}</Tooltip>`);
    const output = await renderFiles({
      'docs.json': JSON.stringify({ name: 'Site', navigation: { pages: ['index', 'other'] } }),
      'index.mdx': body.join('\n\n'),
      'other.mdx': 'Text.',
    });
    const stops = byPart(textOf(output, 'index.html'), 'tooltip-trigger').map(
      ({ attributes }) => attributes.tabindex === '0',
    );
    expect(Object.keys(terms).filter((_, at) => stops[at])).toEqual(['text', 'refused', 'disabled']);
  });
  it('have the role tooltip only without a link', () => {
    expect(byRole(hint(), 'tooltip', 'long')).toHaveLength(1);
    const html = hint({ cta: 'More', href: '/x' });
    expect(byRole(html, 'tooltip')).toEqual([]);
    expect(byRole(html, 'link', 'More')).toMatchObject([{ part: 'tooltip-cta', attributes: { href: '/x' } }]);
  });
});

describe('views and variations', () => {
  it('show the first view and bring the chooser; further ones wait', () => {
    const page = createTestPage();
    const html = page.html([
      element('View', { title: 'A' }, 'a'),
      element('View', { title: 'B' }, 'b'),
      element('View', { title: 'A' }, 'c'),
    ]);
    expect(find(html, { id: 'multi-view-dropdown' })).toHaveLength(1);
    const views = byRole(html, 'region');
    expect(views.map(({ name, attributes }) => [name, attributes['data-view'], attributes.hidden])).toEqual([
      ['A', 'A', undefined],
      ['B', 'B', 'until-found'],
      ['A', 'A', undefined],
    ]);
  });
  it('hide and show an example together with its view', () => {
    const page = createTestPage();
    const example = (text: string) => element('RequestExample', {}, fence('bash', text));
    page.html([element('View', { title: 'A' }, example('a')), element('View', { title: 'B' }, example('b'))]);
    const examples = find(writeSide(page)?.html ?? '', { class: 'request-example' });
    const views = examples.map((each) => each.closest({ attributes: { 'data-view': true } }));
    expect(views.map((view) => [view?.attributes['data-view'], view?.isHidden])).toEqual([
      ['A', false],
      ['B', true],
    ]);
  });
  it('show the content of the first variation, and with a warning that of one which docs.json does not name', () => {
    const page = createTestPage();
    page.variations = [
      { id: 'cloud', label: 'Cloud' },
      { id: 'own', label: 'Own' },
    ];
    const isHidden = (is: string | string[]) =>
      byText(page.html([element('Variation', { is }, 'x')]), 'x')[0]?.isHidden;
    expect(isHidden(['own', 'cloud'])).toBe(false);
    expect(isHidden('own')).toBe(true);
    expect(isHidden('none')).toBe(false);
    expect(page.warnings).toEqual(['unknown-variation']);
  });
});

describe('the side column', () => {
  const example = element('RequestExample', {}, fence('bash', 'a'));

  it('takes panels, examples and filters; without that column, an example stays in place', () => {
    const page = createTestPage();
    expect(page.html([element('Panel', {}, example)])).toBe('');
    const side = writeSide(page);
    expect(side?.kind).toBe('panel');
    expect(byId(side?.html ?? '', 'request-example')).not.toBeNull();
    const narrow = createTestPage();
    narrow.hasSide = false;
    expect(narrow.html([element('Panel', {}, 'x')])).toBe('');
    expect(byId(narrow.html([example]), 'request-example')).not.toBeNull();
    expect(writeSide(narrow)).toBeNull();
  });
  it('leaves an example or a panel of a step in its step', () => {
    const page = createTestPage();
    const html = page.html([
      element('Steps', {}, element('Step', { title: 'x' }, element('Panel', {}, 'beside'), example)),
    ]);
    const step = findOne(html, { role: 'listitem' });
    expect(byRole(step, 'complementary').map(({ text }) => text)).toEqual(['beside']);
    expect(byId(step, 'request-example')).not.toBeNull();
    expect(writeSide(page)).toBeNull();
  });
});

describe('other components', () => {
  it('read the audience of content in any case, in the page, the search and the Markdown', async () => {
    const output = await renderFiles({
      'docs.json': JSON.stringify({ name: 'Site', navigation: { pages: ['index'] } }),
      'index.mdx':
        '<Visibility for="Humans">people</Visibility>\n\n<Visibility for="Agents">machines</Visibility>',
    });
    expect(readText(textOf(output, 'index.html'))).toContain('people');
    expect(textOf(output, 'index.md')).toContain('machines');
    expect(textOf(output, 'index.md')).not.toContain('people');
    const { find } = openSearch(output);
    expect((await find('people')).pages).toEqual(['index.html']);
    expect((await find('machines')).pages).toEqual([]);
  });
  it('name the root of an example, and not its group', () => {
    const html = write('Step', {}, element('RequestExample', {}, fence('bash', 'a')));
    expect(byComponent(html, 'RequestExample')).toHaveLength(1);
  });
  it('keep content for agents out of the page', () => {
    expect(write('Visibility', { for: 'agents' }, 'secret')).toBe('');
    expect(write('Visibility', {}, 'secret')).toBe('');
    expect(readText(write('Visibility', { for: 'humans' }, 'shown'))).toBe('shown');
  });
  it('warn of an invalid repository name and show nothing', () => {
    const page = createTestPage();
    expect(page.html([element('GitHub.Repo', { repo: 'a/b"><script>' })])).toBe('');
    expect(page.warnings).toEqual(['invalid-repository']);
  });
  it('warn of an invalid color and show nothing', () => {
    const page = createTestPage();
    expect(page.html([element('Color.Item', { name: 'x', value: 'red"onload="' })])).toBe('');
    expect(page.warnings).toEqual(['invalid-color']);
  });
  it('copy the visible one of the colors for light and dark pages', () => {
    const html = write('Color.Item', { name: 'x', value: { light: '#fff', dark: '#000' } });
    expect(findOne(html, { role: 'button', name: /^x/ }).attributes).toMatchObject({
      'data-op-copy': '#fff',
      'data-op-copy-dark': '#000',
    });
  });
  it('offer the actions that a prompt lists, whose link contains the whole text', () => {
    const prompt = (props: Props) => write('Prompt', props, 'Ask & "tell" #1');
    const both = prompt({ actions: ['copy', 'cursor'] });
    expect(findOne(both, { role: 'link' }).attributes.href).toBe(
      'cursor://anysphere.cursor-deeplink/prompt?text=Ask%20%26%20%22tell%22%20%231',
    );
    expect(byRole(both, 'button')).toMatchObject([{ attributes: { 'data-op-copy-label': 'Copied' } }]);
    expect(byRole(prompt({ actions: ['cursor'] }), 'button')).toEqual([]);
    expect(byRole(prompt({}), 'button')).toHaveLength(1);
    expect(byRole(prompt({}), 'link')).toEqual([]);
  });
  it('mute a video in a frame that plays automatically, and no other', () => {
    const seen: Props[] = [];
    const page = createTestPage();
    page.html = (nodes) => {
      for (const node of nodes) if (node.type === 'element') seen.push(node.props);
      return '';
    };
    components.Frame?.view({}, [element('video', { autoPlay: true }), element('video', { src: '/a' })], page);
    expect(seen).toEqual([{ autoPlay: true, playsInline: true, loop: true, muted: true }, { src: '/a' }]);
  });
  it('do not include the names of Object.prototype', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
      expect(components[name]).toBeUndefined();
  });
  it('take an id once, and give a second one a number', () => {
    const html = write('Columns', {}, element('Card', { id: 'a' }, 'x'), element('Card', { id: 'a' }, 'y'));
    expect(valuesOf(html, 'id')).toEqual(['a', 'a-2']);
  });
});

describe('what sites may rely on', () => {
  /** Those without an element of their own, or whose element is that of a formula, a diagram or the tabs around it. */
  const ROOTLESS = new Set(['Visibility', 'Latex', 'Mermaid', 'Tab']);

  it('passes on id, class and style of every component, in its own example', async () => {
    const own = 'id="own" className="mine" style={{ color: "red", background: "url(//x)" }}';
    const names = Object.entries(components).filter(([, { name }]) => !ROOTLESS.has(name));
    const pages = names.map(([alias, { name, example }], at) => {
      const start = new RegExp(`<${name}(?=[\\s/>])`);
      expect(example, name).toMatch(start);
      const renamed = example
        .replace(/ id="[^"]*"/g, '')
        .replace(new RegExp(`(</?)${name}(?=[\\s/>])`, 'g'), `$1${alias}`);
      return [`page-${at}`, renamed.replace(new RegExp(`<${alias}(?=[\\s/>])`), `<${alias} ${own}`)] as const;
    });
    const output = await renderFiles({
      'docs.json': JSON.stringify({
        theme: 'mint',
        name: 'Site',
        colors: { primary: '#166e3f' },
        variations: { options: [{ id: 'cloud', label: 'Cloud' }] },
        seo: { metatags: { 'og:image': 'https://example.com/a.png' } },
        navigation: { pages: pages.map(([path]) => path) },
      }),
      'logo/mark.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'quickstart.mdx': 'Text.',
      ...Object.fromEntries(pages.map(([path, body]) => [`${path}.mdx`, body])),
    });
    for (const [at, [alias]] of names.entries()) {
      const html = textOf(output, `page-${at}.html`);
      expect(byId(html, 'own'), alias).not.toBeNull();
      const { style } = findOne(html, { class: 'mine' }).attributes;
      expect(style, alias).toMatch(/(?:^|;)color:red$/);
      expect(style, alias).not.toContain('url(');
    }
  });

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

  it.each(
    'accordion accordion-group callout card card-group columns code-block code-block-background code-block-icon code-block-copy-button code-group expandable frame icon step steps tab-icon tabs tile tooltip update update-container field'.split(
      ' ',
    ),
  )('has the class %s that style sheets of sites select', (name) => {
    expect(has(html, { class: name })).toBe(true);
  });
  it.each(
    'accordion-button accordion-title accordion-content callout-icon callout-content card-content-container card-icon card-title card-content card-cta code-block-root code-block-header code-block-header-filename expandable-button expandable-content frame-content frame-caption step-number step-line step-title step-content tabs-list tab-button tab-content tooltip-content update-label update-description update-tag update-content field-name field-info-pill field-required-pill field-content'.split(
      ' ',
    ),
  )('has the part %s that style sheets of sites select', (name) => {
    expect(has(html, { part: name })).toBe(true);
  });
  it('has the color and size of a badge in attributes', () => {
    const badges = readHtml(html).filter(({ attributes }) => 'data-badge' in attributes);
    expect(badges).toMatchObject([{ attributes: { 'data-color': 'blue', 'data-size': 'sm' } }]);
  });
});
