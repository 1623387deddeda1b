import { isNode, type Node, type Value } from '../../tree.ts';
import { isRecord, Refusal } from '../evaluate/values.ts';

/**
 * The work of expressions is counted in steps. The evaluation of a syntax node takes one, and what an operation reads or
 * creates takes more by its size. A native call cannot be interrupted, so what it may take is charged before it starts.
 */
export interface Meter {
  /** Steps left on the page. */
  steps: number;
}

/** Steps that the expressions of one page may take: about half a second. */
export const maxSteps = 2_000_000;

/** Characters that one step pays for, by what is done with them. */
const perStep = { copy: 1000, read: 250, convert: 8, parse: 4 } as const;

/** Steps for characters. Short texts are free: the syntax nodes around them are counted. */
export function steps(kind: keyof typeof perStep, characters: number): number {
  return Math.floor(characters / perStep[kind]);
}

/** Takes steps from the budget of the page. Throws Refusal when fewer are left. */
export function spend(meter: Meter, count: number, offset: number): void {
  meter.steps -= count;
  if (meter.steps < 0) throw exhausted(offset);
}

/** Takes steps for what is done already, or cannot stop here. */
export function charge(meter: Meter, count: number): void {
  meter.steps -= count;
}

function exhausted(offset: number): Refusal {
  return new Refusal('exhausted', 'it takes too many steps', offset);
}

/**
 * Nodes and items of values, counted once for each place that shows them: parts that are shared many times have the size
 * of what is written out. A value does not change after it is measured.
 */
const sizes = new WeakMap<object, number>();

export function isMeasured(list: Value[]): boolean {
  return sizes.has(list);
}

/** Steps for a value that becomes content or a prop of an element. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / 64);
  if (typeof value !== 'object' || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = Array.isArray(value)
    ? sum(value)
    : isNode(value)
      ? nodeSize(value)
      : isRecord(value)
        ? sum(Object.values(value))
        : 1;
  sizes.set(value, size);
  return size;
}

function sum(values: readonly Value[]): number {
  let size = 1;
  for (const value of values) size += sizeOf(value);
  return size;
}

function nodeSize(node: Node): number {
  let size = 'value' in node ? sizeOf(node.value) : 1;
  if ('children' in node) size += sum(node.children);
  if ('props' in node) size += sum(Object.values(node.props));
  if ('written' in node && node.written !== undefined) size += sum(node.written);
  if (node.type === 'island') size += sum(node.hidden) + sum(node.others);
  return size;
}
