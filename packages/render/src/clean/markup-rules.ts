import type { SaxesAttributeNS } from 'saxes';
import { htmlTags } from '../mdx/guard/elements.ts';
import { animationTags, isSafeAnimation } from '../mdx/guard/svg-animation.ts';
import { cleanCss, cleanValue } from './css.ts';
import { isLocalUrl } from './url.ts';

export const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const MATHML = 'http://www.w3.org/1998/Math/MathML';
const XLINK = 'http://www.w3.org/1999/xlink';
const XML = 'http://www.w3.org/XML/1998/namespace';
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const EVENTS = 'http://www.w3.org/2001/xml-events';

/** `svg`: a picture; elements without a namespace count as SVG. `xml`: any other XML, which may contain SVG and HTML. */
export type XmlKind = 'svg' | 'xml';

/** An element with its expanded name. */
export interface Tag {
  uri: string;
  local: string;
  attributes: readonly SaxesAttributeNS[];
}

export interface Rules {
  kind: XmlKind;
  /** A `data:` URL of an image without what could run; null for one that is not an image. */
  image(url: string): string | null;
  /** Notes what is left out; `isCode` if it could run or embed something. */
  removed(what: string, isCode: boolean): void;
}

function set(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

/** Elements of SVG that draw, describe or animate, also those that only some programs know. */
const svgElements = set(
  'a altGlyph altGlyphDef altGlyphItem animate animateColor animateMotion animateTransform circle clipPath color-profile cursor ' +
    'defs desc discard ellipse feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting ' +
    'feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge ' +
    'feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter font font-face ' +
    'font-face-format font-face-name font-face-src font-face-uri g glyph glyphRef hatch hatchpath hkern image line linearGradient ' +
    'marker mask mesh meshgradient meshpatch meshrow metadata missing-glyph mpath path pattern polygon polyline radialGradient rect ' +
    'set solidcolor stop style svg switch symbol text textPath title tref tspan use view vkern flowRoot flowRegion ' +
    'flowRegionExclude flowPara flowDiv flowLine flowSpan flowTref flowRef textArea tbreak',
);

/** HTML in other XML, such as a feed: text, tables and pictures. */
const htmlElements = new Set(
  ['html', 'head', 'title', 'body', ...htmlTags].filter(
    (name) => !/^(?:iframe|form|input|button|select|textarea|video|audio|source|track)$/.test(name),
  ),
);
const htmlAttributes = set(
  'alt class colspan datetime dir height href hreflang id lang rel rowspan src style title type width',
);

/** Attributes that hold a text, an identifier or a shape, never a style. */
const TEXT_ATTRIBUTE =
  /^(?:id|class|d|points|transform|viewBox|title|lang|aria-.*|data-.*|attributeName|begin|end)$/;
const NEVER = /^(?:ping|srcset|srcdoc|attributionsrc|formaction|action)$/i;

/** Whether browsers give an element of the namespace a behavior. */
function isActive(uri: string, kind: XmlKind): boolean {
  return uri === SVG || uri === HTML || uri === MATHML || (uri === '' && kind === 'svg');
}

/** Whether an element stays; its content goes with it. */
export function keepsElement(tag: Tag, rules: Rules): boolean {
  const { uri, local } = tag;
  let isKept = uri !== EVENTS;
  if (uri === HTML) isKept = rules.kind === 'xml' && (htmlElements.has(local) || isAlternate(tag));
  else if (uri === MATHML) isKept = rules.kind === 'xml';
  else if (isActive(uri, rules.kind)) isKept = svgElements.has(local);
  if (isKept && animationTags.has(local) && isActive(uri, rules.kind)) isKept = isSafe(tag);
  if (!isKept) rules.removed(`<${local}>`, true);
  return isKept;
}

/** `<xhtml:link rel="alternate">` of a sitemap, which loads nothing. */
function isAlternate({ local, attributes }: Tag): boolean {
  return local === 'link' && attributes.some(({ name, value }) => name === 'rel' && value === 'alternate');
}

function isSafe({ local, attributes }: Tag): boolean {
  const own = attributes.filter(({ uri, local: name }) => uri === '' && name !== 'href');
  return isSafeAnimation(local, Object.fromEntries(own.map(({ name, value }) => [name, value])));
}

/** Value of an attribute in the output; null leaves the attribute out. */
export function cleanAttribute(tag: Tag, attribute: SaxesAttributeNS, rules: Rules): string | null {
  const { uri, local, value } = attribute;
  if (uri === XMLNS) return value;
  if (uri === EVENTS || (uri === XML && local === 'base')) return leaveOut(attribute.name, true, rules);
  if (!isActive(tag.uri, rules.kind)) return value;
  if (uri === XLINK && local === 'href') return cleanLink(tag, attribute, rules);
  if (uri !== '') return value;
  if (/^on/i.test(local)) return leaveOut(local, true, rules);
  if (NEVER.test(local)) return leaveOut(local, false, rules);
  if (tag.uri === HTML && !htmlAttributes.has(local) && !/^(?:aria|data)-/.test(local))
    return leaveOut(local, false, rules);
  if (/^(?:href|src)$/i.test(local)) return cleanLink(tag, attribute, rules);
  if (local === 'style') return cleanStyle(value, rules);
  if (TEXT_ATTRIBUTE.test(local) || !/[\\(]/.test(value)) return value;
  const cleaned = cleanValue(value, (url) => localOrImage(url, rules));
  return cleaned ?? leaveOut(`${local}="${value}"`, false, rules);
}

function leaveOut(what: string, isCode: boolean, rules: Rules): null {
  rules.removed(what, isCode);
  return null;
}

/** Elements whose URL readers follow, or that only name it. */
const LINKING = set('a link');
/** Elements that show what their URL is. */
const SHOWING = set('image feImage img');

function cleanLink(tag: Tag, { name, value }: SaxesAttributeNS, rules: Rules): string | null {
  if (isLocalUrl(value)) return value;
  const scheme = URL.parse(value, 'https://a.invalid/')?.protocol ?? '';
  if (LINKING.has(tag.local) && /^(?:https?|mailto|tel):$/.test(scheme)) return value;
  const image = SHOWING.has(tag.local) ? rules.image(value) : null;
  return image ?? leaveOut(`${name}="${value}"`, !/^https?:$/.test(scheme), rules);
}

/** Style sheet or declarations, without what loads from another site. */
export function cleanStyle(css: string, rules: Rules): string {
  let named = '';
  return cleanCss(css, {
    resolve({ url, isImport }) {
      const to = isImport && !isLocalUrl(url) ? null : localOrImage(url, rules);
      if (to === null) named = isImport ? `@import "${url}"` : `url("${url}")`;
      return to;
    },
    removed() {
      rules.removed(named === '' ? 'CSS that could load a file' : named, false);
      named = '';
    },
  });
}

function localOrImage(url: string, rules: Rules): string | null {
  return isLocalUrl(url) ? url : rules.image(url);
}
