import type { HttpBody, HttpPart, HttpRequest } from '../request/types.ts';

/** Characters that a reader of a sample cannot see, or that change the order of others. */
const HIDDEN = /[\0-\x09\x0b-\x1f\x7f-\x9f\p{Cf}\u2028\u2029]/u;
const EACH_HIDDEN = new RegExp(HIDDEN, 'gu');

/** Whether a text must be written with escapes instead of in a raw string. */
export const hasHidden = (text: string): boolean => HIDDEN.test(text);

/** How a language writes the characters that cannot be in its quotes. */
export interface Escapes {
  readonly quote: string;
  /** Characters with a backslash before them. */
  readonly backslash: RegExp;
  /** Character that is not printable, by its code point. */
  readonly hidden: (code: number) => string;
}

/** A string on one line. */
export function quoted(text: string, { quote, backslash, hidden }: Escapes): string {
  const escaped = text
    .replace(backslash, '\\$&')
    .replace(EACH_HIDDEN, (character) =>
      character === '\r' ? '\\r' : character === '\t' ? '\\t' : hidden(character.codePointAt(0) ?? 0),
    )
    .replaceAll('\n', '\\n');
  return quote + escaped + quote;
}

export const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** `\u200d`, with two units beyond the first 65,536 characters. */
export function utf16Escape(code: number): string {
  return [...Array(code > 0xffff ? 2 : 1).keys()]
    .map((unit) => `\\u${hex(String.fromCodePoint(code).charCodeAt(unit), 4)}`)
    .join('');
}

/** `\u{200d}` */
export const bracedEscape = (code: number): string => `\\u{${code.toString(16)}}`;

/** Whether a text has several lines that a raw string can show. */
export const isRawLines = (text: string): boolean => text.includes('\n') && !hasHidden(text);

export function indent(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

/** Headers with the cookies. */
export function headersOf({ headers, cookies }: HttpRequest): readonly (readonly [string, string])[] {
  const cookie = cookieText(cookies);
  return cookie === '' ? headers : [...headers, ['Cookie', cookie]];
}

export const cookieText = (cookies: HttpRequest['cookies']): string =>
  cookies.map(([name, value]) => `${name}=${value}`).join('; ');

/** Line of a header for libcurl, which removes a header without a value unless it ends with a semicolon. */
export const curlHeader = ([name, value]: readonly [string, string]): string =>
  value === '' ? `${name};` : `${name}: ${value}`;

export const contentType = ({ headers }: HttpRequest): string | null =>
  headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null;

/** Pairs as `application/x-www-form-urlencoded`. */
export const formText = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`).join('&');

/** The bytes that curl sends with `--data-urlencode`. */
export const formEncode = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (character) => `%${hex(character.charCodeAt(0), 2).toUpperCase()}`)
    .replaceAll('%20', '+');

/** JSON data of a body, if writing it again gives the same text. */
export function jsonOf(request: HttpRequest): { value: unknown } | null {
  const { body } = request;
  if (body?.kind !== 'text' || !/[/+]json\s*(?:;|$)/i.test(contentType(request) ?? '')) return null;
  try {
    const value: unknown = JSON.parse(body.text);
    return JSON.stringify(value, null, 2) === body.text ? { value } : null;
  } catch {
    return null;
  }
}

/** JSON whose strings show every character. */
export const visibleJson = (json: string): string =>
  json.replace(EACH_HIDDEN, (character) => utf16Escape(character.codePointAt(0) ?? 0));

/** Text of a body that is one text; null for files and multipart bodies. */
export function bodyText(body: HttpBody | null): string | null {
  if (body?.kind === 'text') return body.text;
  return body?.kind === 'form' ? formText(body.pairs) : null;
}

export const BOUNDARY = 'boundary-a1b2c3d4e5f6';

/** Content type of a multipart body that is written with BOUNDARY. */
export const multipartType = ({ type = 'multipart/form-data' }: { readonly type?: string }): string =>
  `${type}; boundary=${BOUNDARY}`;

/** Languages whose samples write every type of multipart body. */
const WRITE_MULTIPART: ReadonlySet<string> = new Set([
  ...['bash', 'c', 'c++', 'go', 'java', 'php', 'ruby', 'swift'],
]);

/** A comment instead of code that would send another content type; null for all other requests. */
export function multipartNote({ body }: HttpRequest, language: string): string | null {
  if (body?.kind !== 'multipart' || body.type === undefined || WRITE_MULTIPART.has(language)) return null;
  const mark = language === 'python' || language === 'powershell' ? '#' : '//';
  return [
    `This client can send files as multipart/form-data only, and the operation needs`,
    `${body.type}. Use the cURL command.`,
  ]
    .map((line) => `${mark} ${line}`)
    .join('\n');
}

/** A multipart body for languages that have no function for it: texts and files in order. */
export function multipartPieces(
  parts: readonly HttpPart[],
  boundary: string = BOUNDARY,
): ({ text: string } | { file: string })[] {
  const pieces: ({ text: string } | { file: string })[] = [];
  let text = '';
  for (const part of parts) {
    text += `--${boundary}\r\nContent-Disposition: form-data; name="${partName(part.name)}"`;
    if (part.file !== null) text += `; filename="${partName(part.file)}"`;
    const type = part.type ?? (part.file === null ? null : 'application/octet-stream');
    text += `${type === null ? '' : `\r\nContent-Type: ${type}`}\r\n\r\n`;
    if (part.file === null) text += part.text ?? '';
    else {
      pieces.push({ text }, { file: part.file });
      text = '';
    }
    text += '\r\n';
  }
  pieces.push({ text: `${text}--${boundary}--\r\n` });
  return pieces;
}

/** A name or file name between quotes in a header of a part, as browsers write it. */
export const partName = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => `%${hex(character.charCodeAt(0), 2).toUpperCase()}`);

/** Whether a list of names and values without content types can say a multipart body. */
export const arePlainParts = (parts: readonly HttpPart[]): boolean =>
  parts.every(({ file, type }) => file !== null || type === null);

export const haveUniqueNames = (parts: readonly HttpPart[]): boolean =>
  new Set(parts.map(({ name }) => name)).size === parts.length;
