import type { HttpBody, HttpRequest } from '../request/types.ts';
import {
  bodyText,
  headersOf,
  isRawLines,
  multipartPieces,
  multipartType,
  quoted,
  utf16Escape,
} from './text.ts';

/** Java 17 with its standard library. */
export function javaSample(request: HttpRequest): string {
  const { method, url, body } = request;
  const imports = new Set(['java.net.URI', 'java.net.http.HttpClient', 'java.net.http.HttpRequest']);
  imports.add('java.net.http.HttpResponse');
  const lines = body === null ? [] : bodyLines(body, imports);
  const publisher = body === null ? 'noBody()' : body.kind === 'file' ? `ofFile(body)` : sentBytes(body);
  const headers = [...headersOf(request)];
  if (body?.kind === 'multipart') headers.push(['Content-Type', multipartType(body)]);
  lines.push(
    'HttpClient client = HttpClient.newHttpClient();',
    'HttpRequest request = HttpRequest.newBuilder()',
    `    .uri(URI.create(${string(url)}))`,
    ...headers.map(([name, value]) => `    .header(${string(name)}, ${string(value)})`),
    `    .method(${string(method)}, HttpRequest.BodyPublishers.${publisher})`,
    '    .build();',
    '',
    'HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());',
    'System.out.println(response.body());',
  );
  return [
    ...[...imports].sort().map((name) => `import ${name};`),
    '',
    'public class Main {',
    '    public static void main(String[] args) throws Exception {',
    ...lines.map((line) => (line === '' ? '' : `        ${line}`)),
    '    }',
    '}',
  ].join('\n');
}

const sentBytes = (body: HttpBody): string =>
  body.kind === 'multipart' ? 'ofByteArray(body.toByteArray())' : 'ofString(body)';

function bodyLines(body: HttpBody, imports: Set<string>): string[] {
  if (body.kind === 'file') {
    imports.add('java.nio.file.Path');
    return [`Path body = Path.of(${string(body.file)});`, ''];
  }
  if (body.kind !== 'multipart') return [`String body = ${lineText(bodyText(body) ?? '')};`, ''];
  imports.add('java.io.ByteArrayOutputStream').add('java.nio.charset.StandardCharsets');
  const lines = ['ByteArrayOutputStream body = new ByteArrayOutputStream();'];
  for (const piece of multipartPieces(body.parts)) {
    if ('file' in piece) {
      imports.add('java.nio.file.Files').add('java.nio.file.Path');
      lines.push(`body.write(Files.readAllBytes(Path.of(${string(piece.file)})));`);
    } else {
      const texts = piece.text.split(/(?<=\r\n)/).map(string);
      lines.push(`body.write((${texts.join('\n                + ')}).getBytes(StandardCharsets.UTF_8));`);
    }
  }
  return [...lines, ''];
}

/** A text block, unless Java would remove white space from it. */
function lineText(text: string): string {
  if (!isRawLines(text) || / (?:\n|$)/.test(text) || !/^[^ \n]/m.test(text) || text.endsWith('\n'))
    return string(text);
  const escaped = text.replace(/\\|"(?="")|"$/g, '\\$&');
  return `"""\n${escaped.replace(/^(?=.)/gm, '            ')}"""`;
}

const string = (text: string): string =>
  quoted(text, {
    quote: '"',
    backslash: /["\\]/g,
    // Java reads `\u` before it reads strings, so that `\u000a` would be a line end.
    hidden: (code) => (code < 256 ? `\\${code.toString(8).padStart(3, '0')}` : utf16Escape(code)),
  });
