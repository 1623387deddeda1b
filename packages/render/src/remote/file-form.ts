import { cleanFile } from '../clean/files.ts';

/**
 * The type of a file of another host, by its bytes: the Content-Type of the server decides nothing that a
 * browser would run.
 */

/**
 * What a page or style sheet wants: `asset` = image, sound, video, captions or font; `style` and `script` = code of
 * those languages; `data` = JSON or YAML.
 */
export type RemoteKind = 'asset' | 'style' | 'script' | 'data';

/** Ending of the file in the export (`png`), with its content if that differs, or why it is rejected. */
export type FileForm = { ending: string; content?: Uint8Array } | { fault: string };

/** Marks at the start of a file: offset, bytes as Latin-1, ending. */
const MARKS: readonly (readonly [number, string, string])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'png'],
  [0, '\xff\xd8\xff', 'jpg'],
  [0, 'GIF87a', 'gif'],
  [0, 'GIF89a', 'gif'],
  [8, 'WEBP', 'webp'],
  [8, 'WAVE', 'wav'],
  [4, 'ftypavif', 'avif'],
  [4, 'ftypavis', 'avif'],
  [4, 'ftypM4A', 'm4a'],
  [4, 'ftypqt', 'mov'],
  [4, 'ftyp', 'mp4'],
  [0, '\x1aE\xdf\xa3', 'webm'],
  [0, 'OggS', 'ogg'],
  [0, 'fLaC', 'flac'],
  [0, 'ID3', 'mp3'],
  [0, '\xff\xfb', 'mp3'],
  [0, '\xff\xf3', 'mp3'],
  [0, '\x00\x00\x01\x00', 'ico'],
  [0, 'BM', 'bmp'],
  [0, 'wOF2', 'woff2'],
  [0, 'wOFF', 'woff'],
  [0, '\x00\x01\x00\x00', 'ttf'],
  [0, 'true', 'ttf'],
  [0, 'OTTO', 'otf'],
  [0, 'WEBVTT', 'vtt'],
];

/** Checks a file that was fetched for a purpose. `type` is the Content-Type that came with it. */
export function fileForm(kind: RemoteKind, content: Uint8Array, type: string): FileForm {
  if (content.byteLength === 0) return { fault: 'it is empty' };
  if (kind === 'asset') return assetForm(content);
  const text = decode(content);
  if (text === null) return { fault: 'it is not UTF-8 text' };
  const start = text.slice(0, 1000).trimStart();
  if (start.startsWith('<')) return { fault: 'the host returned an HTML page' };
  if (kind === 'data') return { ending: /^[{[]/.test(start) ? 'json' : 'yaml' };
  const isStyle = /^text\/css\b/i.test(type);
  const isScript = /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i.test(type);
  if (kind === 'style')
    return isStyle ? { ending: 'css' } : { fault: `its type ${named(type)} is not text/css` };
  return isScript ? { ending: 'js' } : { fault: `its type ${named(type)} is not JavaScript` };
}

function assetForm(content: Uint8Array): FileForm {
  const head = String.fromCharCode(...content.subarray(0, 32));
  const mark = MARKS.find(([at, bytes]) => head.startsWith(bytes, at));
  if (mark !== undefined) return { ending: mark[2] };
  const text = decode(content);
  if (text === null || !/^\s*<(?:\?xml|!--|!doctype svg|svg)/i.test(text.slice(0, 2000))) {
    return { fault: 'it is not an image, audio, video or font file that browsers support' };
  }
  return svgForm(content, text);
}

/**
 * An SVG is shown as an image, where nothing in it runs; opened by itself it would be a document. So one that could
 * run or embed anything is rejected, and what it would load from other hosts is left out.
 */
function svgForm(written: Uint8Array, text: string): FileForm {
  if (!/<svg[\s>/]/i.test(text)) return { fault: 'it is not an SVG' };
  const { content, removed, hadCode, fault } = cleanFile('remote.svg', written);
  if (fault !== null) return { fault: `it is an SVG that is not well-formed: ${fault}` };
  if (!hadCode) return { ending: 'svg', content };
  const [what = 'code'] = removed.keys();
  return { fault: `it is an SVG with ${JSON.stringify(what.slice(0, 60))}, which can run code` };
}

function named(type: string): string {
  return JSON.stringify(type.slice(0, 60));
}

function decode(content: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null;
  }
}
