import type { Run } from '../mdx/evaluate/run.ts';
import { callFunction, isFunction, isRecord } from '../mdx/evaluate/values.ts';
import { sizeOf, spend } from '../mdx/guard/work.ts';
import {
  type CodeRef,
  type ComponentRef,
  type Island,
  isNode,
  type Node,
  type Position,
  type Props,
  type Slot,
  type UserFunction,
  type Value,
} from '../tree.ts';
import { attempt, isReason } from './attempt.ts';
import { otherViews } from './branches.ts';
import { componentRef } from './components.ts';

/** How a page uses a component. */
export interface Use {
  props: Props;
  /** Props whose value is a function, by name. */
  code: Readonly<Record<string, CodeRef>>;
  /** Something of it has a meaning in a browser only. */
  needsBrowser: boolean;
  inline: boolean;
  position?: Position;
}

const noCode: Readonly<Record<string, CodeRef>> = Object.freeze(Object.create(null));

/** A use without anything that only source text can hand over. */
export function plainUse(props: Props): Use {
  return { props, code: noCode, needsBrowser: false, inline: false };
}

/**
 * What a component shows: its nodes, or an island of them where only a browser can finish it. Throws what the
 * interpreter throws where neither can be had.
 */
export function viewOf(
  component: UserFunction,
  use: Use,
  run: Run,
  toNodes: (value: Value) => Node[],
): Node[] {
  const { nodes, error, needsBrowser, report } = attempt(run, () =>
    toNodes(callFunction(component, [use.props], run)),
  );
  if (isReason(error, 'exhausted')) throw error;
  if (!needsBrowser && !use.needsBrowser) {
    report();
    if (nodes === null) throw error;
    return nodes;
  }
  // The props are read for functions and slots.
  spend(run, sizeOf(use.props), 0);
  const ref = componentRef(component);
  const isWhole = ref !== null && run.islands === 0 && !holdsFunction(use);
  if (!isWhole) {
    // The component around it is what the browser runs; inside that, this is a part of the first view.
    run.needsBrowser = true;
    if (nodes !== null) return nodes;
    if (run.islands > 0) return toNodes(use.props.children);
    throw error;
  }
  return [makeIsland(ref, use, run, nodes === null ? null : component, toNodes)];
}

/** An island with its first view; without one, where the interpreter cannot make it, it shows its content. */
function makeIsland(
  component: ComponentRef,
  use: Use,
  run: Run,
  view: UserFunction | null,
  toNodes: (value: Value) => Node[],
): Island {
  const props = withSlots(use.props);
  const seen = view === null ? null : firstView(run, () => toNodes(callFunction(view, [props], run)));
  const island = islandOf(component, { ...use, props }, seen ?? toNodes(props.children));
  if (view === null || seen === null) return island;
  run.islands++;
  const others = otherViews(run, () => toNodes(callFunction(view, [props], run)));
  run.islands--;
  return { ...island, others };
}

function firstView(run: Run, evaluate: () => Node[]): Node[] | null {
  run.islands++;
  const { nodes } = attempt(run, evaluate);
  run.islands--;
  return nodes;
}

/** An island around nodes that are its first view. */
export function islandOf(component: ComponentRef | CodeRef, use: Use, children: Node[]): Island {
  const { props, code, inline, position } = use;
  const hidden = hiddenSlots(props, children);
  const island: Island = { type: 'island', component, props, code, children, hidden, others: [], inline };
  if (position !== undefined) island.position = position;
  return island;
}

/** Props with a slot around each group of nodes; a text stays a text. */
export function withSlots(props: Props): Props {
  const result = Object.create(null) as Props;
  const budget = { left: maxValues };
  for (const name of Object.keys(props)) result[name] = slotted(props[name], name, budget);
  return result;
}

/** Values of the props of one island that are inspected; lists can share parts and grow without limit. */
const maxValues = 20_000;

function slotted(value: Value, name: string, budget: { left: number }): Value {
  if (--budget.left < 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every((item) => item !== undefined && isNode(item))) {
      const nodes = value as Node[];
      const text = nodes.every((node) => node.type === 'text');
      return text
        ? nodes.map((node) => (node.type === 'text' ? node.value : '')).join('')
        : [slot(name, nodes)];
    }
    return value.map((item, index) => slotted(item, `${name}.${index}`, budget));
  }
  if (isNode(value)) return slot(name, [value]);
  if (!isRecord(value)) return value;
  const result = Object.create(null) as { [key: string]: Value };
  for (const key of Object.keys(value)) result[key] = slotted(value[key], `${name}.${key}`, budget);
  return result;
}

/** Slots among the props that are not in the nodes. */
function hiddenSlots(props: Props, nodes: readonly Node[]): Slot[] {
  const found = new Map<string, Slot>();
  let left = maxValues;
  const collect = (value: Value): void => {
    if (--left < 0 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (const item of value) collect(item);
    else if (isNode(value)) {
      if (value.type === 'slot') found.set(value.name, value);
    } else if (isRecord(value)) for (const key of Object.keys(value)) collect(value[key]);
  };
  for (const name of Object.keys(props)) collect(props[name]);
  const look = (node: Node): void => {
    if (--left < 0 || found.size === 0) return;
    if (node.type === 'slot') found.delete(node.name);
    if ('children' in node) for (const child of node.children) look(child);
  };
  for (const node of nodes) look(node);
  return [...found.values()];
}

function slot(name: string, children: Node[]): Slot {
  return { type: 'slot', name, children };
}

/** Whether a prop holds a function that has no source to hand over. */
function holdsFunction(use: Use): boolean {
  let left = maxValues;
  const holds = (value: Value): boolean => {
    if (--left < 0 || typeof value !== 'object' || value === null) return false;
    if (isFunction(value)) return true;
    if (Array.isArray(value)) return value.some(holds);
    return isRecord(value) && Object.keys(value).some((key) => holds(value[key]));
  };
  return Object.keys(use.props).some((name) => !Object.hasOwn(use.code, name) && holds(use.props[name]));
}

/** Whether a value is or holds a function. */
export function isCode(value: Value): boolean {
  return holdsFunction(plainUse({ value }));
}
