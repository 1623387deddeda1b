import type { HttpBody, HttpPart, HttpRequest } from '../request/types.ts';
import { contentType, headersOf, isRawLines, quoted, utf16Escape } from './text.ts';

/** HTTP methods that OkHttp does not send without a body. */
const NEEDS_BODY = /^(?:POST|PUT|PATCH|PROPPATCH|REPORT)$/;

/** Kotlin with OkHttp. */
export function kotlinSample(request: HttpRequest): string {
  const { method, url, body } = request;
  const imports = new Set(['okhttp3.OkHttpClient', 'okhttp3.Request']);
  const lines = ['val client = OkHttpClient()'];
  if (body !== null) lines.push(`val body = ${bodyOf(body, contentType(request), imports)}`);
  let sent = body === null ? 'null' : 'body';
  if (body === null && NEEDS_BODY.test(method)) {
    imports.add('okhttp3.RequestBody.Companion.toRequestBody');
    sent = 'ByteArray(0).toRequestBody()';
  }
  lines.push(
    'val request = Request.Builder()',
    `    .url(${string(url)})`,
    `    .method(${string(method)}, ${sent})`,
  );
  for (const [name, value] of headersOf(request))
    lines.push(`    .header(${string(name)}, ${string(value)})`);
  lines.push('    .build()', '', 'client.newCall(request).execute().use { response ->');
  lines.push('    println(response.body?.string())', '}');
  return [
    ...[...imports].sort().map((name) => `import ${name}`),
    '',
    'fun main() {',
    ...lines.map((line) => (line === '' ? '' : `    ${line}`)),
    '}',
  ].join('\n');
}

/** Text as bytes: OkHttp adds a character set to the content type of a string. */
function bodyOf(body: HttpBody, type: string | null, imports: Set<string>): string {
  switch (body.kind) {
    case 'text':
      return textBody(body.text, type, imports);
    case 'file':
      return fileBody(body.file, type, imports);
    case 'form': {
      imports.add('okhttp3.FormBody');
      const pairs = body.pairs.map(([name, value]) => `        .add(${string(name)}, ${string(value)})\n`);
      return `FormBody.Builder()\n${pairs.join('')}        .build()`;
    }
    case 'multipart': {
      imports.add('okhttp3.MultipartBody');
      const parts = body.parts.map((part) => `        ${partOf(part, imports)}\n`);
      return `MultipartBody.Builder()\n        .setType(MultipartBody.FORM)\n${parts.join('')}        .build()`;
    }
  }
}

function partOf({ name, text, file, type }: HttpPart, imports: Set<string>): string {
  if (file !== null) {
    const content = fileBody(file, type ?? 'application/octet-stream', imports);
    return `.addFormDataPart(${string(name)}, ${string(file)}, ${content})`;
  }
  if (type === null) return `.addFormDataPart(${string(name)}, ${lineText(text ?? '')})`;
  return `.addFormDataPart(${string(name)}, null, ${textBody(text ?? '', type, imports)})`;
}

function textBody(text: string, type: string | null, imports: Set<string>): string {
  imports.add('okhttp3.RequestBody.Companion.toRequestBody');
  return `${lineText(text)}.toByteArray().toRequestBody(${mediaType(type, imports)})`;
}

function fileBody(file: string, type: string | null, imports: Set<string>): string {
  imports.add('java.io.File').add('okhttp3.RequestBody.Companion.asRequestBody');
  return `File(${string(file)}).asRequestBody(${mediaType(type, imports)})`;
}

function mediaType(type: string | null, imports: Set<string>): string {
  if (type === null) return '';
  imports.add('okhttp3.MediaType.Companion.toMediaType');
  return `${string(type)}.toMediaType()`;
}

function lineText(text: string): string {
  if (!isRawLines(text) || text.includes('"""') || text.endsWith('"')) return string(text);
  // The dollar sign has no escape in a raw string.
  const dollar = ['$', "{'$'}"].join('');
  return `"""${text.replaceAll('$', () => dollar)}"""`;
}

const string = (text: string): string =>
  quoted(text, { quote: '"', backslash: /["\\$]/g, hidden: utf16Escape });
