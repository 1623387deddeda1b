/* Sends an HttpRequest with what browsers allow pages to send. */
import { formText } from '../../samples/text.ts';
import { fill } from './dom.js';

/** Headers that browsers set themselves and silently drop when a page sets them. */
const FORBIDDEN =
  /^(?:accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*|user-agent)$/i;
/** Headers that pages may send to other sites without asking first. */
const SIMPLE_HEADER = /^(?:accept|accept-language|content-language|content-type|range)$/i;
const SIMPLE_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i;
const SIMPLE_METHOD = /^(?:GET|HEAD|POST)$/;

/**
 * Adds the content types of files, which the reader chose.
 * @param {any} request HttpRequest
 * @param {ReadonlyMap<string, File>} files by the name under which the request mentions them
 */
export function withFileTypes(request, files) {
  if (request.body?.kind !== 'multipart') return request;
  const parts = request.body.parts.map((part) =>
    part.file === null || part.type !== null
      ? part
      : { ...part, type: files.get(part.file)?.type || 'application/octet-stream' },
  );
  return { ...request, body: { ...request.body, parts } };
}

/** Why a browser cannot send it; null if it can. */
export function refusalOf({ method }, words) {
  return /^(?:CONNECT|TRACE|TRACK)$/.test(method) ? fill(words.noMethod, { method }) : null;
}

/**
 * @returns {{ url: string, init: RequestInit, hidden: string[], preflight: { method: string | null, headers: string[] },
 *   cookies: any[] }} `hidden`: headers that the browser does not send; `cookies`: those to set for the request
 */
export function prepare(request, files, { proxy, credentials }) {
  const { method, body } = request;
  const { content, type } = bodyOf(body, files);
  const target = new URL(request.url, location.href);
  const isOwnHost = target.hostname === location.hostname && proxy === null;
  const written =
    type === null ? request.headers : [...without(request.headers, 'content-type'), ['Content-Type', type]];
  const headers = written.filter(([name]) => !FORBIDDEN.test(name));
  const hidden = written.filter(([name]) => FORBIDDEN.test(name)).map(([name]) => name);
  const cookies = request.cookies.map((pair) => pair.join('=')).join('; ');
  if (cookies !== '' && proxy !== null) headers.push(['X-Proxy-Cookie', cookies]);
  else if (cookies !== '' && (!isOwnHost || hasTwins(request.cookies))) hidden.push('Cookie');
  return {
    url: proxy === null ? target.href : throughProxy(proxy, target.href),
    init: {
      method,
      headers: headers.map(([name, value]) => [name, value]),
      body: content,
      credentials: credentials || (isOwnHost && cookies !== '') ? 'include' : 'same-origin',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    },
    hidden,
    preflight: {
      method: SIMPLE_METHOD.test(method) ? null : method,
      headers: headers.filter(([name, value]) => !isSimple(name, value)).map(([name]) => name.toLowerCase()),
    },
    cookies: isOwnHost
      ? request.cookies.map(([name, value]) => ({ name, value, path: cookiePath(target) }))
      : [],
  };
}

/** Browsers keep one cookie of a name. */
const hasTwins = (cookies) => new Set(cookies.map(([name]) => name)).size < cookies.length;
/** A semicolon ends the path of a cookie: the folder before it is the path. */
const cookiePath = ({ pathname }) =>
  pathname.includes(';') ? pathname.replace(/;.*$/s, '').replace(/[^/]*$/, '') : pathname;
const without = (headers, key) => headers.filter(([name]) => name.toLowerCase() !== key);
const isSimple = (name, value) =>
  SIMPLE_HEADER.test(name) && (name.toLowerCase() !== 'content-type' || SIMPLE_TYPE.test(value));

/** `{url}` of the proxy URL, else its parameter `url`, is the URL of the request. */
export function throughProxy(proxy, url) {
  const encoded = encodeURIComponent(url);
  if (proxy.includes('{url}')) return proxy.replace('{url}', encoded);
  return `${proxy}${proxy.includes('?') ? '&' : '?'}url=${encoded}`;
}

function bodyOf(body, files) {
  switch (body?.kind) {
    case 'text':
      return { content: body.text, type: null };
    case 'form':
      return { content: formText(body.pairs), type: null };
    case 'multipart':
      return multipart(body, files);
    case 'file':
      // A blob without a type: the header of the request counts.
      return { content: new Blob([files.get(body.file) ?? '']), type: null };
    default:
      return { content: undefined, type: null };
  }
}

/** Written by hand: FormData gives every part with a content type the name of a file. */
function multipart({ parts, type: kind = 'multipart/form-data' }, files) {
  const boundary = `----offprint${crypto.getRandomValues(new Uint32Array(4)).join('')}`;
  const quoted = (name) => name.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
  const pieces = parts.flatMap(({ name, text, file, type }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`,
    file === null ? '' : `; filename="${quoted(file)}"`,
    type === null ? '\r\n\r\n' : `\r\nContent-Type: ${type}\r\n\r\n`,
    file === null ? (text ?? '') : (files.get(file) ?? ''),
    '\r\n',
  ]);
  return {
    content: new Blob([...pieces, `--${boundary}--\r\n`]),
    type: `${kind}; boundary=${boundary}`,
  };
}

/** Sends it; the cookies are there only during the request. */
export async function send({ url, init, cookies }, signal) {
  const put = ({ name, value, path }, age) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
    document.cookie = `${name}=${value}; path=${path}; samesite=strict${age}`;
  };
  for (const cookie of cookies) put(cookie, '');
  try {
    return await fetch(url, { ...init, signal });
  } finally {
    for (const cookie of cookies) put(cookie, '; max-age=0');
  }
}

const BLOCK = 4_000_000;

/**
 * Reads a response of any size: large ones move from memory into blobs.
 * @param {Response} response
 * @param {(chunk: Uint8Array, total: number) => void} receive
 * @returns {Promise<Blob>}
 */
export async function readBody(response, receive) {
  const blocks = [];
  let chunks = [];
  let pending = 0;
  let total = 0;
  let rested = performance.now();
  const reader = response.body?.getReader();
  // Never shown as a page: a blob has the rights of this site.
  const type = 'application/octet-stream';
  for (;;) {
    const { value, done } = reader === undefined ? { value: undefined, done: true } : await reader.read();
    if (done) return new Blob([...blocks, ...chunks], { type });
    chunks.push(value);
    pending += value.length;
    total += value.length;
    if (pending > BLOCK) {
      blocks.push(new Blob(chunks));
      chunks = [];
      pending = 0;
    }
    receive(value, total);
    // Data that is already there would otherwise keep the page from reacting.
    if (performance.now() - rested > 30) {
      await new Promise((resolve) => setTimeout(resolve));
      rested = performance.now();
    }
  }
}
