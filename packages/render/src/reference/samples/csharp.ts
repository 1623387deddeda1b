import type { HttpPart, HttpRequest } from '../request/types.ts';
import { contentType, headersOf, isRawLines, quoted, utf16Escape } from './text.ts';

/** Headers that .NET has in the content of a request. */
const CONTENT_HEADERS =
  /^(?:allow|content-(?:disposition|encoding|language|location|md5|range|type)|expires|last-modified)$/i;
const METHODS = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE)$/;

/** C# 11 with `HttpClient` of .NET. */
export function csharpSample(request: HttpRequest): string {
  const { method, url, body } = request;
  const usings = body === null ? [] : ['using System.Net.Http.Headers;', ''];
  const name = method.charAt(0) + method.slice(1).toLowerCase();
  const value = METHODS.test(method) ? `HttpMethod.${name}` : `new HttpMethod(${string(method)})`;
  const lines = ['using var client = new HttpClient();'];
  lines.push(`using var request = new HttpRequestMessage(${value}, ${string(url)});`);
  const isContent = ([header]: readonly [string, string]): boolean => CONTENT_HEADERS.test(header);
  const headers = headersOf(request);
  for (const [header, text] of headers.filter((one) => !isContent(one)))
    lines.push(`request.Headers.TryAddWithoutValidation(${string(header)}, ${string(text)});`);
  lines.push(...contentLines(request));
  for (const [header, text] of headers.filter(isContent)) {
    if (header.toLowerCase() === 'content-type') continue;
    if (body === null) lines.push('request.Content ??= new ByteArrayContent([]);');
    lines.push(`request.Content.Headers.TryAddWithoutValidation(${string(header)}, ${string(text)});`);
  }
  lines.push('', 'using var response = await client.SendAsync(request);');
  return [...usings, ...lines, 'Console.WriteLine(await response.Content.ReadAsStringAsync());'].join('\n');
}

function contentLines(request: HttpRequest): string[] {
  const { body } = request;
  if (body === null) return [];
  const type = contentType(request);
  const setType =
    type === null
      ? []
      : [`request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(${string(type)});`];
  switch (body.kind) {
    case 'text':
      return [`request.Content = new StringContent(${lineText(body.text)});`, ...setType];
    case 'file':
      return [`request.Content = new StreamContent(File.OpenRead(${string(body.file)}));`, ...setType];
    case 'form': {
      const pairs = body.pairs.map(([name, value]) => `    new(${string(name)}, ${string(value)}),`);
      return [
        'request.Content = new FormUrlEncodedContent(new KeyValuePair<string, string>[]',
        ...['{', ...pairs, '});'],
      ];
    }
    case 'multipart':
      return [
        'var form = new MultipartFormDataContent();',
        ...body.parts.flatMap(partOf),
        'request.Content = form;',
      ];
  }
}

function partOf({ name, text, file, type }: HttpPart, index: number): string[] {
  const content =
    file === null
      ? `new StringContent(${lineText(text ?? '')})`
      : `new StreamContent(File.OpenRead(${string(file)}))`;
  const end = `, ${string(name)}${file === null ? '' : `, ${string(file)}`});`;
  if (type === null) return [`form.Add(${content}${end}`];
  const part = `part${index + 1}`;
  return [
    `var ${part} = ${content};`,
    `${part}.Headers.ContentType = MediaTypeHeaderValue.Parse(${string(type)});`,
    `form.Add(${part}${end}`,
  ];
}

/** A raw string, with as many quotation marks as the text needs. */
function lineText(text: string): string {
  if (!isRawLines(text)) return string(text);
  let quotes = '"""';
  while (text.includes(quotes)) quotes += '"';
  return `${quotes}\n${text}\n${quotes}`;
}

const string = (text: string): string =>
  quoted(text, { quote: '"', backslash: /["\\]/g, hidden: utf16Escape });
