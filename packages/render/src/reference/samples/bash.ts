import type { HttpPart, HttpRequest } from '../request/types.ts';
import { cookieText, curlHeader, formEncode, hasHidden, hex } from './text.ts';

/** A command for `curl` in Bash. */
export function bashSample(request: HttpRequest): string {
  const { method, url, headers, cookies, body } = request;
  // With `--request HEAD`, curl waits for a body.
  const lines = [method === 'HEAD' ? 'curl --head' : `curl --request ${word(method)}`];
  // curl expands these in URLs.
  if (/[{}[\]]/.test(url)) lines.push('--globoff');
  lines.push(`--url ${word(url)}`);
  for (const header of headers) lines.push(`--header ${word(curlHeader(header), true)}`);
  if (cookies.length > 0) lines.push(`--cookie ${word(cookieText(cookies), true)}`);
  if (body?.kind === 'text') lines.push(`--data-raw ${word(body.text, true)}`);
  if (body?.kind === 'file') lines.push(`--data-binary ${word(`@${fileName(body.file)}`)}`);
  if (body?.kind === 'form') {
    if (body.pairs.length === 0) lines.push("--data-raw ''");
    // curl encodes the value only.
    for (const [name, value] of body.pairs)
      lines.push(`--data-urlencode ${word(`${formEncode(name)}=${value}`, true)}`);
  }
  if (body?.kind === 'multipart') {
    // curl adds the boundary.
    if (body.type !== undefined) lines.push(`--header ${word(`Content-Type: ${body.type}`)}`);
    for (const part of body.parts) lines.push(partOption(part));
  }
  return lines.join(' \\\n  ');
}

function partOption({ name, text, file, type }: HttpPart): string {
  const ending = type === null ? '' : `;type=${type}`;
  if (file !== null) {
    const path = fileName(file);
    return `--form ${word(`${name}=@${/[";,\\]/.test(path) ? quotedPart(path) : path}${ending}`)}`;
  }
  if (type === null) return `--form-string ${word(`${name}=${text ?? ''}`, true)}`;
  return `--form ${word(`${name}=${quotedPart(text ?? '')}${ending}`, true)}`;
}

/** Without quotes, curl reads `@`, `<` and `;` in the content of a part. */
const quotedPart = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** `-` is the standard input. */
const fileName = (file: string): string => (file === '-' ? './-' : file);

/** One word of a command line. */
function word(text: string, isQuoted = false): string {
  if (!isQuoted && /^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!hasHidden(text.replaceAll('\t', ''))) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text
    .replace(/['\\]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(/[\x01-\x1f\x7f]/g, (character) => `\\x${hex(character.charCodeAt(0), 2)}`)
    .replace(/[\x80-\x9f\p{Cf}\u2028\u2029]/gu, bytesOf);
  return `$'${escaped}'`;
}

/** `\u` of Bash depends on the locale, bytes do not. */
function bytesOf(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\x${hex(byte, 2)}`).join('');
}
