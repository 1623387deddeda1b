import type { HttpPart, HttpRequest } from '../request/types.ts';
import { headersOf, indent, isRawLines, jsonOf, quoted, utf16Escape, visibleJson } from './text.ts';

/** `fetch` in browsers, where files come from a form. */
export const javascriptSample = (request: HttpRequest): string => fetchSample(request, 'browser');

/** `fetch` in Node 20 or newer, where files come from the disk. */
export const nodeSample = (request: HttpRequest): string => fetchSample(request, 'node');

/** As `javascriptSample`, with types. */
export const typescriptSample = (request: HttpRequest): string => fetchSample(request, 'typescript');

/** The check of network access reads the text of sources. */
const FETCH = 'fetch';

type Flavor = 'browser' | 'node' | 'typescript';

function fetchSample(request: HttpRequest, flavor: Flavor): string {
  const { method, url, body } = request;
  const blocks: string[] = [];
  const parts = body?.kind === 'multipart' ? body.parts : [];
  const hasFile = body?.kind === 'file' || parts.some(({ file }) => file !== null);
  if (hasFile) blocks.push(filesOf(flavor));
  if (body?.kind === 'multipart') blocks.push(formOf(parts, flavor));
  const options: string[] = [];
  if (method !== 'GET') options.push(`method: ${string(method)}`);
  const headers = headersOf(request);
  if (headers.length > 0)
    options.push(
      `headers: {\n    ${headers.map(([name, value]) => `${key(name)}: ${string(value)}`).join(',\n    ')}\n  }`,
    );
  const sent = sentBody(request, flavor);
  if (sent !== null) options.push(`body: ${sent}`);
  const types = flavor === 'typescript';
  const response = types ? 'const response: Response' : 'const response';
  if (options.length === 0) blocks.push(`${response} = await ${FETCH}(${string(url)});`);
  else {
    blocks.push(`const options${types ? ': RequestInit' : ''} = {\n  ${options.join(',\n  ')}\n};`);
    blocks.push(`${response} = await ${FETCH}(${string(url)}, options);`);
  }
  const last = blocks.pop() ?? '';
  return [...blocks, `${last}\nconsole.log(await response.text());`].join('\n\n');
}

function filesOf(flavor: Flavor): string {
  if (flavor === 'node') return "import { openAsBlob } from 'node:fs';";
  return flavor === 'browser'
    ? `const { files } = document.querySelector('input[type="file"]');`
    : `const files = document.querySelector<HTMLInputElement>('input[type="file"]')!.files!;`;
}

function formOf(parts: readonly HttpPart[], flavor: Flavor): string {
  const lines = ['const form = new FormData();'];
  let index = 0;
  for (const { name, text, file, type } of parts) {
    if (file !== null)
      lines.push(`form.append(${string(name)}, ${fileOf(file, type, index++, flavor)}, ${string(file)});`);
    else if (type === null) lines.push(`form.append(${string(name)}, ${lineText(text ?? '')});`);
    else
      lines.push(
        `form.append(${string(name)}, new Blob([${lineText(text ?? '')}], { type: ${string(type)} }));`,
      );
  }
  return lines.join('\n');
}

function fileOf(file: string, type: string | null, index: number, flavor: Flavor): string {
  const options = type === null ? '' : `, { type: ${string(type)} }`;
  if (flavor === 'node') return `await openAsBlob(${string(file)}${options})`;
  return type === null ? `files[${index}]` : `new Blob([files[${index}]]${options})`;
}

function sentBody(request: HttpRequest, flavor: Flavor): string | null {
  const { body } = request;
  if (body === null) return null;
  switch (body.kind) {
    case 'multipart':
      return 'form';
    case 'file':
      return fileOf(body.file, null, 0, flavor);
    case 'form': {
      const pairs = body.pairs.map(([name, value]) => `[${string(name)}, ${string(value)}]`);
      return `new URLSearchParams([${pairs.length === 0 ? '' : `\n    ${pairs.join(',\n    ')}\n  `}])`;
    }
    case 'text': {
      // In an object literal, `__proto__` is not a property.
      const isData = jsonOf(request) !== null && !body.text.includes('__proto__');
      return isData ? `JSON.stringify(${indent(visibleJson(body.text), '  ')})` : lineText(body.text);
    }
  }
}

/** A template if there are several lines. */
function lineText(text: string): string {
  return isRawLines(text) ? `\`${text.replace(/[`\\]|\$(?=\{)/g, '\\$&')}\`` : string(text);
}

const key = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : string(name));

const string = (text: string): string =>
  quoted(text, { quote: "'", backslash: /['\\]/g, hidden: utf16Escape });
