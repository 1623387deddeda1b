import { createRequire } from 'node:module';
import type { Parser, PartialParse, Tree } from '@lezer/common';
import type { Highlighter } from '@lezer/highlight';
import type { LRParser } from '@lezer/lr';
import type { LezerModule } from './languages.ts';
import { type Span, TOKEN_CLASSES as T, type TokenClass } from './spans.ts';

// Grammars are loaded on first use: all of them cost about 40 ms, a page needs one or two. They go through one
// require, so that grammars and highlighter share one instance of the tag tables.
const require = createRequire(import.meta.url);
const parsers = new Map<string, Parser>();
let painter: Painter | null = null;

interface Painter {
  highlightTree: typeof import('@lezer/highlight').highlightTree;
  highlighter: Highlighter;
}

/** A grammar of the family, by module and dialect. */
export function lezerParser(module: LezerModule, dialect = ''): Parser {
  const key = `${module} ${dialect}`;
  let parser = parsers.get(key);
  if (parser === undefined) {
    const loaded = (require(module) as { parser: LRParser }).parser;
    parser = dialect === '' ? loaded : loaded.configure({ dialect });
    parsers.set(key, parser);
  }
  return parser;
}

/** Markdown with the GitHub extensions; its HTML and code are left to the caller. */
export function markdownParser(): Parser {
  let parser = parsers.get('markdown');
  if (parser === undefined) {
    const markdown = require('@lezer/markdown') as typeof import('@lezer/markdown');
    parser = markdown.parser.configure(markdown.GFM);
    parsers.set('markdown', parser);
  }
  return parser;
}

/** What a parse may cost, in units of about 5 ns. Fences of public sites take 70 a character, one in a thousand 250. */
const BASE_WORK = 1_000_000;
const WORK_PER_CHARACTER = 250;
/** A step of one of the parallel stacks that a parse in doubt keeps. */
const STEP_WORK = 200;

/** The parts of a running LR parse that tell what its next step costs. */
interface StackView {
  readonly stack: ArrayLike<number>;
  readonly pos: number;
  readonly lookAhead: number;
}

/**
 * The syntax tree, or null when the code costs far more than code does. An LR parse is linear in what people
 * write, but recovering from errors copies the stack and tokens may look ahead to the end, so that input made
 * for it is quadratic. The work is counted and not timed: the same input gives the same output everywhere.
 */
export function parseWithin(parser: Parser, code: string): Tree | null {
  const parse = parser.startParse(code) as PartialParse & { readonly stacks?: readonly StackView[] };
  let budget = BASE_WORK + WORK_PER_CHARACTER * code.length;
  for (;;) {
    const tree = parse.advance();
    if (tree !== null) return tree;
    for (const view of parse.stacks ?? []) {
      budget -= STEP_WORK + view.stack.length + Math.max(0, view.lookAhead - view.pos);
    }
    if (budget < 0) return null;
  }
}

/** Adds the spans of a tree over a part of the code that starts at `offset`. */
export function addTreeSpans(tree: Tree, offset: number, spans: Span[]): void {
  painter ??= loadPainter();
  painter.highlightTree(tree, painter.highlighter, (from, to, classes) => {
    // Where several tags match, the first two letters are the class of the first.
    const className = classes.slice(0, 2) as TokenClass;
    const last = spans.at(-1);
    if (last !== undefined && last.to === from + offset && last.className === className)
      last.to = to + offset;
    else spans.push({ from: from + offset, to: to + offset, className });
  });
}

function loadPainter(): Painter {
  const lezer = require('@lezer/highlight') as typeof import('@lezer/highlight');
  return { highlightTree: lezer.highlightTree, highlighter: makeHighlighter(lezer) };
}

function makeHighlighter({ tagHighlighter, tags: t }: typeof import('@lezer/highlight')): Highlighter {
  return tagHighlighter([
    { tag: t.comment, class: T.comment },
    { tag: [t.keyword, t.operatorKeyword, t.modifier, t.moduleKeyword, t.controlKeyword], class: T.keyword },
    { tag: [t.string, t.special(t.string), t.character, t.attributeValue, t.docString], class: T.string },
    { tag: [t.regexp, t.escape, t.color, t.url], class: T.special },
    { tag: [t.number, t.bool, t.null, t.atom, t.unit, t.self], class: T.number },
    {
      tag: [
        t.function(t.variableName),
        t.function(t.propertyName),
        t.function(t.definition(t.variableName)),
        t.macroName,
      ],
      class: T.function,
    },
    { tag: [t.typeName, t.className, t.namespace, t.tagName], class: T.type },
    { tag: [t.propertyName, t.attributeName, t.labelName], class: T.property },
    {
      tag: [t.standard(t.variableName), t.standard(t.tagName), t.meta, t.annotation, t.processingInstruction],
      class: T.builtin,
    },
    { tag: t.heading, class: T.heading },
    { tag: t.link, class: T.link },
    { tag: t.inserted, class: T.inserted },
    { tag: t.deleted, class: T.deleted },
  ]);
}
