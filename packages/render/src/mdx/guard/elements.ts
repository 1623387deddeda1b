import { animationAttributes, animationTags } from './svg-animation.ts';

/** Names of the HTML and SVG elements that a page may contain; all others are left out (see write/html.ts). */

function set(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

export const htmlTags = set(
  'a abbr address article aside audio b bdi bdo blockquote br button caption cite code col colgroup dd del details dfn div dl dt ' +
    'em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr i iframe img input ins kbd label legend li main ' +
    'mark menu meter nav ol optgroup option output p picture pre progress q rp rt ruby s samp section select small source span ' +
    'strike strong sub summary sup table tbody td textarea tfoot th thead time tr track tt u ul var video wbr center font big',
);

export const svgTags = set(
  'svg g path rect circle ellipse line polyline polygon text tspan textPath defs clipPath mask linearGradient radialGradient stop ' +
    'pattern symbol use image marker title desc filter feGaussianBlur feOffset feBlend feColorMatrix feFlood feComposite feMerge ' +
    'feMergeNode feDropShadow',
);

/** Elements whose content is dropped with them: it is code or belongs to the document, not to the text. */
export const removedTags = set(
  'script style noscript template object embed applet base link meta title param frame frameset portal',
);

export const voidTags = set('area base br col embed hr img input link meta param source track wbr');

/** Elements that may hold text but no paragraphs. */
export const phrasingTags = set(
  'p h1 h2 h3 h4 h5 h6 span a button label summary em strong b i u s small sub sup kbd code mark abbr cite q time pre legend dt ' +
    'caption samp var ins del option',
);

const anyAttributes = set(
  'id class title lang dir role tabindex hidden style translate itemprop itemscope itemtype open',
);

const attributesByTag: Readonly<Record<string, ReadonlySet<string>>> = {
  a: set('href target rel download hreflang type name'),
  abbr: set('title'),
  audio: set('src controls loop muted preload'),
  blockquote: set('cite'),
  button: set('type disabled name value'),
  col: set('span width'),
  colgroup: set('span'),
  data: set('value'),
  del: set('cite datetime'),
  details: set('open name'),
  font: set('color size'),
  iframe: set(
    'src width height allow allowfullscreen loading referrerpolicy sandbox frameborder scrolling name',
  ),
  img: set('src srcset sizes alt width height loading decoding align'),
  input: set('type checked disabled placeholder value readonly min max step name'),
  ins: set('cite datetime'),
  label: set('for'),
  li: set('value'),
  meter: set('value min max low high optimum'),
  ol: set('start reversed type'),
  optgroup: set('label disabled'),
  option: set('value selected disabled label'),
  progress: set('value max'),
  q: set('cite'),
  select: set('disabled multiple name'),
  source: set('src srcset sizes type media width height'),
  table: set('align border cellpadding cellspacing width summary'),
  tbody: set('align valign'),
  td: set('colspan rowspan headers align valign width height nowrap'),
  textarea: set('rows cols placeholder disabled readonly'),
  th: set('colspan rowspan headers scope align valign width height abbr nowrap'),
  thead: set('align valign'),
  time: set('datetime'),
  tr: set('align valign'),
  track: set('src kind srclang label default'),
  video: set('src poster controls autoplay loop muted playsinline preload width height'),
  div: set('align'),
  p: set('align'),
  h1: set('align'),
  h2: set('align'),
  h3: set('align'),
};

const noAttributes: ReadonlySet<string> = new Set();

const svgAttributes = set(
  'xmlns viewBox width height x y x1 y1 x2 y2 cx cy r rx ry d points transform fill fill-opacity fill-rule stroke stroke-width ' +
    'stroke-linecap stroke-linejoin stroke-dasharray stroke-dashoffset stroke-miterlimit stroke-opacity opacity clip-path clip-rule ' +
    'mask offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod patternUnits patternTransform preserveAspectRatio ' +
    'dx dy text-anchor dominant-baseline alignment-baseline font-size font-family font-weight letter-spacing href version focusable ' +
    'marker-start marker-mid marker-end markerWidth markerHeight markerUnits orient refX refY maskUnits clipPathUnits filter ' +
    'filterUnits in in2 stdDeviation result mode type values flood-color flood-opacity operator k1 k2 k3 k4 vector-effect fx fy ' +
    'color-interpolation-filters maskContentUnits patternContentUnits xml:space startOffset color display visibility overflow',
);

/** Names that JSX writes in another way than HTML. */
const jsxNames: Readonly<Record<string, string>> = {
  className: 'class',
  htmlFor: 'for',
  xlinkHref: 'href',
  'xlink:href': 'href',
  xmlSpace: 'xml:space',
};

/** SVG attributes that keep their capitals. */
const camelSvg = new Set([...svgAttributes].filter((name) => /[A-Z]/.test(name)));

/** Name of an attribute in HTML, or null when the element may not have it. */
export function attributeName(tag: string, name: string): string | null {
  const direct = Object.hasOwn(jsxNames, name) ? (jsxNames[name] ?? name) : name;
  if (/^(?:aria|data)-[a-z0-9-]{1,60}$/.test(direct)) return direct;
  if (animationTags.has(tag)) return animationAttributes.has(direct) ? direct : null;
  if (svgTags.has(tag)) {
    const svgName = camelSvg.has(direct)
      ? direct
      : direct.replace(/[A-Z]/g, (char) => `-${char.toLowerCase()}`);
    return svgAttributes.has(svgName) || anyAttributes.has(svgName) ? svgName : null;
  }
  const lower = direct.toLowerCase();
  const own = Object.hasOwn(attributesByTag, tag) ? attributesByTag[tag] : noAttributes;
  return anyAttributes.has(lower) || own?.has(lower) === true ? lower : null;
}

export const booleanAttributes = set(
  'allowfullscreen autoplay checked controls default disabled hidden itemscope loop multiple muted nowrap open playsinline readonly ' +
    'reversed selected',
);
