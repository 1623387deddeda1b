import { isObject } from '../config/json.ts';
import type { Strings } from '../theme/strings.ts';
import type { Node } from '../tree.ts';
import { linkTo, paragraph, text } from './tree.ts';
import { textOf } from './values.ts';

/**
 * `externalDocs`. A URL without a scheme is relative to the description, as links in its texts are, and is written like one
 * of them.
 */
export function documentationNodes(
  written: unknown,
  { strings, markdown }: { readonly strings: Strings; markdown(written: string): Node[] },
): Node[] {
  const url = isObject(written) ? textOf(written.url) : null;
  if (!isObject(written) || url === null) return [];
  const words = textOf(written.description) ?? url;
  const start = `${strings.relatedTopics}: `;
  if (/^https?:\/\//i.test(url)) return [paragraph([text(start), linkTo(url, words)])];
  if (/^[a-z][a-z\d+.-]*:/i.test(url)) return [];
  return markdown(`${escaped(start)}[${escaped(words)}](${url.replace(/[\s<>\\()`*]/g, percentEncoded)})`);
}

const percentEncoded = (sign: string): string =>
  Array.from(Buffer.from(sign), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** Text as Markdown of a description on one line: braces and dollar signs are text there. */
const escaped = (plain: string): string =>
  plain.replace(/\s+/g, ' ').replace(/[!-#%-/:-@[-`|~]/g, (sign) => (sign === '<' ? '&lt;' : `\\${sign}`));
