import type { HttpBody, HttpRequest } from '../request/types.ts';
import { bodyText, hasHidden, headersOf } from './text.ts';

const METHODS = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE)$/;

/** PowerShell 7. */
export function powershellSample(request: HttpRequest): string {
  const { method, url, body } = request;
  const lines: string[] = [];
  const args = [`-Uri ${string(url)}`];
  if (METHODS.test(method)) args.push(`-Method ${method.charAt(0)}${method.slice(1).toLowerCase()}`);
  else args.push(`-CustomMethod ${string(method)}`);
  const type = request.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const headers = headersOf(request).filter(([name]) => name.toLowerCase() !== 'content-type');
  if (headers.length > 0) {
    lines.push(
      '$headers = @{',
      ...headers.map(([name, value]) => `  ${string(name)} = ${string(value)}`),
      '}',
    );
    args.push('-Headers $headers');
  }
  if (type !== undefined) args.push(`-ContentType ${string(type)}`);
  // Otherwise PowerShell rejects values with unusual characters.
  if (headers.length > 0 || type !== undefined) args.push('-SkipHeaderValidation');
  if (body?.kind === 'file') args.push(`-InFile ${string(body.file)}`);
  else if (body !== null) {
    lines.push(...bodyLines(body));
    args.push('-Body $body');
  }
  return [...lines, `$response = Invoke-WebRequest ${args.join(' `\n  ')}`, '$response.Content'].join('\n');
}

function bodyLines(body: HttpBody): string[] {
  if (body.kind !== 'multipart')
    return [`$body = [System.Text.Encoding]::UTF8.GetBytes(${string(bodyText(body) ?? '')})`];
  const lines = ['$body = [System.Net.Http.MultipartFormDataContent]::new()'];
  for (const { name, text, file, type } of body.parts) {
    lines.push(
      file === null
        ? `$part = [System.Net.Http.StringContent]::new(${string(text ?? '')})`
        : `$part = [System.Net.Http.ByteArrayContent]::new([System.IO.File]::ReadAllBytes((Resolve-Path -LiteralPath ${string(file)})))`,
    );
    if (type !== null) lines.push(`$part.Headers.ContentType = ${string(type)}`);
    lines.push(`$body.Add($part, ${string(name)}${file === null ? '' : `, ${string(file)}`})`);
  }
  return lines;
}

/** PowerShell accepts typographic quotation marks as quotes. */
function string(text: string): string {
  if (!hasHidden(text)) return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
  const escaped = text
    .replace(/["`$\u201c-\u201e]/g, '`$&')
    .replaceAll('\n', '`n')
    .replace(/[\0-\x1f\x7f-\x9f\p{Cf}\u2028\u2029]/gu, (character) => {
      const units = [...Array(character.length).keys()].map((unit) => character.charCodeAt(unit));
      return units.map((unit) => `$([char]0x${unit.toString(16)})`).join('');
    });
  return `"${escaped}"`;
}
