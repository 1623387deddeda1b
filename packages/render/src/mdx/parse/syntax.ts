import type { Position } from '../../tree.ts';
import type { WarningCode } from '../../warning-codes.ts';

/** A node as the parser gives it. One shape for all kinds: which fields are set follows from the type, as in mdast. */
export interface SyntaxNode {
  type: string;
  children?: SyntaxNode[];
  position?: Position;
  value?: string;
  /** Headings. */
  depth?: number;
  /** Links, images, definitions. */
  url?: string;
  title?: string | null;
  alt?: string | null;
  identifier?: string;
  label?: string | null;
  /** JSX; null for a fragment. */
  name?: string | null;
  attributes?: SyntaxAttribute[];
}

export interface SyntaxAttribute {
  type: 'mdxJsxAttribute' | 'mdxJsxExpressionAttribute';
  name?: string;
  value: null | string | { type: string; value: string };
}

/** One change that made a page parse. */
export interface Repair {
  /** 1-based line of the text. */
  line: number;
  code: WarningCode;
  message: string;
}

/** First line of a node in its file. */
export function lineOf(node: SyntaxNode): number | null {
  return node.position?.start.line ?? null;
}
