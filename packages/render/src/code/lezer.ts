import { createRequire } from 'node:module';
import type { Parser } from '@lezer/common';
import type { Highlighter } from '@lezer/highlight';
import type { LRParser } from '@lezer/lr';
import type { Grammar, LezerModule } from './languages.ts';
import { type Span, TOKEN_CLASSES as T, type TokenClass } from './spans.ts';

// Grammars are loaded on first use: all of them cost about 40 ms, a page needs one or two. They go through one
// require, so that grammars and highlighter share one instance of the tag tables.
const require = createRequire(import.meta.url);
const parsers = new Map<string, Parser>();
let highlighter: Highlighter | null = null;

/** Spans of `code` by a Lezer grammar. Throws RangeError on nesting too deep for the stack. */
export function highlightTree(code: string, grammar: Exclude<Grammar, { kind: 'stream' | 'words' }>): Span[] {
  const lezer = require('@lezer/highlight') as typeof import('@lezer/highlight');
  highlighter ??= makeHighlighter(lezer);
  const spans: Span[] = [];
  lezer.highlightTree(parserOf(grammar).parse(code), highlighter, (from, to, className) => {
    spans.push({ from, to, className: className.slice(0, 2) as TokenClass });
  });
  return spans;
}

function parserOf(grammar: Exclude<Grammar, { kind: 'stream' | 'words' }>): Parser {
  const key = grammar.kind === 'lezer' ? `${grammar.module} ${grammar.dialect ?? ''}` : grammar.kind;
  let parser = parsers.get(key);
  if (parser === undefined) {
    parser = makeParser(grammar);
    parsers.set(key, parser);
  }
  return parser;
}

function makeParser(grammar: Exclude<Grammar, { kind: 'stream' | 'words' }>): Parser {
  if (grammar.kind === 'lezer') {
    const { parser } = require(grammar.module) as { parser: LRParser };
    return grammar.dialect === undefined ? parser : parser.configure({ dialect: grammar.dialect });
  }
  return grammar.kind === 'html' ? htmlParser() : markdownParser();
}

function htmlParser(): Parser {
  const html = require('@lezer/html') as typeof import('@lezer/html');
  const script = lezerParser('@lezer/javascript', 'ts jsx');
  const style = lezerParser('@lezer/css');
  return html.parser.configure({
    dialect: 'selfClosing',
    wrap: html.configureNesting([
      { tag: 'script', parser: script },
      { tag: 'style', parser: style },
    ]),
  });
}

function markdownParser(): Parser {
  const markdown = require('@lezer/markdown') as typeof import('@lezer/markdown');
  const html = require('@lezer/html') as typeof import('@lezer/html');
  const htmlInMarkdown = html.parser.configure({ dialect: 'noMatch selfClosing' });
  return markdown.parser.configure([
    markdown.GFM,
    markdown.parseCode({ htmlParser: htmlInMarkdown, codeParser: fenceParser }),
  ]);
}

/** Fences inside a Markdown sample, for the languages that such samples hold most. */
function fenceParser(info: string): Parser | null {
  const name = /^\w*/.exec(info)![0].toLowerCase();
  if (/^(js|jsx|javascript)$/.test(name)) return lezerParser('@lezer/javascript', 'jsx');
  if (/^(ts|tsx|typescript)$/.test(name)) return lezerParser('@lezer/javascript', 'ts jsx');
  if (/^(py|python)$/.test(name)) return lezerParser('@lezer/python');
  if (name === 'json') return lezerParser('@lezer/json');
  return null;
}

function lezerParser(module: LezerModule, dialect?: string): Parser {
  return parserOf(dialect === undefined ? { kind: 'lezer', module } : { kind: 'lezer', module, dialect });
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
