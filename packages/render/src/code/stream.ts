import { createRequire } from 'node:module';
import type { StreamParser } from '@codemirror/streamparser';
import { type Span, TOKEN_CLASSES as T, type TokenClass } from './spans.ts';

const require = createRequire(import.meta.url);
/** Longer lines are left plain: some modes look ahead to the end of the line at each token. */
const MAX_LINE = 1000;
/** Tokens without progress after which highlighting with a mode stops (the limit of CodeMirror itself). */
const MAX_STALLS = 10;

type StringStream = import('@codemirror/streamparser').StringStream;

// Resolving a name of a package again at each fence would cost more than reading the fence.
const modes = new Map<string, StreamParser<unknown>>();
let Stream: typeof import('@codemirror/streamparser').StringStream | null = null;

function loadMode(module: string, mode: string): StreamParser<unknown> {
  const key = `${module} ${mode}`;
  let parser = modes.get(key);
  if (parser === undefined) {
    parser = (require(`@codemirror/legacy-modes/mode/${module}`) as Record<string, StreamParser<unknown>>)[
      mode
    ];
    if (parser === undefined) throw new Error(`no stream mode ${mode} in ${module}`);
    modes.set(key, parser);
  }
  return parser;
}

function newStream(line: string): StringStream {
  Stream ??= (require('@codemirror/streamparser') as typeof import('@codemirror/streamparser')).StringStream;
  return new Stream(line, 2, 2);
}

/** Spans of `code` by a CodeMirror stream mode. Throws when the mode does not advance. */
export function highlightStream(code: string, module: string, mode: string): Span[] {
  const parser = loadMode(module, mode);
  const state = parser.startState?.(2) ?? {};
  const spans: Span[] = [];
  let start = 0;
  while (start <= code.length) {
    const found = code.indexOf('\n', start);
    const end = found < 0 ? code.length : found;
    if (end === start) parser.blankLine?.(state, 2);
    else if (end - start <= MAX_LINE) {
      readLine(parser, state, newStream(code.slice(start, end)), start, spans);
    }
    start = end + 1;
  }
  return spans;
}

function readLine(
  parser: StreamParser<unknown>,
  state: unknown,
  stream: StringStream,
  offset: number,
  spans: Span[],
): void {
  while (!stream.eol()) {
    stream.start = stream.pos;
    let style = parser.token(stream, state);
    for (let stalls = 0; stream.pos === stream.start; stalls++) {
      if (stalls === MAX_STALLS) throw new Error('stream mode does not advance');
      style = parser.token(stream, state);
    }
    const className = style === null ? undefined : classOf(style);
    if (className === undefined) continue;
    const last = spans.at(-1);
    const from = offset + stream.start;
    if (last !== undefined && last.to === from && last.className === className) last.to = offset + stream.pos;
    else spans.push({ from, to: offset + stream.pos, className });
  }
}

/** Style names of the modes (those of CodeMirror 5 and tag names of Lezer); others stay plain. */
const CLASSES: ReadonlyMap<string, TokenClass> = new Map([
  ['keyword', T.keyword],
  ['modifier', T.keyword],
  ['atom', T.number],
  ['number', T.number],
  ['bool', T.number],
  ['comment', T.comment],
  ['lineComment', T.comment],
  ['blockComment', T.comment],
  ['string', T.string],
  ['string-2', T.special],
  ['string.special', T.special],
  ['regexp', T.special],
  ['escape', T.special],
  ['url', T.special],
  ['def', T.function],
  ['variableName.function', T.function],
  ['variableName.definition', T.function],
  ['variable-2', T.builtin],
  ['variableName.special', T.builtin],
  ['variable-3', T.type],
  ['type', T.type],
  ['typeName', T.type],
  ['className', T.type],
  ['tag', T.type],
  ['tagName', T.type],
  ['namespace', T.type],
  ['qualifier', T.type],
  ['attribute', T.property],
  ['attributeName', T.property],
  ['property', T.property],
  ['propertyName', T.property],
  ['labelName', T.property],
  ['builtin', T.builtin],
  ['variableName.standard', T.builtin],
  ['meta', T.builtin],
  ['annotation', T.builtin],
  ['macroName', T.builtin],
  ['header', T.heading],
  ['heading', T.heading],
  ['link', T.link],
  ['positive', T.inserted],
  ['inserted', T.inserted],
  ['negative', T.deleted],
  ['deleted', T.deleted],
]);

function classOf(style: string): TokenClass | undefined {
  for (const name of style.split(' ')) {
    const found = CLASSES.get(name) ?? CLASSES.get(name.slice(0, name.indexOf('.')));
    if (found !== undefined) return found;
  }
  return undefined;
}
