import type { HttpBody, HttpRequest } from '../request/types.ts';
import { bodyText, contentType, cookieText, curlHeader, isRawLines, quoted } from './text.ts';

/** C with libcurl. */
export const cSample = (request: HttpRequest): string => curlSample(request, false);

/** C++ with libcurl. */
export const cppSample = (request: HttpRequest): string => curlSample(request, true);

function curlSample(request: HttpRequest, isCpp: boolean): string {
  const { method, url, headers, cookies, body } = request;
  const nothing = isCpp ? 'nullptr' : 'NULL';
  const set = (option: string, value: string): string =>
    `curl_easy_setopt(curl, CURLOPT_${option}, ${value});`;
  const lines = ['CURL *curl = curl_easy_init();', set('URL', string(url))];
  lines.push(method === 'HEAD' ? set('NOBODY', '1L') : set('CUSTOMREQUEST', string(method)));
  const list = headers.map(curlHeader);
  // libcurl adds the boundary.
  if (body?.kind === 'multipart' && body.type !== undefined) list.push(`Content-Type: ${body.type}`);
  // libcurl has a default type for bodies.
  if (hasText(body) && contentType(request) === null) list.push('Content-Type:');
  if (list.length > 0) {
    lines.push('', `struct curl_slist *headers = ${nothing};`);
    for (const header of list) lines.push(`headers = curl_slist_append(headers, ${string(header)});`);
    lines.push(set('HTTPHEADER', 'headers'));
  }
  if (cookies.length > 0) lines.push(set('COOKIE', string(cookieText(cookies))));
  if (body !== null) lines.push('', ...bodyLines(body, isCpp, set));
  lines.push('', 'CURLcode result = curl_easy_perform(curl);', '');
  if (list.length > 0) lines.push('curl_slist_free_all(headers);');
  if (body?.kind === 'multipart') lines.push('curl_mime_free(form);');
  if (body?.kind === 'file') lines.push('fclose(file);');
  lines.push('curl_easy_cleanup(curl);', 'return (int)result;');
  return [
    ...(isCpp && body?.kind === 'file' ? ['#include <cstdio>'] : []),
    ...(!isCpp && body?.kind === 'file' ? ['#include <stdio.h>'] : []),
    '#include <curl/curl.h>',
    '',
    isCpp ? 'int main() {' : 'int main(void) {',
    ...lines.map((line) => (line === '' ? '' : `  ${line}`)),
    '}',
  ].join('\n');
}

const hasText = (body: HttpBody | null): boolean => body !== null && body.kind !== 'multipart';

function bodyLines(body: HttpBody, isCpp: boolean, set: (option: string, value: string) => string): string[] {
  if (body.kind === 'file') {
    return [
      `FILE *file = fopen(${string(body.file)}, "rb");`,
      'fseek(file, 0, SEEK_END);',
      set('POSTFIELDSIZE_LARGE', '(curl_off_t)ftell(file)'),
      'rewind(file);',
      set('POST', '1L'),
      set('READDATA', 'file'),
    ];
  }
  if (body.kind !== 'multipart') return [set('POSTFIELDS', lineText(bodyText(body) ?? '', isCpp))];
  const lines = ['curl_mime *form = curl_mime_init(curl);', 'curl_mimepart *part;'];
  for (const { name, text, file, type } of body.parts) {
    lines.push('part = curl_mime_addpart(form);', `curl_mime_name(part, ${string(name)});`);
    if (file !== null) lines.push(`curl_mime_filedata(part, ${string(file)});`);
    else lines.push(`curl_mime_data(part, ${lineText(text ?? '', isCpp)}, CURL_ZERO_TERMINATED);`);
    if (type !== null) lines.push(`curl_mime_type(part, ${string(type)});`);
  }
  return [...lines, set('MIMEPOST', 'form')];
}

/** A raw string in C++, a string for each line in C. */
function lineText(text: string, isCpp: boolean): string {
  if (!isRawLines(text)) return string(text);
  if (isCpp && !text.includes(')body"')) return `R"body(${text})body"`;
  return `\n    ${text
    .split(/(?<=\n)/)
    .map(string)
    .join('\n    ')}`;
}

function string(text: string): string {
  const hidden = (code: number): string =>
    [...new TextEncoder().encode(String.fromCodePoint(code))]
      .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
      .join('');
  // Two question marks can start a trigraph.
  return quoted(text, { quote: '"', backslash: /["\\]|(?<=\?)\?/g, hidden });
}
