import type { Context } from '../mdx/evaluate/run.ts';
import type { CodeRef, Element, Island, Node, Props } from '../tree.ts';
import { islandOf, type Use } from './view.ts';

/** Code of a page that a browser runs, by the name of the prop; collected while attributes are read. */
export type Handed = Record<string, CodeRef>;

/** Where source text may be handed to a browser: it sees no names but those of its module. */
export function handable(context: Context): boolean {
  return context.scope.parent === null && context.run.islands === 0;
}

/** Whether the name is that of an event handler (`onClick`). */
export function isHandler(name: string): boolean {
  return /^on[A-Z]\w{0,40}$/.test(name);
}

/** An HTML element with event handlers: the page contains it as it is, and the browser adds the handlers. */
export function elementIsland(element: Element, handed: Handed): Node {
  const names = Object.keys(handed);
  const [first] = names;
  if (first === undefined) return element;
  const handlers = names.map((name) => `${JSON.stringify(name)}: (${handed[name]?.source}\n)`).join(', ');
  const component: CodeRef = { file: handed[first]?.file ?? '', source: `{ ${handlers} }` };
  const use: Use = {
    props: Object.create(null) as Props,
    code: {},
    needsBrowser: true,
    inline: element.inline,
  };
  return { ...islandOf(component, use, [element]), attach: true };
}

/** An expression between the tags of a page as an island; `nodes` are what the interpreter made of it. */
export function expressionIsland(source: string, file: string, nodes: Node[], inline: boolean): Island {
  const use: Use = { props: Object.create(null) as Props, code: {}, needsBrowser: true, inline };
  return islandOf({ file, source: `() => (${source}\n)` }, use, nodes);
}
