import type { Query } from '../dom.ts';
import type { Check } from './check.ts';
import { type Row, supported } from './row.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>';
export const PNG = { 'shot.svg': SVG, 'clip.mp4': 'video' };

/** A row whose page consists of one MDX fragment. */
export const draws = (name: string, body: string, shows: Check['shows'], more: Check = {}): Row =>
  supported(name, { body, shows, ...more });

/** An icon of a library in an element. */
export const icon = (within: Query): Query => ({ tag: 'svg', class: 'icon', within });
/** A star in the regular style. */
export const regular = (within: Query): Query => ({ tag: 'path', attributes: { d: /M288\.1-32/ }, within });
export const link = (name: string, href: string, more: Query = {}): Query => ({
  role: 'link',
  name,
  attributes: { href },
  ...more,
});
/** A link in the text of the page, not in its table of contents. */
export const anchor = (id: string): Query => ({
  tag: 'a',
  attributes: { href: `#${id}` },
  within: { id: 'content' },
});
export const bold = (text: string): Query => ({ role: 'strong', text });
