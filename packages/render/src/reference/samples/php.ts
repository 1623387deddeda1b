import type { HttpBody, HttpRequest } from '../request/types.ts';
import {
  arePlainParts,
  bodyText,
  bracedEscape,
  curlHeader,
  hasHidden,
  haveUniqueNames,
  headersOf,
  multipartPieces,
  multipartType,
  quoted,
} from './text.ts';

/** PHP with its extension for curl. */
export function phpSample(request: HttpRequest): string {
  const { method, url, body } = request;
  const options = [`CURLOPT_URL => ${string(url)}`, 'CURLOPT_RETURNTRANSFER => true'];
  // A request with the method HEAD waits for a body.
  options.push(method === 'HEAD' ? 'CURLOPT_NOBODY => true' : `CURLOPT_CUSTOMREQUEST => ${string(method)}`);
  const headers = headersOf(request).map((header) => string(curlHeader(header)));
  const isWritten = body?.kind === 'multipart' && !isArray(body);
  if (isWritten) headers.push(string(`Content-Type: ${multipartType(body)}`));
  if (headers.length > 0) options.push(`CURLOPT_HTTPHEADER => [\n    ${headers.join(',\n    ')},\n  ]`);
  if (body !== null) options.push(`CURLOPT_POSTFIELDS => ${bodyOf(body)}`);
  const lines = ['<?php', '', '$curl = curl_init();', '', 'curl_setopt_array($curl, ['];
  lines.push(...options.map((option) => `  ${option},`), ']);', '');
  return [...lines, '$response = curl_exec($curl);', 'echo $response;'].join('\n');
}

/** An array has each name once, and no content types of texts; it is sent as `multipart/form-data`. */
const isArray = (body: HttpBody): boolean =>
  body.kind === 'multipart' &&
  body.type === undefined &&
  arePlainParts(body.parts) &&
  haveUniqueNames(body.parts);

function bodyOf(body: HttpBody): string {
  if (body.kind === 'file') return `file_get_contents(${string(body.file)})`;
  if (body.kind !== 'multipart') return string(bodyText(body) ?? '');
  if (!isArray(body)) {
    const pieces = multipartPieces(body.parts);
    return pieces
      .map((piece) => ('file' in piece ? `file_get_contents(${string(piece.file)})` : string(piece.text)))
      .join('\n    . ');
  }
  const items = body.parts.map(({ name, text, file, type }) => {
    if (file === null) return `${string(name)} => ${string(text ?? '')}`;
    const args = [file, type ?? 'application/octet-stream', file].map(string);
    return `${string(name)} => new CURLFile(${args.join(', ')})`;
  });
  return items.length === 0 ? '[]' : `[\n    ${items.join(',\n    ')},\n  ]`;
}

function string(text: string): string {
  if (!hasHidden(text)) return `'${text.replace(/['\\]/g, '\\$&')}'`;
  return quoted(text, { quote: '"', backslash: /["\\$]/g, hidden: bracedEscape });
}
