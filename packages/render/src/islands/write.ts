import { escapeAttribute } from '../escape.ts';
import { isFunction, isRecord } from '../mdx/evaluate/values.ts';
import type { Writer } from '../mdx/write/writer.ts';
import { type CodeRef, type Island, isNode, type Slot, type Value } from '../tree.ts';
import { withMarks, withoutMarks, writeOthers } from './built-ins.ts';
import { keyOf, type ShownSlots } from './page-islands.ts';

/**
 * An island: its first view, and what a browser needs to run it. Slots are marked at their place in the first
 * view; those that do not show yet wait in templates.
 */
export function writeIsland(node: Island, writer: Writer): string {
  // A component inside another one is run with it.
  if (writer.shownSlots !== null) return writer.html(node.children);
  const { components, code } = writer.islands;
  const key = keyOf(node.component);
  components.set(key, node.component);
  if (node.attach === true)
    return wrapped('island', ` data-component="${key}" data-attach`, writer.html(node.children), '', writer);
  const shown: ShownSlots = new Set();
  const { html: view, id } = withMarks(writer, () =>
    withSlots(shown, () => writer.html(node.children), writer),
  );
  const waiting: Slot[] = [];
  const props: Record<string, unknown> = {};
  for (const name of Object.keys(node.props)) {
    const value = node.props[name];
    if (Object.hasOwn(node.code, name) || isNoContent(name, value)) continue;
    const plain = plainValue(value, waiting, writer);
    if (plain !== undefined) define(props, name, plain);
  }
  for (const name of Object.keys(node.code)) {
    const ref = node.code[name] as CodeRef;
    code.set(keyOf(ref), ref);
    define(props, name, { $code: keyOf(ref) });
  }
  const templates = waiting.filter((slot) => !shown.has(slot.name)).map((slot) => template(slot, writer));
  const others = node.others.length === 0 ? '' : writeOthers(node.others, writer);
  const data =
    Object.keys(props).length === 0 ? '' : ` data-props="${escapeAttribute(JSON.stringify(props))}"`;
  const kind = `${node.inline ? ' data-inline' : ''}${id === null ? '' : ` data-view="${id}"`}`;
  const attributes = ` data-component="${key}"${data}${kind}`;
  return wrapped('island', attributes, view, `${templates.join('')}${others}`, writer);
}

/**
 * What a browser finds by its element: content that shows, and what waits behind it. Between parts of a table, the
 * marks of its start and end stand for the element, which the script makes there.
 */
function wrapped(
  kind: 'island' | 'slot',
  attributes: string,
  shown: string,
  waiting: string,
  writer: Writer,
): string {
  return writer.inTable
    ? `<template data-op-start="${kind}"${attributes}>${waiting}</template>${shown}<template data-op-end="${kind}"></template>`
    : `<offprint-${kind}${attributes}>${shown}${waiting}</offprint-${kind}>`;
}

/** Content of a prop inside the first view of its island. */
export function writeSlot(node: Slot, writer: Writer): string {
  const shown = writer.shownSlots;
  if (shown === null) return writer.html(node.children);
  if (writer.isAside) return wrapped('slot', '', '', '', writer);
  if (shown.has(node.name))
    return writer.islands.repeats-- > 0 ? withoutMarks(writer, () => writer.html(node.children)) : '';
  shown.add(node.name);
  const content = withoutMarks(writer, () => withSlots(null, () => writer.html(node.children), writer));
  return wrapped('slot', ` data-slot="${escapeAttribute(node.name)}"`, content, '', writer);
}

function template(slot: Slot, writer: Writer): string {
  const content = writer.withoutToc(() => withSlots(null, () => writer.html(slot.children), writer));
  return `<template data-slot="${escapeAttribute(slot.name)}">${content}</template>`;
}

function withSlots(shown: ShownSlots | null, write: () => string, writer: Writer): string {
  const before = writer.shownSlots;
  writer.shownSlots = shown;
  try {
    return write();
  } finally {
    writer.shownSlots = before;
  }
}

/** A value as JSON; nodes become `{"$slot": name}`, and names that start like that get a second `$`. */
function plainValue(value: Value, slots: Slot[], writer: Writer): unknown {
  writer.charactersLeft -= 100;
  if (writer.charactersLeft < 0) return null;
  if (typeof value === 'string') {
    writer.charactersLeft -= value.length;
    if (/^[a-z][\w-]{0,60}$/.test(value)) writer.islands.icons.add(value);
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isFunction(value)) return undefined;
  if (Array.isArray(value)) {
    const [only] = value;
    if (value.length === 1 && only !== undefined && isSlot(only)) return slotValue(only, slots);
    return value.map((item) => plainValue(item, slots, writer) ?? null);
  }
  if (isSlot(value)) return slotValue(value, slots);
  if (!isRecord(value)) return undefined;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const plain = plainValue(value[key], slots, writer);
    if (plain !== undefined) define(result, key.startsWith('$') ? `$${key}` : key, plain);
  }
  return result;
}

/** An element without content has no prop of that name in React. */
function isNoContent(name: string, value: Value): boolean {
  return name === 'children' && Array.isArray(value) && value.length === 0;
}

/** Makes a property of its own whatever the name is (`__proto__`). */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

function isSlot(value: Value): value is Slot {
  return value !== undefined && isNode(value) && value.type === 'slot';
}

function slotValue(slot: Slot, slots: Slot[]): { $slot: string } {
  slots.push(slot);
  return { $slot: slot.name };
}
