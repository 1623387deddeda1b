/* Shows a response while it arrives. */
import { copyButton, fill, make } from './dom.js';
import { formatJson } from './json.js';
import { readBody } from './send.js';
import { sizeText } from './size.js';

/** Bytes of a text that are shown. */
const MAX_SHOWN = 1_000_000;
/** Bytes of a text with colors: every colored piece is an element. */
const MAX_COLORED = 60_000;
const MAX_IMAGE = 20_000_000;
/** Lines of a block that the browser leaves out while it is not visible. */
const BLOCK_LINES = 200;

export const timeText = (ms) => (ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** What a response contains, by its content type. */
function kindOf(type) {
  if (/^text\/event-stream|[/+](?:x-)?(?:ndjson|jsonl|jsonlines|json-seq)\b/i.test(type)) return 'text';
  if (/[/+]json\b/i.test(type)) return 'json';
  if (/^image\//i.test(type)) return 'image';
  if (/^audio\//i.test(type)) return 'audio';
  if (/^video\//i.test(type)) return 'video';
  if (/^text\/|[/+](?:xml|yaml|x-yaml|javascript|graphql|csv|x-www-form-urlencoded)\b/i.test(type))
    return 'text';
  return type === '' ? 'text' : 'file';
}

/**
 * Reads a response and shows it in `holder`.
 * @param {Response} response
 * @param {{ words: any, started: number, announce: (text: string) => void, asked: string }} context `asked`: URL of the
 *   request
 * @returns {Promise<() => void>} frees the memory of the response
 */
export async function showResponse(response, holder, context) {
  const { words, started, announce, asked } = context;
  const type = response.headers.get('content-type') ?? '';
  const kind = kindOf(type);
  const statusText = `${response.status} ${response.statusText || REASONS[response.status] || ''}`.trim();
  const badge = make('span', { class: 'op-pg-status', 'data-class': String(response.status)[0] }, statusText);
  const time = make('span');
  const size = make('span');
  const body = make('div', { class: 'op-pg-body' });
  holder.replaceChildren(
    make('div', { class: 'op-pg-facts' }, badge, time, size),
    response.redirected && response.url !== asked
      ? make('p', { class: 'op-pg-hint' }, fill(words.finalUrl, { url: response.url }))
      : '',
    body,
    headerTable(response, words),
  );
  const live = kind === 'text' || kind === 'json' ? liveText(type, body, words) : null;
  let total = 0;
  let painted = 0;
  const receive = (chunk, received) => {
    total = received;
    live?.push(chunk);
    const now = performance.now();
    if (now - painted < 100) return;
    painted = now;
    size.textContent = fill(words.receiving, { size: sizeText(received) });
    time.textContent = timeText(now - started);
  };
  const finish = () => {
    time.textContent = `${words.time}: ${timeText(performance.now() - started)}`;
    size.textContent = `${words.size}: ${sizeText(total)}`;
  };
  let blob;
  try {
    blob = await readBody(response, receive);
  } catch (error) {
    finish();
    const isCanceled = error.name === 'AbortError';
    const text = isCanceled
      ? fill(words.canceled, { time: timeText(performance.now() - started) })
      : fill(words.interrupted, { size: sizeText(total) });
    body.append(make('p', { class: 'op-pg-failed' }, text));
    announce(text);
    return () => {};
  }
  finish();
  announce(`${statusText}. ${time.textContent}. ${size.textContent}`);
  const free = await showBody(blob, { kind, type, live, body, asked, response, words });
  return free;
}

async function showBody(blob, { kind, type, live, body, asked, response, words }) {
  if (blob.size === 0) {
    body.replaceChildren(make('p', { class: 'op-pg-hint' }, words.emptyBody));
    return () => {};
  }
  const urls = [];
  const urlOf = (content) => {
    const url = URL.createObjectURL(content);
    urls.push(url);
    return url;
  };
  if (live !== null) await live.finish(kind, blob);
  else if (kind === 'image' && blob.size <= MAX_IMAGE)
    // Pages may show images of their own and of `data:`.
    body.append(
      make('img', {
        class: 'op-pg-image',
        alt: words.preview,
        src: await dataUrl(new Blob([blob], { type })),
      }),
    );
  else if (kind === 'audio' || kind === 'video')
    body.append(
      make(kind, {
        class: 'op-pg-image',
        controls: true,
        src: urlOf(new Blob([blob], { type })),
        'aria-label': words.preview,
      }),
    );
  else body.append(make('p', { class: 'op-pg-hint' }, words.binaryBody));
  const name = fileName(response.headers, asked, type);
  body.append(
    make(
      'div',
      { class: 'op-pg-actions' },
      live !== null && copyButton(words, () => live.text()),
      make(
        'a',
        { class: 'op-button op-pg-small', download: name, href: urlOf(blob) },
        `${words.download} (${sizeText(blob.size)})`,
      ),
    ),
  );
  return () => {
    for (const url of urls) URL.revokeObjectURL(url);
  };
}

const dataUrl = (blob) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });

/** Text as it arrives, up to a limit. */
function liveText(type, body, words) {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(type) ?? [];
  let decoder;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    decoder = new TextDecoder();
  }
  const pre = make('pre', { class: 'op-pg-text', tabindex: '0', 'aria-label': words.body });
  body.append(pre);
  let text = '';
  let waiting = '';
  let frame = 0;
  const paint = () => {
    frame = 0;
    const isAtEnd = pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 24;
    if (waiting !== '') pre.append(waiting);
    waiting = '';
    if (isAtEnd) pre.scrollTop = pre.scrollHeight;
  };
  return {
    push(chunk) {
      if (text.length >= MAX_SHOWN) return;
      const piece = decoder.decode(chunk, { stream: true }).slice(0, MAX_SHOWN - text.length);
      text += piece;
      waiting += piece;
      if (frame === 0) frame = setTimeout(paint, 60);
    },
    text: () => text,
    async finish(kind, blob) {
      clearTimeout(frame);
      pre.scrollTop = 0;
      const isJson = kind === 'json' || (kind === 'text' && type === '' && /^\s*[[{]/.test(text));
      pre.replaceChildren(...(isJson ? jsonBlocks(text) : plainBlocks(text)));
      if (blob.size <= MAX_SHOWN) return;
      const facts = { shown: sizeText(text.length), size: sizeText(blob.size) };
      body.prepend(make('p', { class: 'op-pg-hint' }, fill(words.shownPart, facts)));
    },
  };
}

/** Large texts in blocks, so that the browser lays out only those that are visible. */
function plainBlocks(text) {
  if (text.length <= MAX_COLORED) return [text];
  const lines = text.split('\n');
  const blocks = [];
  for (let at = 0; at < lines.length; at += BLOCK_LINES)
    blocks.push(make('span', { class: 'op-pg-chunk' }, lines.slice(at, at + BLOCK_LINES).join('\n')));
  return blocks;
}

function jsonBlocks(text) {
  if (text.length > MAX_COLORED) {
    const pieces = [];
    formatJson(text, (_kind, piece) => pieces.push(piece));
    return plainBlocks(pieces.join(''));
  }
  const nodes = [];
  formatJson(text, (kind, piece) =>
    nodes.push(kind === 'space' ? piece : make('span', { class: `op-pg-${kind}` }, piece)),
  );
  return nodes;
}

function headerTable({ headers, type }, words) {
  const rows = [...headers].map(([name, value]) =>
    make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value)),
  );
  return make(
    'details',
    { class: 'op-pg-nested' },
    make('summary', { class: 'op-pg-label' }, fill(words.headers, { count: rows.length })),
    make(
      'table',
      { class: 'op-pg-headers' },
      make(
        'thead',
        { class: 'sr-only' },
        make(
          'tr',
          {},
          make('th', { scope: 'col' }, words.headerName),
          make('th', { scope: 'col' }, words.headerValue),
        ),
      ),
      make('tbody', {}, ...rows),
    ),
    type === 'cors' && make('p', { class: 'op-pg-hint' }, words.headersHidden),
  );
}

const EXTENSIONS = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
};

function fileName(headers, url, type) {
  const [, given] = /filename="?([^";]+)/i.exec(headers.get('content-disposition') ?? '') ?? [];
  if (given) return given.replace(/[/\\]/g, '_');
  const last = new URL(url).pathname.split('/').filter(Boolean).at(-1) ?? 'response';
  if (/\.\w{1,8}$/.test(last)) return last;
  const [plain] = type.split(';');
  const extension = EXTENSIONS[plain.trim()] ?? /^(?:image|audio|video)\/([\w-]+)/.exec(plain)?.[1];
  return extension ? `${last}.${extension}` : last;
}

/** HTTP/2 has no text with a status. */
const REASONS = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
