import { isObject } from '../config/json.ts';
import type { Strings } from '../theme/strings.ts';
import type { Node } from '../tree.ts';
import { linkTo, paragraph, text } from './tree.ts';
import { textOf } from './values.ts';

/**
 * `externalDocs` of an operation or a schema. URLs without a host would be of the place where the description was
 * published.
 */
export function documentationNodes(written: unknown, { relatedTopics }: Strings): Node[] {
  const url = isObject(written) ? textOf(written.url) : null;
  if (!isObject(written) || url === null || !/^https?:\/\//i.test(url)) return [];
  return [paragraph([text(`${relatedTopics}: `), linkTo(url, textOf(written.description) ?? url)])];
}
