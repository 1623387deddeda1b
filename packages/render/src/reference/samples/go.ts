import type { HttpPart, HttpRequest } from '../request/types.ts';
import { bodyText, headersOf, hex, isRawLines, quoted } from './text.ts';

/** Go with its standard library. */
export function goSample(request: HttpRequest): string {
  const { method, url, body } = request;
  const imports = new Set(['fmt', 'io', 'net/http']);
  const lines: string[] = [];
  let sent = 'nil';
  const text = bodyText(body);
  if (text !== null) {
    imports.add('strings');
    lines.push(`body := strings.NewReader(${lineText(text)})`);
    sent = 'body';
  }
  if (body?.kind === 'file') {
    imports.add('os');
    lines.push(`body, err := os.Open(${string(body.file)})`, ...check);
    sent = 'body';
  }
  if (body?.kind === 'multipart') {
    imports.add('bytes').add('mime/multipart');
    lines.push('body := &bytes.Buffer{}', 'form := multipart.NewWriter(body)');
    for (const [index, part] of body.parts.entries()) lines.push(...partOf(part, index, imports));
    lines.push('form.Close()');
    sent = 'body';
  }
  if (lines.length > 0) lines.push('');
  lines.push(`req, err := http.NewRequest(${string(method)}, ${string(url)}, ${sent})`, ...check);
  for (const [name, value] of headersOf(request))
    lines.push(`req.Header.Set(${string(name)}, ${string(value)})`);
  if (body?.kind === 'multipart') {
    const { type } = body;
    const value =
      type === undefined ? 'form.FormDataContentType()' : `${string(`${type}; boundary=`)} + form.Boundary()`;
    lines.push(`req.Header.Set("Content-Type", ${value})`);
  }
  lines.push('', 'res, err := http.DefaultClient.Do(req)', ...check, 'defer res.Body.Close()');
  lines.push('content, _ := io.ReadAll(res.Body)', 'fmt.Println(string(content))');
  const list = [...imports].sort().map((name) => `\t"${name}"`);
  return ['package main', '', 'import (', ...list, ')', '', 'func main() {', ...lines.map(tab), '}'].join(
    '\n',
  );
}

const check = ['if err != nil {', '\tpanic(err)', '}'];

/** Raw strings continue at the start of the line. */
const tab = (line: string): string => (line === '' ? '' : `\t${line}`);

function partOf({ name, text, file, type }: HttpPart, index: number, imports: Set<string>): string[] {
  if (file === null && type === null) return [`form.WriteField(${string(name)}, ${lineText(text ?? '')})`];
  const part = `part${index + 1}`;
  const lines: string[] = [];
  if (type === null) lines.push(`${part}, _ := form.CreateFormFile(${string(name)}, ${string(file ?? '')})`);
  else {
    imports.add('net/textproto');
    const end = file === null ? '' : `; filename="${escapeName(file)}"`;
    lines.push(
      `${part}, _ := form.CreatePart(textproto.MIMEHeader{`,
      `\t"Content-Disposition": {${string(`form-data; name="${escapeName(name)}"${end}`)}},`,
      `\t"Content-Type": {${string(type)}},`,
      '})',
    );
  }
  if (file === null) return [...lines, `${part}.Write([]byte(${lineText(text ?? '')}))`];
  imports.add('os');
  return [...lines, `file${index + 1}, _ := os.Open(${string(file)})`, `io.Copy(${part}, file${index + 1})`];
}

const escapeName = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => `%${hex(character.charCodeAt(0), 2).toUpperCase()}`);

function lineText(text: string): string {
  return isRawLines(text) && !text.includes('`') ? `\`${text}\`` : string(text);
}

const string = (text: string): string =>
  quoted(text, {
    quote: '"',
    backslash: /["\\]/g,
    hidden: (code) => (code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`),
  });
