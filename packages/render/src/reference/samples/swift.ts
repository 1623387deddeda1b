import type { HttpBody, HttpRequest } from '../request/types.ts';
import {
  bodyText,
  bracedEscape,
  headersOf,
  isRawLines,
  multipartPieces,
  multipartType,
  quoted,
} from './text.ts';

/** Swift with Foundation. */
export function swiftSample(request: HttpRequest): string {
  const { method, url, body } = request;
  const lines = ['import Foundation', ''];
  lines.push(`var request = URLRequest(url: URL(string: ${string(url)})!)`);
  lines.push(`request.httpMethod = ${string(method)}`);
  const headers = [...headersOf(request)];
  if (body?.kind === 'multipart') headers.push(['Content-Type', multipartType(body)]);
  for (const [name, value] of headers)
    lines.push(`request.setValue(${string(value)}, forHTTPHeaderField: ${string(name)})`);
  if (body !== null) lines.push(...bodyLines(body));
  lines.push('', 'let (data, _) = try await URLSession.shared.data(for: request)');
  return [...lines, 'print(String(decoding: data, as: UTF8.self))'].join('\n');
}

function bodyLines(body: HttpBody): string[] {
  if (body.kind === 'file')
    return [`request.httpBody = try Data(contentsOf: URL(fileURLWithPath: ${string(body.file)}))`];
  if (body.kind !== 'multipart') return [`request.httpBody = Data(${lineText(bodyText(body) ?? '')}.utf8)`];
  const lines = ['', 'var body = Data()'];
  for (const piece of multipartPieces(body.parts)) {
    if ('file' in piece)
      lines.push(`body.append(try Data(contentsOf: URL(fileURLWithPath: ${string(piece.file)})))`);
    else
      for (const line of piece.text.split(/(?<=\r\n)(?=--)/))
        lines.push(`body.append(Data(${string(line)}.utf8))`);
  }
  return [...lines, 'request.httpBody = body'];
}

/** A raw string, with as many number signs as the text needs. */
function lineText(text: string): string {
  if (!isRawLines(text)) return string(text);
  let signs = '#';
  while (text.includes(`"""${signs}`) || text.includes(`\\${signs}`)) signs += '#';
  return `${signs}"""\n${text}\n"""${signs}`;
}

const string = (text: string): string =>
  quoted(text, { quote: '"', backslash: /["\\]/g, hidden: bracedEscape });
