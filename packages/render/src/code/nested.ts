import type { Grammar } from './languages.ts';
import { highlightLexed } from './lexers/index.ts';
import { addTreeSpans, lezerParser, markdownParser, parseWithin } from './lezer.ts';
import type { Span } from './spans.ts';

type TreeGrammar = Exclude<Grammar, { kind: 'stream' | 'words' }>;

const YAML: TreeGrammar = { kind: 'lexer', name: 'yaml' };
const CSS: TreeGrammar = { kind: 'lezer', module: '@lezer/css' };
const TSX: TreeGrammar = { kind: 'lexer', name: 'tsx' };

/**
 * Spans of `code` by a Lezer grammar, languages inside others included (scripts in HTML, HTML and fences in
 * Markdown). Throws RangeError on nesting too deep for the stack.
 */
export function highlightTree(code: string, grammar: TreeGrammar): Span[] {
  const spans: Span[] = [];
  addPart(code, 0, grammar, spans);
  spans.sort((a, b) => a.from - b.from || b.to - a.to);
  return spans;
}

function addPart(code: string, offset: number, grammar: TreeGrammar, spans: Span[]): void {
  if (grammar.kind === 'html') addHtml(code, offset, 'selfClosing', spans);
  else if (grammar.kind === 'markdown') addMarkdown(code, offset, spans);
  else if (grammar.kind === 'lexer') {
    for (const { from, to, className } of highlightLexed(code, grammar.name))
      spans.push({ from: from + offset, to: to + offset, className });
  } else {
    const tree = parseWithin(lezerParser(grammar.module, grammar.dialect), code);
    if (tree !== null) addTreeSpans(tree, offset, spans);
  }
}

function addHtml(code: string, offset: number, dialect: string, spans: Span[]): void {
  const tree = parseWithin(lezerParser('@lezer/html', dialect), code);
  if (tree === null) return;
  addTreeSpans(tree, offset, spans);
  tree.iterate({
    enter: ({ name, from, to }) => {
      const inner = name === 'ScriptText' ? TSX : name === 'StyleText' ? CSS : null;
      if (inner !== null) addPart(code.slice(from, to), offset + from, inner, spans);
    },
  });
}

/** Fences inside a Markdown sample, for the languages that such samples hold most. */
const FENCES: ReadonlyMap<string, TreeGrammar> = new Map<string, TreeGrammar>([
  ...['js', 'jsx', 'javascript', 'ts', 'tsx', 'typescript'].map((name) => [name, TSX] as const),
  ...['py', 'python'].map((name) => [name, { kind: 'lexer', name: 'python' }] as const),
  ...['yaml', 'yml'].map((name) => [name, YAML] as const),
  ['json', { kind: 'lexer', name: 'json' }],
]);

/**
 * Delimiters of emphasis and links in one block of text. The Markdown parser compares each with those before it in the
 * block, so that its time grows with their square. The 523 samples of eight public sites have at most 30.
 */
const MAX_DELIMITERS = 1_000;

const isCostly = (text: string): boolean =>
  text.split(/\n[ \t]*\n/).some((block) => (block.match(/[*_~[\]]/g)?.length ?? 0) > MAX_DELIMITERS);

function addMarkdown(code: string, offset: number, spans: Span[]): void {
  const body = addFrontMatter(code, offset, spans);
  const text = code.slice(body);
  if (isCostly(text)) return;
  const tree = parseWithin(markdownParser(), text);
  if (tree === null) return;
  const start = offset + body;
  addTreeSpans(tree, start, spans);
  let fence: TreeGrammar | undefined;
  tree.iterate({
    enter: ({ name, from, to }) => {
      const part = (grammar: TreeGrammar): void =>
        addPart(text.slice(from, to), start + from, grammar, spans);
      if (name === 'FencedCode') fence = undefined;
      else if (name === 'CodeInfo') fence = FENCES.get(/^\w*/.exec(text.slice(from, to))![0].toLowerCase());
      else if (name === 'CodeText' && fence !== undefined) part(fence);
      else if (name === 'HTMLBlock' || name === 'HTMLTag') {
        addHtml(text.slice(from, to), start + from, 'noMatch selfClosing', spans);
      } else if (name === 'Paragraph' && /^(?:import|export)\s/.test(text.slice(from, from + 8))) part(TSX);
    },
  });
}

/** Reads front matter at the start; returns the offset of the body. */
function addFrontMatter(code: string, offset: number, spans: Span[]): number {
  if (!code.startsWith('---\n')) return 0;
  const end = code.indexOf('\n---', 3);
  if (end < 0) return 0;
  addPart(code.slice(0, end), offset, YAML, spans);
  return end + 4;
}
