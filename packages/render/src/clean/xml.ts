import { SaxesParser, type SaxesTagNS } from 'saxes';
import { escapeAttribute, escapeText } from '../escape.ts';
import { cleanAttribute, cleanStyle, keepsElement, type Rules, SVG } from './markup-rules.ts';

/** Elements in each other; browsers and this parser take much longer for deeper ones. */
const MAX_DEPTH = 500;
/** Characters that entities of a document may add to it. */
const MAX_ENTITIES = 1_000_000;
/** Errors after which the rest of a document is left out. */
const MAX_FAULTS = 100;

export interface CleanXml {
  /** The document as it was understood. */
  text: string;
  /** Whether it is the same as the input, so that the input can stay as it is. */
  isSame: boolean;
  /** Why it is not well-formed; null for one that is. */
  fault: string | null;
}

interface Writer {
  rules: Rules;
  out: string[];
  /** Names of the elements that are open in the output. */
  open: string[];
  /** Elements that are open in one that is left out, with that one. */
  skipped: number;
  /** Text of the style element that is open. */
  style: string | null;
  fault: string | null;
  faults: number;
}

/** Ends the parser before the end of the document. */
class Limit extends Error {}

/**
 * Reads XML with a parser of the specification, and writes what the rules keep. The result is well-formed whatever the
 * input is. Entities become their text, and nothing else of a document type declaration stays.
 */
export function cleanXml(text: string, given: Rules): CleanXml {
  const parser = new SaxesParser({ xmlns: true });
  let isSame = true;
  const rules: Rules = {
    ...given,
    image(url) {
      const to = given.image(url);
      isSame &&= to === url;
      return to;
    },
    removed(what, isCode) {
      isSame = false;
      given.removed(what, isCode);
    },
  };
  const writer: Writer = { rules, out: [], open: [], skipped: 0, style: null, fault: null, faults: 0 };
  parser.on('error', ({ message }) => {
    writer.fault ??= message;
    if (++writer.faults > MAX_FAULTS) throw new Limit(message);
  });
  parser.on('xmldecl', ({ version }) => {
    isSame &&= version === '1.0';
  });
  parser.on('doctype', (content) => {
    if (!content.includes('[')) return;
    isSame = false;
    declareEntities(content.slice(content.indexOf('[')), parser, rules);
  });
  parser.on('processinginstruction', ({ target }) => {
    if (/^xml/i.test(target)) rules.removed(`<?${target}?>`, true);
  });
  parser.on('opentag', (tag) => openTag(tag, parser, writer));
  parser.on('closetag', () => closeTag(writer));
  parser.on('text', (content) => addText(content, writer));
  parser.on('cdata', (content) => addText(content, writer));
  try {
    parser.write(text).close();
  } catch (error) {
    if (!(error instanceof Limit)) throw error;
    writer.fault = error.message;
  }
  if (writer.open.length > 0) writer.skipped = 0;
  while (writer.open.length > 0) closeTag(writer);
  return { text: writer.out.join(''), isSame: isSame && writer.fault === null, fault: writer.fault };
}

/** Entities of an internal subset that are plain text, as drawing programs write them for the names of namespaces. */
const ENTITY = /<!ENTITY\s+([\w:.-]+)\s+(?:"([^"&%<]*)"|'([^'&%<]*)')\s*>/g;
const MARKUP = /<!--[\s\S]*?-->|[\s[\]]/g;

function declareEntities(subset: string, parser: SaxesParser<{ xmlns: true }>, rules: Rules): void {
  let added = 0;
  for (const [, name = '', double, single] of subset.matchAll(ENTITY)) {
    const text = double ?? single ?? '';
    if (Object.hasOwn(parser.ENTITIES, name)) continue;
    Object.defineProperty(parser.ENTITIES, name, {
      get() {
        added += text.length;
        if (added > MAX_ENTITIES) throw new Limit(`its entities add more than ${MAX_ENTITIES} characters`);
        return text;
      },
    });
  }
  if (subset.replace(ENTITY, '').replace(MARKUP, '') !== '') rules.removed('<!DOCTYPE [...]>', true);
}

function openTag(tag: SaxesTagNS, parser: SaxesParser<{ xmlns: true }>, writer: Writer): void {
  const { rules, out, open } = writer;
  if (open.length + writer.skipped >= MAX_DEPTH)
    throw new Limit(`more than ${MAX_DEPTH} elements are open at the same time`);
  const attributes = Object.values(tag.attributes).filter((attribute) => isBound(attribute, parser));
  const element = { uri: tag.uri, local: tag.local, attributes };
  const isKept = writer.skipped === 0 && writer.style === null && isBound(tag, parser);
  if (!isKept || !keepsElement(element, rules)) {
    writer.skipped++;
    return;
  }
  let text = `<${tag.name}`;
  const seen = new Set<string>();
  for (const attribute of attributes) {
    const name = `${attribute.uri} ${attribute.local}`;
    const value = seen.has(name) ? null : cleanAttribute(element, attribute, rules);
    seen.add(name);
    if (value !== null) text += ` ${attribute.name}="${attributeText(value)}"`;
  }
  out.push(`${text}>`);
  open.push(tag.name);
  if (tag.local === 'style' && (tag.uri === SVG || tag.uri === '')) writer.style = '';
}

const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}._\xb7-]*$/u;

/** Whether a name is valid and its prefix is declared; the parser continues after either error. */
function isBound(
  { prefix, local }: { prefix: string; local: string },
  parser: SaxesParser<{ xmlns: true }>,
): boolean {
  if (!NAME.test(local)) return false;
  return prefix === '' || prefix === 'xmlns' || (NAME.test(prefix) && parser.resolve(prefix) !== undefined);
}

function addText(content: string, writer: Writer): void {
  if (writer.skipped > 0 || writer.open.length === 0) return;
  if (writer.style !== null) writer.style += content;
  else writer.out.push(xmlText(content));
}

function closeTag(writer: Writer): void {
  if (writer.skipped > 0) {
    writer.skipped--;
    return;
  }
  const name = writer.open.pop();
  if (name === undefined) return;
  if (writer.style !== null) writer.out.push(xmlText(cleanStyle(writer.style, writer.rules)));
  writer.style = null;
  writer.out.push(`</${name}>`);
}

const NOT_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function xmlText(text: string): string {
  return escapeText(text.toWellFormed().replace(NOT_XML, '')).replaceAll('\r', '&#13;');
}

function attributeText(text: string): string {
  return escapeAttribute(text.toWellFormed().replace(NOT_XML, '')).replace(
    /[\t\n\r]/g,
    (char) => `&#${char.charCodeAt(0)};`,
  );
}
