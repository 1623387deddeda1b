/** What a strict YAML parser reports, in the words of somebody who writes front matter. */
export interface YamlError {
  /** Stable name of the kind of error. */
  code: string;
  /** First line of the message. */
  message: string;
  /** 1-based line in the block. */
  line: number;
}

/** Longest line that is repeated in a message with quotes around its value. */
const MAX_SHOWN = 100;

/**
 * The cause of an error and the way out. Most errors of front matter are text that needs quotes, which a parser
 * reports as an error of structure. Unknown kinds keep the message of the parser.
 */
export function explainYamlError(error: YamlError, block: string): { line: number; reason: string } {
  const lines = block.split('\n');
  const text = lines[error.line - 1] ?? '';
  const at = (reason: string, line = error.line): { line: number; reason: string } => ({ line, reason });
  switch (error.code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
      return at(`a value that contains a colon and a space needs quotes${quotedLine(text)}`);
    case 'BAD_SCALAR_START':
      return at(`a value that starts with ${startOf(text)} needs quotes${quotedLine(text)}`);
    case 'BAD_DQ_ESCAPE':
      return at(
        'a backslash has a special meaning in double quotes. Use single quotes, or write two backslashes',
      );
    case 'TAB_AS_INDENT':
      return at('a line is indented with a tab. Use spaces');
    case 'MISSING_CHAR':
      if (!error.message.includes('quote')) break;
      return at('a quote is not closed. Add the closing quote', openQuote(lines) ?? error.line);
    case 'UNEXPECTED_TOKEN':
      if (!error.message.includes('node end')) break;
      return /:\s+["']/.test(text)
        ? at(
            `text follows the closing quote. To write a quote in a text, use the other kind around it${requotedLine(text)}`,
          )
        : at('this line does not belong to the value before it. Start all keys in the same column');
    case 'MULTILINE_IMPLICIT_KEY':
      return at('each line must be "key: value"');
  }
  return at(error.message);
}

interface Field {
  key: string;
  value: string;
}

function fieldOf(line: string): Field | null {
  const [, key, value] = /^\s*([\w:.-]{1,40}):\s+(\S.*?)\s*$/.exec(line.slice(0, MAX_SHOWN)) ?? [];
  return key === undefined || value === undefined || line.length > MAX_SHOWN ? null : { key, value };
}

function quotedLine(line: string): string {
  const field = fieldOf(line);
  if (field === null || /["\\]/.test(field.value)) return '';
  return `. Write \`${field.key}: "${field.value}"\``;
}

/** A text in single quotes that contains one, in double quotes. */
function requotedLine(line: string): string {
  const field = fieldOf(line);
  const inner = field === null ? undefined : /^'(.*)'$/.exec(field.value)?.[1];
  if (field === null || inner === undefined || /["\\]/.test(inner)) return '';
  return `: \`${field.key}: "${inner}"\``;
}

function startOf(line: string): string {
  const start = fieldOf(line)?.value[0];
  return start === undefined ? 'a special character' : `"${start}"`;
}

/** 1-based line of the first value whose quote is not closed in its line. */
function openQuote(lines: readonly string[]): number | null {
  const at = lines.findIndex((line) => {
    const [, quote = '', rest = ''] = /:\s+(["'])(.*)$/.exec(line) ?? [];
    return quote !== '' && !rest.includes(quote);
  });
  return at < 0 ? null : at + 1;
}
