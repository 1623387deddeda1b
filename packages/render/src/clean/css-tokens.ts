import { type CSSToken, HashType, TokenType, tokenizer } from '@csstools/css-tokenizer';

/** The bracket that closes an open one. */
export const CLOSING: Readonly<Record<string, string>> = {
  [TokenType.Function]: ')',
  [TokenType.OpenParen]: ')',
  [TokenType.OpenSquare]: ']',
  [TokenType.OpenCurly]: '}',
};

/** Characters that the current specification allows in names, beyond ASCII. */
const LETTERS =
  '\\xb7\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u037d\\u037f-\\u1fff\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{10ffff}';
const NOT_NAME = new RegExp(`[^\\w${LETTERS}-]`, 'gu');
/** Those that only browsers allow there, as the specification did before: an escape means the same to both. */
const OTHER_NAME = new RegExp(`[^\\0-\\x7f${LETTERS}]`, 'u');
const OTHER_ESCAPED = new RegExp(`\\\\[^]|${OTHER_NAME.source}`, 'gu');

function asEscape(part: string): string {
  const char = part.replace(/^\\/, '');
  return OTHER_NAME.test(char) ? hex(char) : part;
}

/** Tokens of a style text, one after the other; those that were read ahead can be put back. */
export interface TokenStream {
  /** The next token; the last one is `EOF`, again and again. */
  next(): CSSToken;
  /** Puts tokens back, as the next ones. */
  back(...tokens: readonly CSSToken[]): void;
}

/** Tokens by CSS Syntax Level 3, with its preprocessing of the input. */
export function tokensOf(css: string): TokenStream {
  const text = css
    .replace(/^\ufeff+/, '')
    .replace(/\r\n?|\f/g, '\n')
    .replaceAll('\0', '\ufffd')
    .toWellFormed();
  const source = tokenizer({
    css: text.search(OTHER_NAME) === -1 ? text : text.replace(OTHER_ESCAPED, asEscape),
  });
  const ahead: CSSToken[] = [];
  return {
    next: () => ahead.pop() ?? source.nextToken(),
    back(...tokens) {
      for (let at = tokens.length - 1; at >= 0; at--) {
        const token = tokens[at];
        if (token !== undefined) ahead.push(token);
      }
    },
  };
}

/**
 * Text of a token. What has no escape and is closed stays as written; everything else is serialized, so that every parser
 * reads the same token. A token that ends at a line break includes it.
 */
export function textOf(token: CSSToken): string {
  const [type, raw] = token;
  switch (type) {
    case TokenType.BadString:
      return '"\n';
    case TokenType.BadURL:
      return 'url(()';
    case TokenType.Comment:
      return raw.length >= 4 && raw.endsWith('*/') ? raw : `${raw}*/`;
    case TokenType.Delim:
      return raw === '\\' ? '\\\n' : raw;
    case TokenType.String:
      return raw.includes('\\') || raw.length < 2 || !raw.endsWith(raw.charAt(0))
        ? quoted(token[4].value)
        : raw;
    case TokenType.URL:
      return raw.includes('\\') || !raw.endsWith(')') ? `url(${quoted(token[4].value)})` : raw;
    default:
      return raw.includes('\\') ? unescaped(token) : raw;
  }
}

function unescaped(token: CSSToken): string {
  switch (token[0]) {
    case TokenType.Ident:
      return identifier(token[4].value);
    case TokenType.Function:
      return `${identifier(token[4].value)}(`;
    case TokenType.AtKeyword:
      return `@${identifier(token[4].value)}`;
    case TokenType.Hash:
      return `#${token[4].type === HashType.ID ? identifier(token[4].value) : name(token[4].value)}`;
    case TokenType.Dimension: {
      const [number = '0'] = /^[+-]?(?:\d*\.)?\d+(?:e[+-]?\d+)?/i.exec(token[1]) ?? [];
      const unit = identifier(token[4].unit);
      return number + (/^e[+-]?\d/i.test(unit) ? `\\65 ${unit.slice(1)}` : unit);
    }
    default:
      return token[1];
  }
}

/** A string token. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\\n\r\f]/g, (char) => hex(char))}"`;
}

/** An identifier, as the CSS Object Model serializes it. */
function identifier(text: string): string {
  const [start = ''] = /^(?:-?\d|-$)/.exec(text) ?? [];
  if (start === '-') return '\\-';
  return start === ''
    ? name(text)
    : start.slice(0, -1) + hex(start.slice(-1)) + name(text.slice(start.length));
}

function name(text: string): string {
  return text.replace(NOT_NAME, (char) => (/[!-~ ]/.test(char) ? `\\${char}` : hex(char)));
}

function hex(char: string): string {
  return `\\${char.charCodeAt(0).toString(16)} `;
}
