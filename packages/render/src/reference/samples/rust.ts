import type { HttpBody, HttpPart, HttpRequest } from '../request/types.ts';
import { bracedEscape, headersOf, isRawLines, partName, quoted } from './text.ts';

/** Names that Reqwest sends as they are; it sends others as `name*=utf-8''…`, which servers do not read. */
const PLAIN_NAME = /^[\w.[\]-]*$/;

const METHODS = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE)$/;

/** Rust with Reqwest, which needs its features `blocking` and, for multipart bodies, `multipart`. */
export function rustSample(request: HttpRequest): string {
  const { method, url, body } = request;
  const name = METHODS.test(method)
    ? `reqwest::Method::${method}`
    : `reqwest::Method::from_bytes(b${string(method)})?`;
  const lines = body?.kind === 'multipart' ? [...formLines(body.parts), ''] : [];
  lines.push('let response = reqwest::blocking::Client::new()', `    .request(${name}, ${string(url)})`);
  // The functions for forms set the content type.
  const own = (header: string): boolean => body?.kind === 'form' && header.toLowerCase() === 'content-type';
  for (const [header, value] of headersOf(request))
    if (!own(header)) lines.push(`    .header(${string(header)}, ${string(value)})`);
  if (body !== null) lines.push(`    ${bodyOf(body)}`);
  lines.push('    .send()?;', 'println!("{}", response.text()?);', 'Ok(())');
  return [
    'fn main() -> Result<(), Box<dyn std::error::Error>> {',
    ...lines.map((line) => (line === '' ? '' : `    ${line}`)),
    '}',
  ].join('\n');
}

function bodyOf(body: HttpBody): string {
  switch (body.kind) {
    case 'text':
      return `.body(${lineText(body.text)})`;
    case 'file':
      return `.body(std::fs::File::open(${string(body.file)})?)`;
    case 'form':
      if (body.pairs.length === 0) return '.form::<[(&str, &str)]>(&[])';
      return `.form(&[${body.pairs.map(([name, value]) => `(${string(name)}, ${string(value)})`).join(', ')}])`;
    case 'multipart':
      return '.multipart(form)';
  }
}

function formLines(parts: readonly HttpPart[]): string[] {
  const arePlain = parts.every(({ name, file }) => PLAIN_NAME.test(name) && PLAIN_NAME.test(file ?? ''));
  const lines = parts.map(({ name: field, text, file, type }) => {
    const name = partName(field);
    if (file === null && type === null) return `    .text(${string(name)}, ${lineText(text ?? '')})`;
    const content =
      file === null
        ? `text(${lineText(text ?? '')})`
        : `bytes(std::fs::read(${string(file)})?).file_name(${string(partName(file))})`;
    const end =
      type === null && file === null ? '' : `.mime_str(${string(type ?? 'application/octet-stream')})?`;
    return `    .part(${string(name)}, reqwest::blocking::multipart::Part::${content}${end})`;
  });
  const start = 'let form = reqwest::blocking::multipart::Form::new()';
  const form = [start, ...(arePlain ? [] : ['    .percent_encode_noop()']), ...lines];
  return [...form.slice(0, -1), `${form.at(-1)};`];
}

/** A raw string, with as many number signs as the text needs. */
function lineText(text: string): string {
  if (!isRawLines(text)) return string(text);
  let signs = '#';
  while (text.includes(`"${signs}`)) signs += '#';
  return `r${signs}"${text}"${signs}`;
}

const string = (text: string): string =>
  quoted(text, { quote: '"', backslash: /["\\]/g, hidden: bracedEscape });
