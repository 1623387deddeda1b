import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { createPagePool } from '../../../test/support/page-pool.ts';
import { components } from '../src/components/index.ts';
import { renderFiles } from './output.ts';

/** A component with state around JSX; a click changes `n`, which the JSX may use. */
const page = (jsx: string, before = ''): string => `${before}
export const Box = () => {
  const [n, setN] = useState(0);
  return (
    <div className="box">
      <button className="next" onClick={() => setN(n + 1)}>{n}</button>
      ${jsx}
    </div>
  );
};

<Box />
`;

/** The example of a component under one of its names. */
function exampleOf(name: string): string {
  const { name: usual = '', example = '' } = components[name] ?? {};
  return name === usual
    ? example
    : example.replace(new RegExp(`(</?)${usual}(?=[\\s/>.])`, 'g'), `$1${name}`);
}

/** A component with a list that is empty at first, or not; the examples in it are shown for each entry. */
const listPage = (name: string, first: string): string => `
export const Box = () => {
  const [list, setList] = useState(${first});
  return (
    <div className="box">
      <button className="next" onClick={() => setList([1])}>go</button>
      {list.map((it) => <div key={it} className="shown">${exampleOf(name)}</div>)}
    </div>
  );
};

<Box />
`;

const slug = (name: string): string => name.replace('.', '-').toLowerCase();

