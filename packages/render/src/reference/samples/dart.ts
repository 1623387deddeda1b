import type { HttpPart, HttpRequest } from '../request/types.ts';
import { bodyText, bracedEscape, headersOf, isRawLines, quoted } from './text.ts';

/** Dart with its package `http`. */
export function dartSample(request: HttpRequest): string {
  const { method, url, body } = request;
  const imports = new Map([['package:http/http.dart', ' as http']]);
  const isMultipart = body?.kind === 'multipart';
  const type = isMultipart ? 'MultipartRequest' : 'Request';
  const lines = [`final request = http.${type}(${string(method)}, Uri.parse(${string(url)}));`];
  const headers = headersOf(request);
  if (headers.length > 0) {
    lines.push('request.headers.addAll({');
    lines.push(...headers.map(([name, value]) => `  ${string(name)}: ${string(value)},`), '});');
  }
  if (isMultipart) for (const part of body.parts) lines.push(partOf(part, imports));
  else if (body?.kind === 'file') {
    imports.set('dart:io', '');
    lines.push(`request.bodyBytes = await File(${string(body.file)}).readAsBytes();`);
  } else if (body !== null) {
    // As a string, the body would get a character set in its content type.
    imports.set('dart:convert', '');
    lines.push(`request.bodyBytes = utf8.encode(${lineText(bodyText(body) ?? '')});`);
  }
  lines.push(
    '',
    'final response = await http.Response.fromStream(await request.send());',
    'print(response.body);',
  );
  return [
    ...[...imports].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, as]) => `import '${name}'${as};`),
    '',
    'void main() async {',
    ...lines.map((line) => (line === '' ? '' : `  ${line}`)),
    '}',
  ].join('\n');
}

/** A text is a file without a file name: `fields` has each name once, and no content types. */
function partOf({ name, text, file, type }: HttpPart, imports: Map<string, string>): string {
  if (type !== null) imports.set('package:http_parser/http_parser.dart', '');
  const end = type === null ? '' : `, contentType: MediaType.parse(${string(type)})`;
  if (file !== null)
    return `request.files.add(await http.MultipartFile.fromPath(${string(name)}, ${string(file)}${end}));`;
  return `request.files.add(http.MultipartFile.fromString(${string(name)}, ${lineText(text ?? '')}${end}));`;
}

/** A raw string. Dart ignores a first line without text. */
function lineText(text: string): string {
  if (!isRawLines(text) || /^\s*\n|'''|'$/.test(text)) return string(text);
  return `r'''${text}'''`;
}

const string = (text: string): string =>
  quoted(text, { quote: "'", backslash: /['\\$]/g, hidden: bracedEscape });
