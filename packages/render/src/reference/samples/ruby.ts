import type { HttpBody, HttpRequest } from '../request/types.ts';
import {
  arePlainParts,
  bodyText,
  bracedEscape,
  hasHidden,
  headersOf,
  multipartPieces,
  multipartType,
  quoted,
} from './text.ts';

const METHODS = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE)$/;

/** Ruby with its standard library. */
export function rubySample(request: HttpRequest): string {
  const { method, url, body } = request;
  const name = method.charAt(0) + method.slice(1).toLowerCase();
  const lines = ["require 'net/http'", '', `uri = URI(${string(url)})`];
  lines.push(
    METHODS.test(method)
      ? `request = Net::HTTP::${name}.new(uri)`
      : `request = Net::HTTPGenericRequest.new(${string(method)}, ${body !== null}, true, uri)`,
  );
  for (const [key, value] of headersOf(request)) lines.push(`request[${string(key)}] = ${string(value)}`);
  if (body !== null) lines.push(...bodyLines(body));
  return [
    ...lines,
    '',
    "response = Net::HTTP.start(uri.hostname, uri.port, use_ssl: uri.scheme == 'https') do |http|",
    '  http.request(request)',
    'end',
    'puts response.body',
  ].join('\n');
}

function bodyLines(body: HttpBody): string[] {
  if (body.kind === 'file') return [`request.body = File.binread(${string(body.file)})`];
  if (body.kind !== 'multipart') return [`request.body = ${string(bodyText(body) ?? '')}`];
  if (body.type === undefined && arePlainParts(body.parts)) {
    const items = body.parts.map(({ name, text, file, type }) => {
      if (file === null) return `[${string(name)}, ${string(text ?? '')}]`;
      const options = `filename: ${string(file)}${type === null ? '' : `, content_type: ${string(type)}`}`;
      return `[${string(name)}, File.open(${string(file)}, 'rb'), { ${options} }]`;
    });
    const list = items.length === 0 ? '[]' : `[\n  ${items.join(',\n  ')}\n]`;
    return [`request.set_form(${list}, 'multipart/form-data')`];
  }
  const pieces = multipartPieces(body.parts).map((piece) =>
    'file' in piece ? `File.binread(${string(piece.file)})` : `${string(piece.text)}.b`,
  );
  return [
    `request['Content-Type'] = ${string(multipartType(body))}`,
    `request.body = ${pieces.join(' +\n  ')}`,
  ];
}

function string(text: string): string {
  if (!hasHidden(text)) return `'${text.replace(/['\\]/g, '\\$&')}'`;
  return quoted(text, { quote: '"', backslash: /["\\]|#(?=[{$@])/g, hidden: bracedEscape });
}
