import { hashOf } from '../theme/hash.ts';
import { type CodeRef, type ComponentRef, isNode, type Node, type Value } from '../tree.ts';
import { makeKeys } from './client/key.js';

/** What of a page a browser runs, by the key under which the page names it. */
export interface PageIslands {
  readonly components: Map<string, ComponentRef | CodeRef>;
  readonly code: Map<string, CodeRef>;
  /** Names of icons that props may hold. */
  readonly icons: Set<string>;
  readonly marks: Marks;
  /** Slots that may still be written a second time; content in content could multiply without end. */
  repeats: number;
}

/** A page of which nothing is written yet. */
export function makePageIslands(): PageIslands {
  return { components: new Map(), code: new Map(), icons: new Set(), marks: makeMarks(), repeats: 50 };
}

/** Slots of the island being written that its first view contains already. */
export type ShownSlots = Set<string>;

/** A built-in component in the first view of an island while it is written; see built-ins.ts. */
export interface MarkedView {
  readonly id: number;
  /** Null for an island: all that is in it is content. */
  readonly children: readonly Node[] | null;
  /** What is being written now is its content; there, elements are marked. */
  isContent: boolean;
  hasContent: boolean;
}

/** Values that are read for the keys of a page. */
const maxReads = 500_000;

/** What of a page is marked. */
export interface Marks {
  views: number;
  /** Names of the marked components. */
  readonly names: Set<string>;
  /** Names of those that another component shows, as tabs are. */
  readonly parts: Set<string>;
  /** Keys of the island being written. */
  readonly known: Set<string>;
  readonly keys: ReturnType<typeof makeKeys>;
}

function makeMarks(): Marks {
  let reads = 0;
  const keys = makeKeys((value: Value) => {
    if (!isNode(value)) return null;
    if (++reads > maxReads) return {};
    if (value.type === 'text') return { text: value.value };
    return value.type === 'element'
      ? { name: value.name, props: value.props, children: value.written ?? value.children }
      : {};
  });
  return { views: 0, names: new Set(), parts: new Set(), known: new Set(), keys };
}

/** Key of a component or of source text: equal for equal ones on all pages. */
export function keyOf(ref: ComponentRef | CodeRef): string {
  return hashOf(`${ref.file}\0${'name' in ref ? `#${ref.name}` : ref.source}`);
}
