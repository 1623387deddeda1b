import { isAscii, isUtf8 as isUtf8Text } from 'node:buffer';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pagePolicy } from '@offprint/bundle/policy';
import { type Rules, SVG, type XmlKind } from './markup-rules.ts';
import { isDataFile } from './url.ts';
import { cleanXml } from './xml.ts';

/** A file without what could run, or load from another site. */
export interface CleanFile {
  /** The same array as the input where nothing had to change. */
  content: Uint8Array;
  /** What was left out, each with its number. */
  removed: ReadonlyMap<string, number>;
  /** Whether any of it could run or embed something. */
  hadCode: boolean;
  /** Why the file is not well-formed XML, so that it was written again as far as it could be read. */
  fault: string | null;
}

/** Files that browsers read as XML by their extension: each can contain SVG or HTML with scripts. */
const XML_FILE =
  /\.(?:xml|xhtml|xht|xsl|xslt|rdf|rss|atom|xsd|wsdl|mml|mathml|owl|kml|gpx|gml|dae|x3d|xspf|xul|xbl|jnlp|smil?|opml|soap|wadl|xdp|xfdf)$/i;
const HTML_FILE = /\.[sx]?html?$/i;
/** Files without a type by their name, which browsers recognize by their start. */
const NO_EXTENSION = /(?:^|\/)\.?[^./]*$/;
const HTML_START =
  /^\ufeff?\s*<(?:!doctype html|html|head|body|script|style|title|iframe|table|h1|div|font|a|br|p|b|!--)[\s>]/i;

/** A file of the docs folder as an export contains it; files of other types stay as they are. */
export function cleanFile(path: string, content: Uint8Array): CleanFile {
  if (/\.svg$/i.test(path)) return cleanXmlFile(content, 'svg');
  if (/\.svgz$/i.test(path)) return cleanCompressed(content);
  if (XML_FILE.test(path)) return cleanXmlFile(content, 'xml');
  if (HTML_FILE.test(path)) return unchanged(withPolicy(content));
  if (!NO_EXTENSION.test(path)) return unchanged(content);
  const start = decode(content.subarray(0, 1000)).text;
  if (/^\s*<\?xml/.test(start)) return cleanXmlFile(content, 'xml');
  return unchanged(HTML_START.test(start) ? withPolicy(content) : content);
}

function unchanged(content: Uint8Array): CleanFile {
  return { content, removed: new Map(), hadCode: false, fault: null };
}

// HTML

/** What may come before the elements of a document, and then its doctype: a policy before it would change the layout. */
const PROLOG = /^(?:\ufeff|\xef\xbb\xbf)?(?:[\t\n\f\r ]|<!--(?!-?>)(?:(?!--!?>)[\s\S])*-->)*<!doctype[^>]*>/i;

/** An HTML file with the policy of pages before its first element. */
function withPolicy(content: Uint8Array): Uint8Array {
  const policy = `<meta http-equiv="Content-Security-Policy" content="${pagePolicy}">`;
  const { text, isUtf16 } = decode(content);
  if (isUtf16) return encoder.encode(`\ufeff${insertPolicy(text, policy)}`);
  // One character for each byte: the encoding is for the browser to find out.
  return Buffer.from(insertPolicy(Buffer.from(content).toString('latin1'), policy), 'latin1');
}

function insertPolicy(text: string, policy: string): string {
  const prolog = PROLOG.exec(text)?.[0] ?? /^(?:\ufeff|\xef\xbb\xbf)?/.exec(text)?.[0] ?? '';
  return prolog + policy + text.slice(prolog.length);
}

// XML

const EMPTY: Readonly<Record<XmlKind, string>> = { svg: `<svg xmlns="${SVG}"/>`, xml: '<document/>' };