/** Pages that are clicked on, by path. */
const sources: Record<string, string> = {
  tabs: page(
    `<Tabs>
      <Tab title="One">first {n}</Tab>
      <Tab title="Two"><button className="inner" onClick={() => setN(n + 10)}>inner {n}</button></Tab>
    </Tabs>`,
  ),
  texts: page(
    `<Note title={'Title ' + n}>note {n}</Note>
    <ParamField path="id" type={'type' + n}><input className="typed" onInput={() => setN(n + 1)} /></ParamField>
    <Tabs><Tab title={'Tab ' + n}>x</Tab></Tabs>`,
  ),
  shown: page(
    `{n > 0 && <Note>more {n}</Note>}
    {n > 0 && <Update label="Later">news</Update>}
    {n > 0 && <Tree><Tree.Folder name="src"><Tree.File name="a.ts" /></Tree.Folder></Tree>}
    {n > 0 && <Tooltip tip="explained">word</Tooltip>}
    {n % 2 === 0 && <Accordion title="Even">body</Accordion>}
    <Note>always</Note>`,
  ),
  parts: page(
    `<Tabs>
      <Tab title="One">first</Tab>
      {n === 0 && <Tab title="Zero">zero</Tab>}
      {n === 1 && <Tab title="New">new</Tab>}
    </Tabs>`,
  ),
  code: page(
    `<CodeGroup><CodeBlock language="js" filename="a.js">{'const a = 1;'}</CodeBlock><CodeBlock language="py" filename="a.py">{'a = 1'}</CodeBlock></CodeGroup>
    <Accordion title="Closed">text {n}</Accordion>
    <Tree><Tree.Folder name="src"><Tree.File name="a.ts" /></Tree.Folder></Tree>
    <Card title="Card" onClick={() => setN(n + 100)}>card {n}</Card>`,
  ),
  choices: page(
    `<Badge color={n > 0 ? 'green' : 'red'}>{n > 0 ? 'On' : 'Off'}</Badge>
    {n === 0 ? <Steps><Step title="Start">a</Step></Steps> : n === 1 ? <Tabs><Tab title="T1">x {n}</Tab></Tabs> : <CodeBlock language="js">{'const z = 1;\\nconst y = 2;'}</CodeBlock>}
    <Heading level={2}>Start</Heading>`,
  ),
  crash: page(
    `<Tabs><Tab title="One">first {n}</Tab><Tab title="Two"><Note>second <button onClick={() => {}}>x</button></Note></Tab></Tabs>
    <Panel>side {n}</Panel>
    {n > 1 ? <Broken /> : null}`,
    'export const Broken = () => { throw new Error("broken") };\n',
  ),
  nested: `export const Inner = ({ word }) => {
  const [m, setM] = useState(0);
  return <button className="inner" onClick={() => setM(m + 1)}>{word} {m}</button>;
};
export const Outer = ({ children, aside }) => {
  const [n, setN] = useState(0);
  return (
    <div>
      <button className="next" onClick={() => setN(n + 1)}>{n}</button>
      <Tabs>
        <Tab title="Code"><Frame caption="c">{children}</Frame></Tab>
        <Tab title="State"><Card title="Card"><Inner word={'word ' + n} /></Card></Tab>
      </Tabs>
      <Panel>{aside} <b className="side">{n}</b></Panel>
    </div>
  );
};

<Outer aside={<em>aside</em>}>

\`\`\`js
const content = 1;
\`\`\`

</Outer>
`,
  order: page(
    `<Steps>
      {n === 1 && <Step title="Before">x</Step>}
      <Step title="First">first {n}</Step>
      {n < 2 && <Step title="Last">last</Step>}
    </Steps>
    <CardGroup>{(n % 2 === 0 ? ['a', 'b', 'c'] : ['c', 'b', 'a']).map((it) => <Card key={it} title={it}><input className={it} /></Card>)}</CardGroup>`,
  ),
  // What only a browser shows: components of the page inside, and state inside them.
  live: `export const Own = ({ word }) => {
  const [m, setM] = useState(0);
  return <button className={word} onClick={() => setM(m + 1)}>{word} {m}</button>;
};
export const Entry = ({ name }) => <Tree.File name={name} />;
export const OwnStep = ({ title }) => {
  const [m, setM] = useState(0);
  return <Step title={title}><button className={title} onClick={() => setM(m + 1)}>{title} {m}</button></Step>;
};
export const Text = ({ children }) => <>{children}</>;
export const Box = () => {
  const [list, setList] = useState([]);
  const [clicks, setClicks] = useState(0);
  return (
    <div className="box">
      <button className="next" onClick={() => setList(['x'])}>go</button>
      {list.map((it) => (
        <div key={it}>
          <MDX>Some <Own word="inside" /></MDX>
          <Prompt description="Ask"><Text>the question</Text></Prompt>
          <CodeBlock language="js"><Text>const a = 1;</Text></CodeBlock>
          <Tree><Entry name="a.ts" /></Tree>
          <Steps><OwnStep title="one" /><OwnStep title="two" /></Steps>
          <Heading level={3} onClick={() => setClicks(clicks + 1)}>clicked {clicks}</Heading>
          <Link href="https://example.com">outside</Link>
          <Card.Unknown>kept content</Card.Unknown>
        </div>
      ))}
    </div>
  );
};

<Box />
`,
  list: page(
    `{['a', 'b', 'c'].filter((it, at) => at !== n).map((it) => <ParamField key={it} path={it} type="string" required>about {it}</ParamField>)}`,
  ),
};

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-'));
  const files: Record<string, string> = {};
  for (const name of Object.keys(components)) {
    files[`all/${slug(name)}.mdx`] = page(exampleOf(name));
    files[`list/${slug(name)}.mdx`] = listPage(name, '[1]');
    files[`later/${slug(name)}.mdx`] = listPage(name, '[]');
  }
  files['quickstart.mdx'] = 'Start here.';
  for (const [path, text] of Object.entries(sources)) files[`${path}.mdx`] = text;
  const output = await renderFiles({
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: 'x',
      colors: { primary: '#0f766e' },
      variations: {
        options: [
          { id: 'cloud', label: 'Cloud' },
          { id: 'own', label: 'Own' },
        ],
      },
      navigation: { pages: Object.keys(files).map((path) => path.replace('.mdx', '')) },
    }),
    'logo/mark.svg':
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><path d="M0 0h300v200z"/></svg>',
    ...files,
  });
  for (const [path, content] of output.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** HTML of the text and the side of the page, without comments and with texts that touch as one. */
const READ = `(() => {
  const parts = [...document.querySelectorAll('#content, #panel')].map((part) => {
    const copy = part.cloneNode(true);
    const walker = document.createTreeWalker(copy, NodeFilter.SHOW_COMMENT);
    const comments = [];
    while (walker.nextNode()) comments.push(walker.currentNode);
    for (const comment of comments) comment.remove();
    for (const island of copy.querySelectorAll('offprint-island')) island.removeAttribute('data-mounted');
    copy.normalize();
    return copy.outerHTML.replaceAll('><', '>\\n<');
  });
  return parts.join('\\n');
})()`;

/**
 * HTML of what a list shows, without what only the build knows: ids that are unique on the page, colors of code, sizes of
 * images, and the tags of all updates.
 */
const READ_SHOWN = `(() => {
  const copy = document.querySelector('.shown').cloneNode(true);
  const walker = document.createTreeWalker(copy, NodeFilter.SHOW_COMMENT);
  const comments = [];
  while (walker.nextNode()) comments.push(walker.currentNode);
  for (const comment of comments) comment.remove();
  for (const element of copy.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      if (/^(?:id|aria-(?:controls|labelledby|describedby))$/.test(name) || (name === 'href' && value.startsWith('#')))
        element.setAttribute(name, '');
    }
    if (element.localName === 'img') for (const name of ['width', 'height', 'fetchpriority']) element.removeAttribute(name);
    if (element.hasAttribute('style')) element.setAttribute('style', element.style.cssText);
    const sorted = [...element.attributes].map(({ name, value }) => [name, value]).sort();
    for (const [name] of sorted) element.removeAttribute(name);
    for (const [name, value] of sorted) element.setAttribute(name, value);
  }
  copy.querySelector('.op-update-none')?.remove();
  for (const code of copy.querySelectorAll('pre code')) code.textContent = code.textContent;
  copy.normalize();
  return copy.outerHTML.replaceAll('><', '>\\n<');
})()`;

const pages = createPagePool(() => browser.newPage());
/** Without the scripts of components, as the export wrote the pages. */
const exportedPages = createPagePool(async () => {
  const page = await browser.newPage();
  await page.route('**/_offprint/islands/*', (route) => route.abort());
  return page;
});

async function open(path: string): Promise<Page> {
  return show(await pages.take(), path, 'offprint-island[data-mounted]');
}

async function openExported(path: string): Promise<Page> {
  return show(await exportedPages.take(), path, 'offprint-island');
}

async function show(page: Page, path: string, island: string): Promise<Page> {
  await page.goto(`file://${folder}/${path}.html`);
  await page.waitForSelector(island, { state: 'attached' });
  await page.locator('.op-diagram:not([data-drawn])').waitFor({ state: 'detached' });
  return page;
}

describe('a built-in component in a component with state', () => {
  test.each(Object.keys(components))(
    '%s has the DOM of the export after the script has run',
    async (name) => {
      const path = `all/${slug(name)}`;
      const exported = await openExported(path);
      const mounted = await open(path);
      const before = await exported.evaluate(READ);
      expect(await mounted.evaluate(READ)).toBe(before);
      // A change of the component keeps the element: the count is the only difference.
      await mounted.evaluate(`document.querySelector('.next').click()`);
      await expect.poll(() => mounted.locator('.next').innerText()).toBe('1');
      const after = String(await mounted.evaluate(READ));
      expect(after.replace('class="next">1<', 'class="next">0<')).toBe(before);
      await Promise.all([exportedPages.giveBack(exported), pages.giveBack(mounted)]);
    },
  );

  // The rest needs the build: a formula and a diagram are shown as their source, and a panel stays in its place.
  const elsewhere = new Set([
    'Latex',
    'Mermaid',
    'Panel',
    'RequestExample',
    'ResponseExample',
    'View',
    'Variation',
  ]);

  test.each(Object.keys(components).filter((name) => !elsewhere.has(name)))(
    '%s has the same DOM if only a browser knows that it is shown',
    async (name) => {
      const known = await open(`list/${slug(name)}`);
      const later = await open(`later/${slug(name)}`);
      await later.locator('.next').click();
      await later.locator('.shown').waitFor({ state: 'attached' });
      await expect.poll(() => later.evaluate(READ_SHOWN)).toBe(await known.evaluate(READ_SHOWN));
      await Promise.all([pages.giveBack(known), pages.giveBack(later)]);
    },
  );

  test.each([...elsewhere])('%s is readable if only a browser knows that it is shown', async (name) => {
    const later = await open(`later/${slug(name)}`);
    await later.locator('.next').click();
    const shown = later.locator('.shown');
    await shown.waitFor({ state: 'attached' });
    expect((await shown.innerText()).trim()).not.toBe('');
    await pages.giveBack(later);
  });

  test('what only a browser shows keeps components of the page, their state, handlers and links', async () => {
    const opened = await open('live');
    await opened.locator('.next').click();
    await opened.locator('.inside').click();
    expect(await opened.locator('.inside').innerText()).toBe('inside 1');
    expect(await opened.locator('[data-component-name=Prompt] pre').textContent()).toBe('the question');
    expect(await opened.locator('[data-component-part=code-block-root] code').innerText()).toBe(
      'const a = 1;',
    );
    expect(await opened.getByRole('treeitem').innerText()).toBe('a.ts');
    for (const name of ['one', 'two', 'one']) await opened.locator(`.${name}`).click();
    await expect.poll(() => opened.locator('.one').innerText()).toBe('one 2');
    expect(await opened.locator('[data-component-part=step-number]').allInnerTexts()).toEqual(['1', '2']);
    await opened.getByRole('heading', { name: 'clicked 0' }).click();
    await expect.poll(() => opened.getByRole('heading', { name: 'clicked 1' }).count()).toBe(1);
    expect(await opened.getByRole('link', { name: 'outside' }).getAttribute('rel')).toBe(
      'noopener noreferrer',
    );
    expect(await opened.getByText('kept content').count()).toBe(1);
    await pages.giveBack(opened);
  });

  test('tabs switch, and state in them lives on', async () => {
    const opened = await open('tabs');
    const panel = opened.locator('.op-tab-panel');
    await opened.getByRole('tab', { name: 'Two' }).click();
    expect(await panel.nth(1).isVisible()).toBe(true);
    await opened.locator('.inner').click();
    await expect.poll(() => opened.locator('.inner').innerText()).toBe('inner 10');
    expect(await panel.nth(1).isVisible()).toBe(true);
    await opened.getByRole('tab', { name: 'Two' }).press('ArrowLeft');
    expect(await panel.nth(0).innerText()).toContain('first 10');
    expect(await opened.getByRole('tab', { name: 'One' }).getAttribute('aria-controls')).toBe(
      await panel.nth(0).getAttribute('id'),
    );
    await pages.giveBack(opened);
  });

  test('props with state change their text, and the nodes and the focus stay', async () => {
    const opened = await open('texts');
    const input = opened.locator('.typed');
    await input.pressSequentially('abc');
    expect(await input.inputValue()).toBe('abc');
    await expect
      .poll(() => opened.locator('[data-component-name=Note]').innerText())
      .toMatch(/^Title 3\s+note 3$/);
    expect(await opened.locator('[data-component-name=Note]').getAttribute('role')).toBe('note');
    expect(await opened.locator('.field-type').innerText()).toBe('type3');
    expect(await opened.locator('.op-field-name').innerText()).toBe('id');
    expect(await opened.getByRole('tab').innerText()).toBe('Tab 3');
    await pages.giveBack(opened);
  });

  test('elements that are shown later have the same markup, and elements that were hidden keep their state', async () => {
    const opened = await open('shown');
    await opened.locator('summary').click();
    expect(await opened.locator('[data-component-name=Accordion]').getAttribute('open')).toBe('');
    await opened.locator('.next').click();
    await expect.poll(() => opened.locator('[data-component-name=Note]').count()).toBe(2);
    expect(await opened.locator('[data-component-name=Note]').first().getAttribute('aria-label')).toBe(
      'Note',
    );
    expect(await opened.locator('[data-component-name=Note]').first().innerText()).toBe('more 1');
    expect(await opened.locator('[data-component-name=Accordion]').count()).toBe(0);
    expect(await opened.locator('[data-component-part=update-label]').innerText()).toBe('Later');
    const folder = opened.getByRole('treeitem', { name: 'src' });
    await folder.click();
    expect(await folder.getAttribute('aria-expanded')).toBe('true');
    await opened.getByText('word').hover();
    expect(await opened.getByRole('tooltip').innerText()).toBe('explained');
    await opened.locator('.next').click();
    expect(await opened.locator('[data-component-name=Accordion]').getAttribute('open')).toBe('');
    expect(await opened.locator('[data-component-name=Note]').first().innerText()).toBe('more 2');
    await pages.giveBack(opened);
  });

  test('tabs that come and go are tabs', async () => {
    const opened = await open('parts');
    const names = (): Promise<string[]> => opened.getByRole('tab').allInnerTexts();
    expect(await names()).toEqual(['One', 'Zero']);
    await opened.locator('.next').click();
    await expect.poll(names).toEqual(['One', 'New']);
    await opened.getByRole('tab', { name: 'New' }).click();
    expect(await opened.getByRole('tabpanel').last().innerText()).toContain('new');
    await opened.locator('.next').click();
    await expect.poll(names).toEqual(['One']);
    await pages.giveBack(opened);
  });

  test('code groups, copy buttons, accordions, trees and handlers work', async () => {
    const opened = await open('code');
    await opened
      .context()
      .grantPermissions(['clipboard-read', 'clipboard-write'])
      .catch(() => {});
    await opened
      .evaluate('navigator.clipboard.writeText = async (text) => { window.copied = text; }')
      .catch(() => {});
    await opened.getByRole('tab', { name: 'a.py' }).click();
    expect(await opened.locator('[data-component-part=code-block-root]').nth(1).isVisible()).toBe(true);
    expect(await opened.locator('[data-component-part=code-block-root] code *').count()).toBeGreaterThan(1);
    await opened.locator('[data-component-part=code-block-root]').nth(1).hover();
    await opened.locator('[data-component-part=code-block-root]').nth(1).locator('[data-op-copy]').click();
    await expect
      .poll(() => opened.locator('[data-component-part=code-block-root] [data-copied]').count())
      .toBe(1);
    await opened.locator('summary').click();
    expect(await opened.locator('.op-accordion-content').isVisible()).toBe(true);
    const folder = opened.locator('[role=treeitem]').first();
    const isOpen = await folder.getAttribute('aria-expanded');
    await folder.click();
    expect(await folder.getAttribute('aria-expanded')).not.toBe(isOpen);
    await opened.locator('.op-card-title').click();
    await expect.poll(() => opened.locator('.op-card-content').innerText()).toBe('card 100');
    expect(await opened.locator('.op-accordion-content').innerText()).toBe('text 100');
    await pages.giveBack(opened);
  });

  test('what a condition of the component decides looks as it does in an export', async () => {
    const opened = await open('choices');
    expect(await opened.locator('[data-badge]').getAttribute('data-color')).toBe('red');
    await opened.locator('.next').click();
    await expect.poll(() => opened.locator('[data-badge]').getAttribute('data-color')).toBe('green');
    expect(await opened.locator('[data-badge]').innerText()).toBe('On');
    expect(await opened.getByRole('tab').getAttribute('data-label')).toBe('T1');
    expect(await opened.getByRole('tabpanel').innerText()).toContain('x 1');
    await opened.locator('.next').click();
    await expect.poll(() => opened.locator('[data-component-part=code-block-root] code i').count()).toBe(4);
    expect(await opened.locator('[data-component-part=code-block-root] [data-op-copy]').count()).toBe(1);
    expect(await opened.locator('h2').last().getAttribute('id')).toBe('start-2');
    await pages.giveBack(opened);
  });

  test('are as in the export if the component fails later', async () => {
    const exported = await openExported('crash');
    const opened = await open('crash');
    const before = await exported.evaluate(READ);
    await opened.locator('.next').click();
    await expect.poll(() => opened.locator('[role=tabpanel]').first().innerText()).toContain('first 1');
    await opened.locator('.next').click();
    await opened.locator('offprint-island[data-failed]').waitFor({ state: 'attached' });
    expect(String(await opened.evaluate(READ)).replace(' data-failed=""', '')).toBe(before);
    await Promise.all([exportedPages.giveBack(exported), pages.giveBack(opened)]);
  });

  test('content of the page, state and handlers work in them', async () => {
    const exported = await openExported('nested');
    const opened = await open('nested');
    expect(await opened.evaluate(READ)).toBe(await exported.evaluate(READ));
    expect(await opened.locator('figure [data-component-part=code-block-root] code').innerText()).toBe(
      'const content = 1;',
    );
    expect(await opened.locator('#panel em').innerText()).toBe('aside');
    await opened.getByRole('tab', { name: 'State' }).click();
    await opened.locator('.inner').click();
    await opened.locator('.next').click();
    await expect.poll(() => opened.locator('.inner').innerText()).toBe('word 1 1');
    expect(await opened.locator('#panel .side').innerText()).toBe('1');
    expect(await opened.locator('#panel em').innerText()).toBe('aside');
    expect(await opened.locator('.inner').isVisible()).toBe(true);
    await Promise.all([exportedPages.giveBack(exported), pages.giveBack(opened)]);
  });

  test('elements that move keep their nodes, and steps keep their numbers', async () => {
    const opened = await open('order');
    const numbers = (): Promise<string[]> =>
      opened.locator('[data-component-part=step-number]').allInnerTexts();
    const titles = (): Promise<string[]> =>
      opened.locator('[data-component-part=card-title]').allInnerTexts();
    await opened.locator('input.a').fill('typed');
    expect(await numbers()).toEqual(['1', '2']);
    await opened.locator('.next').click();
    await expect.poll(titles).toEqual(['c', 'b', 'a']);
    expect(await opened.locator('input.a').inputValue()).toBe('typed');
    expect(await numbers()).toEqual(['1', '2', '3']);
    expect(await opened.locator('[data-component-part=step-title]').allInnerTexts()).toEqual([
      'Before',
      'First',
      'Last',
    ]);
    await opened.locator('.next').click();
    await expect.poll(titles).toEqual(['a', 'b', 'c']);
    expect(await numbers()).toEqual(['1']);
    expect(await opened.locator('#content [role=listitem]').count()).toBe(1);
    await pages.giveBack(opened);
  });

  test('elements of a list that is filtered are those of the export', async () => {
    const opened = await open('list');
    const names = (): Promise<string[]> => opened.locator('[data-component-part=field-name]').allInnerTexts();
    await expect.poll(names).toEqual(['b', 'c']);
    for (const expected of [
      ['a', 'c'],
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]) {
      await opened.locator('.next').click();
      await expect.poll(names).toEqual(expected);
    }
    expect(await opened.locator('[data-component-part=field-required-pill]').count()).toBe(3);
    await pages.giveBack(opened);
  });
});
