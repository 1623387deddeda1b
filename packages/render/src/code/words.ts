import { type Span, TOKEN_CLASSES as T, type TokenClass } from './spans.ts';

/** A language that is highlighted by its words alone, for those that neither Lezer nor the stream modes know. */
export interface Vocabulary {
  keywords: ReadonlySet<string>;
  types: ReadonlySet<string>;
  /** Starts of comments that run to the end of the line. */
  lineComments: readonly string[];
  /** Has block comments between slash-star and star-slash. */
  blockComments: boolean;
  /** First characters of a name that stands for something special: `@attr`, `:atom`, `$var`. */
  sigils: string;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const C_COMMENTS = { lineComments: ['//'], blockComments: true } as const;

const VOCABULARIES = {
  cmake: {
    keywords: words(
      'if elseif else endif foreach endforeach while endwhile function endfunction macro endmacro return break continue set unset option include project add_executable add_library add_subdirectory target_link_libraries target_include_directories find_package install message cmake_minimum_required',
    ),
    types: words(
      'ON OFF TRUE FALSE PUBLIC PRIVATE INTERFACE REQUIRED VERSION STATIC SHARED NOT AND OR STREQUAL',
    ),
    lineComments: ['#'],
    blockComments: false,
    sigils: '$',
  },
  elixir: {
    keywords: words(
      'after alias and case catch cond def defdelegate defexception defguard defimpl defmacro defmacrop defmodule defoverridable defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue super try unless unquote use when with',
    ),
    types: words('true false nil self'),
    lineComments: ['#'],
    blockComments: false,
    sigils: '@:',
  },
  erlang: {
    keywords: words(
      'after and andalso band begin bnot bor bsl bsr bxor case catch cond div end fun if let maybe not of or orelse receive rem try when xor',
    ),
    types: words('true false undefined ok error'),
    lineComments: ['%'],
    blockComments: false,
    sigils: '-?#',
  },
  graphql: {
    keywords: words(
      'query mutation subscription fragment on type interface union enum input scalar schema directive extend implements repeatable',
    ),
    types: words('Int Float String Boolean ID true false null'),
    lineComments: ['#'],
    blockComments: false,
    sigils: '@$',
  },
  hcl: {
    keywords: words(
      'resource data variable output module provider terraform locals backend required_providers for in if else endif endfor dynamic lifecycle provisioner moved import check',
    ),
    types: words('string number bool list map set object tuple any true false null'),
    lineComments: ['#', '//'],
    blockComments: true,
    sigils: '',
  },
  makefile: {
    keywords: words('ifeq ifneq ifdef ifndef else endif include define endef export unexport override vpath'),
    types: words('PHONY SUFFIXES DEFAULT PRECIOUS'),
    lineComments: ['#'],
    blockComments: false,
    sigils: '$@',
  },
  prisma: {
    keywords: words('model enum datasource generator type view'),
    types: words('String Int BigInt Float Decimal Boolean DateTime Json Bytes Unsupported true false'),
    ...C_COMMENTS,
    sigils: '@',
  },
  solidity: {
    keywords: words(
      'abstract anonymous as assembly break calldata catch constant constructor continue contract delete do else emit enum error event external fallback for function if immutable import indexed interface internal is library mapping memory modifier new override payable pragma private public pure receive return returns revert storage struct try type unchecked using view virtual while',
    ),
    types: words('address bool bytes bytes32 int int256 string uint uint8 uint128 uint256 true false this'),
    ...C_COMMENTS,
    sigils: '',
  },
  zig: {
    keywords: words(
      'align allowzero and anytype asm break catch comptime const continue defer else enum errdefer error export extern fn for if inline noalias opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while',
    ),
    types: words(
      'bool void u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 type anyerror true false null undefined',
    ),
    lineComments: ['//'],
    blockComments: false,
    sigils: '@',
  },
} satisfies Record<string, Vocabulary>;

export type VocabularyName = keyof typeof VOCABULARIES;

const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|0x[\da-fA-F_]+/y;

/** Spans of `code` by its words, strings, numbers and comments. Linear in the length. */
export function highlightWords(code: string, name: VocabularyName): Span[] {
  const vocabulary: Vocabulary = VOCABULARIES[name];
  const spans: Span[] = [];
  let at = 0;
  while (at < code.length) {
    const comment = commentEnd(code, at, vocabulary);
    if (comment > at) {
      spans.push({ from: at, to: comment, className: T.comment });
      at = comment;
      continue;
    }
    const [end, className] = readToken(code, at, vocabulary);
    if (className !== null) spans.push({ from: at, to: end, className });
    at = end;
  }
  return spans;
}

function commentEnd(code: string, at: number, vocabulary: Vocabulary): number {
  if (vocabulary.lineComments.some((marker) => code.startsWith(marker, at))) return lineEnd(code, at);
  if (!vocabulary.blockComments || !code.startsWith('/*', at)) return at;
  const end = code.indexOf('*/', at + 2);
  return end < 0 ? code.length : end + 2;
}

function lineEnd(code: string, at: number): number {
  const end = code.indexOf('\n', at);
  return end < 0 ? code.length : end;
}

function readToken(code: string, at: number, vocabulary: Vocabulary): [number, TokenClass | null] {
  const first = code[at]!;
  if (first === '"' || first === "'" || first === '`') return [stringEnd(code, at, first), T.string];
  if (vocabulary.sigils.includes(first)) {
    const end = matchEnd(WORD, code, at + 1);
    return end > at + 1 ? [end, T.builtin] : [at + 1, null];
  }
  const number = matchEnd(NUMBER, code, at);
  if (number > at) return [number, T.number];
  const end = matchEnd(WORD, code, at);
  if (end === at) return [at + 1, null];
  return [end, classOfWord(code, code.slice(at, end), end, vocabulary)];
}

function classOfWord(code: string, word: string, end: number, vocabulary: Vocabulary): TokenClass | null {
  if (vocabulary.keywords.has(word)) return T.keyword;
  if (vocabulary.types.has(word)) return T.type;
  const next = code[end];
  if (next === '(') return T.function;
  if (next === ':' || (next === ' ' && code[end + 1] === '=')) return T.property;
  return /^\p{Lu}/u.test(word) ? T.type : null;
}

function stringEnd(code: string, at: number, quote: string): number {
  const isBlock = code.startsWith(quote.repeat(3), at);
  if (isBlock) {
    const end = code.indexOf(quote.repeat(3), at + 3);
    return end < 0 ? code.length : end + 3;
  }
  for (let i = at + 1; i < code.length; i++) {
    const character = code[i];
    if (character === '\\') i++;
    else if (character === quote) return i + 1;
    else if (character === '\n') return i;
  }
  return code.length;
}

function matchEnd(pattern: RegExp, code: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(code) ? pattern.lastIndex : at;
}
