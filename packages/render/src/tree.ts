/**
 * The tree between parse and write. The parser gives mdast with MDX nodes; mdx/evaluate/resolve.ts replaces every JSX
 * node and expression by evaluated ones, so that writers see mdast plus `element` and no source text.
 */

export interface Position {
  start: { line: number; column: number; offset?: number };
  end: { line: number; column: number; offset?: number };
}

/** What an expression or attribute evaluates to. Functions are user components of the interpreter. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | Node
  | UserFunction
  | Value[]
  | { [key: string]: Value };

/** A function of the page or a snippet; only the interpreter can call it (`callFunction`). */
export interface UserFunction {
  readonly kind: 'function';
}

export type Props = Record<string, Value>;

/** A component or HTML element with evaluated props. `children` keeps its Markdown. */
export interface Element {
  type: 'element';
  /** As written: `Card`, `Tree.Folder`, `div`. */
  name: string;
  props: Props;
  children: Node[];
  /** Content as its JSX says, where `children` is what that means as Markdown. */
  written?: Node[];
  /** Stands inside a line of text. */
  inline: boolean;
  /** File it was written in, where it is not the page itself (snippets). */
  file?: string;
  position?: Position;
}

export interface Parent {
  type:
    | 'root'
    | 'paragraph'
    | 'emphasis'
    | 'strong'
    | 'delete'
    | 'blockquote'
    | 'tableRow'
    | 'tableCell'
    | 'footnoteDefinition';
  children: Node[];
  identifier?: string;
  label?: string;
  position?: Position;
}
export interface Heading {
  type: 'heading';
  depth: 1 | 2 | 3 | 4 | 5 | 6;
  children: Node[];
  /** Explicit `{#id}`. */
  id?: string;
  /** Text of which the anchor is made, where that is not all of it. */
  anchor?: string;
  position?: Position;
}
export interface Text {
  type: 'text' | 'inlineCode' | 'html';
  value: string;
  /** A signed-in reader sees what is there in the reader's `content` instead: names of members, with dots. */
  reader?: string;
  position?: Position;
}
export interface Code {
  type: 'code';
  value: string;
  /** First word of the info string, as written; null without one. */
  lang: string | null;
  /** The rest of the info string. */
  meta: string | null;
  position?: Position;
}
export interface MathNode {
  type: 'math' | 'inlineMath';
  value: string;
  position?: Position;
}
export interface Void {
  type: 'thematicBreak' | 'break';
  position?: Position;
}
export interface Link {
  type: 'link';
  url: string;
  title: string | null;
  children: Node[];
  position?: Position;
}
export interface Image {
  type: 'image';
  url: string;
  title: string | null;
  alt: string;
  position?: Position;
}
export interface List {
  type: 'list';
  ordered: boolean;
  start: number | null;
  spread: boolean;
  children: Node[];
  position?: Position;
}
export interface ListItem {
  type: 'listItem';
  spread: boolean;
  checked: boolean | null;
  children: Node[];
  position?: Position;
}
export interface Table {
  type: 'table';
  align: ('left' | 'right' | 'center' | null)[];
  children: Node[];
  position?: Position;
}
export interface FootnoteReference {
  type: 'footnoteReference';
  identifier: string;
  label: string;
  position?: Position;
}

/**
 * A component of the page that a browser runs. Its children are what the interpreter made of it: they show until it
 * runs, and stay where it fails.
 */
export interface Island {
  type: 'island';
  component: ComponentRef | CodeRef;
  /** Evaluated props; nodes among them are handed over as slots. */
  props: Props;
  /** Props that hold functions, by name: where their source stands. */
  code: Readonly<Record<string, CodeRef>>;
  children: Node[];
  inline: boolean;
  /** Props that the first view does not show; readers of texts find them here. */
  hidden: Slot[];
  /** What the component shows after a change of its state, as far as that is known; no part of the text of the page. */
  others: Node[];
  /** The component gives event handlers for the element in the island. */
  attach?: boolean;
  position?: Position;
}
/** A component by the file that defines it and its name in there (`default` for a nameless default export). */
export interface ComponentRef {
  readonly file: string;
  readonly name: string;
}
/** The source text of one expression, which sees the names of its file. As a component it gives a component. */
export interface CodeRef {
  readonly file: string;
  readonly source: string;
}
/** A prop of an island that holds nodes, where the island shows it. */
export interface Slot {
  type: 'slot';
  /** Name of the prop. */
  name: string;
  children: Node[];
  position?: Position;
}

export type Node =
  | Element
  | Island
  | Slot
  | Parent
  | Heading
  | Text
  | Code
  | MathNode
  | Void
  | Link
  | Image
  | List
  | ListItem
  | Table
  | FootnoteReference;

/**
 * Whether a value is a node of the tree and not plain data. Objects that a page writes have no prototype, so that no
 * data (`{type: 'text'}`) passes for a node.
 */
export function isNode(value: Value): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    'type' in value &&
    typeof value.type === 'string' &&
    Object.getPrototypeOf(value) !== null
  );
}
