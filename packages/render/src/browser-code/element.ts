import type { Report } from './found.ts';
import { hostOf, isCodeUrl, looksLikeCodeUrl } from './url.ts';

export interface Attribute {
  name: string;
  /** Null where it is not known, or the attribute has none. */
  value: string | null;
  /** Whether an expression gives the value. */
  isComputed: boolean;
  line: number;
  code: string;
}

interface Place {
  line: number;
  code: string;
}

/** Elements that show or run a document of their own; a reader cannot distinguish them from the page. */
const FRAMES = new Set(['iframe', 'frame', 'fencedframe', 'portal']);
/** Elements that load code, or change where everything else is loaded from. */
const LOADING = new Set(['object', 'embed', 'applet', 'base', 'frameset']);
const IMAGES = new Set([
  'img',
  'image',
  'source',
  'picture',
  'frame',
  'card',
  'icon',
  'video',
  'audio',
  'feimage',
]);
const IMAGE_ATTRIBUTES = /^(?:src|srcset|img|image|icon|light|dark|poster|href|xlink:href|background)$/i;
const URL_ATTRIBUTE =
  /(?:href|src|srcset|url|uri|link|action|formaction|data|poster|ping|background|cite|codebase|manifest|^to|^from|^values|^by)$/i;
const ANIMATIONS = /^(?:set|animate(?:color|motion|transform)?|discard)$/;

/** Name without a prefix, as browsers and XML compare it. */
export function localName(name: string): string {
  return (name.split(':').at(-1) ?? '').trim().toLowerCase();
}

/** Reports what an element runs or loads, whatever language it is written in. */
export function checkElement(
  name: string,
  attributes: readonly Attribute[],
  place: Place,
  report: Report,
): void {
  const isElement = /^[a-z]/.test(name.split(':').at(-1) ?? '') || name === '';
  const element = isElement ? localName(name) : '';
  const attributeOf = (wanted: string): Attribute | undefined =>
    attributes.find((attribute) => localName(attribute.name) === wanted);
  if (localName(name) === 'script') report({ ...place, what: 'a <script> element' });
  if (LOADING.has(element)) report({ ...place, what: `an element that loads code (<${element}>)` });
  if (element === 'meta' && (attributeOf('http-equiv') ?? attributeOf('httpequiv')) !== undefined)
    report({ ...place, what: 'a <meta> element that acts as a header' });
  if (element === 'link' && isLoadingLink(attributeOf('rel')?.value ?? null))
    report({ ...place, what: 'a <link> element that loads something' });
  if (FRAMES.has(element)) checkFrame(element, attributeOf('src'), place, report);
  if (element === 'form') {
    const host = hostOf(attributeOf('action')?.value ?? '');
    if (host !== null) report({ ...place, what: `a form that sends to \`${host}\`` });
  }
  if (ANIMATIONS.test(element)) {
    const target = attributeOf('attributename');
    if (target !== undefined && (target.isComputed || /^(?:on|(?:xlink:)?href$)/i.test(target.value ?? '')))
      report({ ...place, what: 'an animation that sets a link or a handler' });
  }
  for (const attribute of attributes) checkAttribute(localName(name), isElement, attribute, report);
}

function isLoadingLink(rel: string | null): boolean {
  return (
    rel === null ||
    /\b(?:stylesheet|import|preload|modulepreload|prefetch|prerender|manifest|serviceworker)\b/i.test(rel)
  );
}

function checkFrame(element: string, src: Attribute | undefined, place: Place, report: Report): void {
  if (src === undefined) return;
  if (src.isComputed) {
    report({ ...place, what: `an <${element}> whose URL is computed` });
    return;
  }
  const host = hostOf(src.value ?? '');
  if (host !== null)
    report({ ...place, what: `an <${element}> of \`${host}\``, unless: { kind: 'frame', name: host } });
}

function checkAttribute(element: string, isElement: boolean, attribute: Attribute, report: Report): void {
  const { value, isComputed, line, code } = attribute;
  const name = localName(attribute.name);
  const found = (what: string): void => report({ line, code, what });
  if (isHandler(attribute.name, isElement)) {
    if (isComputed || (value !== null && value.trim() !== ''))
      found(`an event handler (\`${attribute.name}\`)`);
    return;
  }
  if (name === 'dangerouslysetinnerhtml' || name === 'srcdoc' || name === 'innerhtml') {
    found(`HTML that bypasses the renderer (\`${attribute.name}\`)`);
    return;
  }
  if (value === null) return;
  const isImage = IMAGES.has(element) && IMAGE_ATTRIBUTES.test(name);
  const urls = name === 'srcset' ? value.split(',') : name === 'values' ? value.split(';') : [value];
  const runs = URL_ATTRIBUTE.test(name)
    ? urls.some((url) => isCodeUrl(url, isImage))
    : looksLikeCodeUrl(value);
  if (runs) found(`a URL that runs code (\`${attribute.name}\`)`);
}

/** `onclick` of elements, in any case; of components only `onClick`, since theirs may have words such as `once`. */
function isHandler(name: string, isElement: boolean): boolean {
  return isElement ? /^(?:[\w-]+:)?on[a-z]{2,}$/i.test(name) : /^on[A-Z]/.test(name);
}
