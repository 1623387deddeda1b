import { byId, byRole, findOne, has, type Shown } from './dom.ts';

/** What a reader meets on a page, a line for each part: `name · type · required` for fields, `[title]` for tabs. */
export function outline(page: string, path: string, at: string | undefined): string[] {
  const content = findOne(page, { id: 'content' });
  if (at === undefined) return [...headerLines(page, path), ...inside(content)];
  if (!at.startsWith('# ')) {
    const part = byId(page, at);
    return part === null ? [`nothing with the id ${at}`] : linesOf(part);
  }
  const start = content.children.findIndex(({ role, name }) => role === 'heading' && name === at.slice(2));
  if (start < 0) return [`no section ${at.slice(2)}`];
  const after = content.children.slice(start + 1);
  const end = after.findIndex(({ level }) => level !== null && level <= 2);
  return after.slice(0, end < 0 ? after.length : end).flatMap(linesOf);
}

/** The group, the title, the operation and the path without the folder of the test. */
function headerLines(page: string, path: string): string[] {
  const header = findOne(page, { id: 'header' });
  const [group] = header.children;
  const method = header.children.find((child) => has(child, { role: 'code' }));
  const navigation = findOne(page, { role: 'navigation', name: 'Pages' });
  const isListed = has(navigation, { role: 'link', attributes: { 'aria-current': 'page' } });
  return [
    `${group?.text} > ${byRole(header, 'heading')[0]?.text}`,
    ...(method === undefined
      ? []
      : [
          method.children
            .filter((child) => !has(child, { role: 'button' }))
            .map(({ text }) => text)
            .join(' ')
            .trim(),
        ]),
    `${path.replace(/^c\d+\//, '').replace(/\.html$/, '')}${isListed ? '' : ', not in the navigation'}`,
  ];
}

const inside = (element: Shown): string[] => element.children.flatMap(linesOf);
const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

function linesOf(element: Shown): string[] {
  const { component, role, tag } = element;
  if (component === 'ParamField' || component === 'ResponseField') return fieldLines(element);
  if (component === 'Tabs') return tabLines(element, tabsOf(element));
  // The first example: others are made by the generators of samples, which have tests of their own.
  if (component === 'RequestExample') return tabLines(element, tabsOf(element).slice(0, 1));
  if (component === 'ResponseExample') return tabLines(element, tabsOf(element));
  if (component === 'Expandable') {
    const title = element.children.find((child) => child.role === 'summary');
    return [
      `> ${(title?.text ?? '').replace(/^Show\s*Hide\s*/, '')}`.trim(),
      ...indented(element.children.filter((child) => child !== title).flatMap(inside)),
    ];
  }
  if (role === 'heading') return [`# ${element.name}`];
  if (role === 'listitem') {
    const lines = isNested(element) ? inside(element) : [element.text];
    return lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));
  }
  if (tag === 'p' || tag === 'pre' || role === 'table') return [element.text];
  return inside(element);
}

const isNested = ({ children }: Shown): boolean => children.some(({ tag }) => /^(?:p|ul|ol|div)$/.test(tag));

function fieldLines(field: Shown): string[] {
  const [head, ...content] = field.children;
  const shown = (head?.children ?? []).filter(({ role }) => role !== 'link').map(({ text }) => text);
  return [shown.join(' · '), ...indented(content.flatMap(inside))];
}

/** Tabs of an element, without those of elements inside its panels. */
const tabsOf = (element: Shown): Shown[] => {
  const list = element.descendants.find(({ role }) => role === 'tablist');
  return element.descendants.filter(({ role, parent }) => role === 'tab' && parent === list);
};

function tabLines(element: Shown, tabs: readonly Shown[]): string[] {
  if (tabs.length === 0) return inside(element);
  return tabs.flatMap((tab) => {
    const panels = tab.controls.flatMap(({ children }) => children);
    const content = panels.filter(({ attributes }) => attributes['aria-hidden'] !== 'true');
    return [`[${tab.name}]`, ...indented(content.flatMap(linesOf))];
  });
}
