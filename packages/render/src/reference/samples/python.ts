import type { HttpPart, HttpRequest } from '../request/types.ts';
import { headersOf, hex, indent, isRawLines, jsonOf, quoted } from './text.ts';

const METHODS = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/;

/** Python 3 with Requests. */
export function pythonSample(request: HttpRequest): string {
  const { method, url } = request;
  const lines = ['import requests', '', `url = ${string(url)}`];
  const known = METHODS.test(method);
  const args = known ? ['url'] : [string(method), 'url'];
  const headers = headersOf(request);
  if (headers.length > 0) {
    lines.push(
      `headers = ${block(
        '{',
        '}',
        headers.map(([name, value]) => `${string(name)}: ${string(value)}`),
      )}`,
    );
    args.push('headers=headers');
  }
  const body = bodyOf(request);
  if (body !== null) {
    lines.push(`${body.name} = ${body.value}`);
    args.push(`${body.argument}=${body.name}`);
  }
  lines.push('', `response = requests.${known ? method.toLowerCase() : 'request'}(${args.join(', ')})`);
  return [...lines, 'print(response.text)'].join('\n');
}

interface Argument {
  name: string;
  argument: string;
  value: string;
}

function bodyOf(request: HttpRequest): Argument | null {
  const { body } = request;
  if (body === null) return null;
  switch (body.kind) {
    case 'file':
      return { name: 'data', argument: 'data', value: `open(${string(body.file)}, "rb")` };
    case 'form': {
      const pairs = body.pairs.map(([name, value]) => `(${string(name)}, ${string(value)})`);
      return { name: 'data', argument: 'data', value: block('[', ']', pairs) };
    }
    case 'multipart':
      return { name: 'files', argument: 'files', value: block('[', ']', body.parts.map(partOf)) };
    case 'text': {
      const data = jsonOf(request);
      // Requests sends nothing for None.
      if (data !== null && data.value !== null)
        return { name: 'payload', argument: 'json', value: literal(data.value) };
      return { name: 'data', argument: 'data', value: `${lineText(body.text)}.encode()` };
    }
  }
}

function partOf({ name, text, file, type }: HttpPart): string {
  const end = type === null ? '' : `, ${string(type)}`;
  if (file === null) return `(${string(name)}, (None, ${indent(string(text ?? ''), '    ')}${end}))`;
  return `(${string(name)}, (${string(file)}, open(${string(file)}, "rb")${end}))`;
}

function block(open: string, close: string, items: readonly string[]): string {
  return items.length === 0 ? open + close : `${open}\n    ${items.join(',\n    ')}\n${close}`;
}

/** JSON data in Python. */
function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return string(value);
  if (Array.isArray(value))
    return block(
      '[',
      ']',
      value.map((one) => indent(literal(one), '    ')),
    );
  if (typeof value !== 'object') return JSON.stringify(value);
  const items = Object.entries(value).map(([key, one]) => `${string(key)}: ${indent(literal(one), '    ')}`);
  return block('{', '}', items);
}

/** A triple-quoted string if there are several lines. */
function lineText(text: string): string {
  if (!isRawLines(text)) return string(text);
  return `"""${text.replace(/\\|"(?="")|"$/g, '\\$&')}"""`;
}

const string = (text: string): string =>
  quoted(text, {
    quote: '"',
    backslash: /["\\]/g,
    hidden: (code) => (code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`),
  });
