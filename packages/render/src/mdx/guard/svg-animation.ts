import { loadsFile } from '../../clean/css.ts';
import type { Props } from '../../tree.ts';

/** Elements that animate the SVG element around them. */
export const animationTags: ReadonlySet<string> = new Set([
  'animate',
  'animateMotion',
  'animateTransform',
  'set',
]);

export const animationAttributes: ReadonlySet<string> = new Set(
  (
    'attributeName attributeType begin end dur min max restart repeatCount repeatDur fill calcMode values keyTimes keySplines ' +
    'keyPoints from to by additive accumulate type path rotate origin id'
  ).split(' '),
);

/** Attributes that may be animated: shapes, colors and positions. A link, a handler or a style could load or run. */
const animated: ReadonlySet<string> = new Set(
  (
    'transform opacity fill fill-opacity stroke stroke-width stroke-dasharray stroke-dashoffset stroke-opacity stroke-miterlimit ' +
    'd points cx cy r rx ry x y x1 y1 x2 y2 dx dy fx fy width height viewBox offset stop-color stop-opacity gradientTransform ' +
    'patternTransform startOffset visibility display color font-size letter-spacing stdDeviation flood-color flood-opacity ' +
    'k1 k2 k3 k4 radius scale seed baseFrequency'
  ).split(' '),
);

/** Whether an animation changes nothing but the look: it names no other attribute, and no value refers to a resource. */
export function isSafeAnimation(tag: string, props: Props): boolean {
  const { attributeName } = props;
  const isNamed = typeof attributeName === 'string' && animated.has(attributeName);
  if (!isNamed && !(tag === 'animateMotion' && attributeName === undefined)) return false;
  return Object.values(props).every((value) => typeof value !== 'string' || !refers(value));
}

function refers(value: string): boolean {
  return /:\/\/|(?:javascript|vbscript|data)\s*:/i.test(value) || loadsFile(value);
}