function cleanXmlFile(content: Uint8Array, kind: XmlKind, depth = 0): CleanFile {
  const removed = new Map<string, number>();
  let hadCode = false;
  const rules: Rules = {
    kind,
    image: (url) => (depth < MAX_NESTING ? cleanImage(url, rules, depth + 1) : null),
    removed(what, isCode) {
      const name = what.length > 120 ? `${what.slice(0, 120)}…` : what;
      removed.set(name, (removed.get(name) ?? 0) + 1);
      hadCode ||= isCode;
    },
  };
  const { text, isUtf8 } = decode(content);
  // Without an element nothing can be in it.
  if (!text.includes('<')) return { content, removed, hadCode, fault: null };
  const cleaned = cleanXml(text, rules);
  const { fault } = cleaned;
  if (cleaned.isSame && isUtf8) return { content, removed, hadCode, fault };
  const isStable = cleaned.text !== '' && cleanXml(cleaned.text, { ...rules, removed() {} }).isSame;
  return { content: encoder.encode(isStable ? cleaned.text : EMPTY[kind]), removed, hadCode, fault };
}

/** Compressed SVG. It is stored without compression where it changes, because compression differs between machines. */
function cleanCompressed(content: Uint8Array): CleanFile {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return cleanXmlFile(content, 'svg');
  let plain: Uint8Array;
  try {
    plain = gunzipSync(content, { maxOutputLength: MAX_SIZE });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const fault = `it cannot be decompressed: ${reason}`;
    return { ...unchanged(stored(encoder.encode(EMPTY.svg))), fault };
  }
  const file = cleanXmlFile(plain, 'svg');
  return { ...file, content: file.content === plain ? content : stored(file.content) };
}

function stored(content: Uint8Array): Uint8Array {
  return gzipSync(content, { level: 0 });
}

/** Images in images. */
const MAX_NESTING = 3;
/** Bytes of a compressed drawing. */
const MAX_SIZE = 100_000_000;

/**
 * A `data:` URL of an image or font, in which an SVG is cleaned as a file is; null for other data. Browsers run nothing
 * in an image, but readers can open it by itself.
 */
export function cleanDataUrl(url: string): string | null {
  return cleanImage(url, null, 0);
}

function cleanImage(written: string, rules: Rules | null, depth: number): string | null {
  const url = written.trim();
  if (!isDataFile(url)) return null;
  const [, parameters, body = '', fragment = ''] = SVG_DATA.exec(url) ?? [];
  if (parameters === undefined) return url;
  const plain = Buffer.from(unescapeBytes(body), 'latin1');
  const content = /;\s*base64\s*$/i.test(parameters)
    ? Buffer.from(plain.toString('latin1'), 'base64')
    : plain;
  const file = cleanXmlFile(content, 'svg', depth);
  if (file.content === content) return url;
  for (const what of file.removed.keys()) rules?.removed(what, file.hadCode);
  const text = Buffer.from(file.content).toString();
  return `data:image/svg+xml,${encodeURIComponent(text)}${fragment}`;
}

const SVG_DATA = /^data:image\/svg\+xml((?:;[^,]*)?),([^#]*)(#.*)?$/is;

/** Percent-encoded text as one character for each byte. */
function unescapeBytes(text: string): string {
  const bytes = encoder.encode(text);
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

// Encodings

const encoder = new TextEncoder();

/** Text of a file as browsers decode it, without a byte order mark. `isUtf8`: any server may send the bytes as UTF-8. */
function decode(content: Uint8Array): { text: string; isUtf8: boolean; isUtf16: boolean } {
  const [a, b] = content;
  const isLittle = (a === 0xff && b === 0xfe) || (a === 0x3c && b === 0);
  if (isLittle || (a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) {
    const text = new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(content);
    return { text, isUtf8: false, isUtf16: true };
  }
  const start = Buffer.from(content.subarray(0, 300)).toString('latin1');
  const label =
    /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1] ?? 'utf-8';
  const encoding = a === 0xef ? 'utf-8' : encodingOf(label);
  const isUtf8 =
    isUtf8Text(content) &&
    (encoding === 'utf-8' || (/^(?:windows|iso)-\d/.test(encoding) && isAscii(content)));
  return { text: new TextDecoder(encoding).decode(content), isUtf8, isUtf16: false };
}

function encodingOf(label: string): string {
  try {
    const { encoding } = new TextDecoder(label);
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  } catch {
    return 'windows-1252';
  }
}
