import { isObject } from '../config/json.ts';
import type { Node } from '../tree.ts';
import { dataOf, type FieldScope, linkTo } from './fields.ts';
import type { ApiLink } from './operation.ts';
import { code, list, paragraph, text } from './tree.ts';

/** `externalDocs` of an operation. Addresses without a host would be of the place where the description was published. */
export function documentationNodes(written: unknown, { strings }: FieldScope): Node[] {
  if (!isObject(written) || typeof written.url !== 'string') return [];
  const url = written.url.trim();
  if (!/^https?:\/\//i.test(url)) return [];
  const { description } = written;
  const words = typeof description === 'string' && description.trim() !== '' ? description.trim() : url;
  return [paragraph([text(`${strings.relatedTopics}: `), linkTo(url, words)])];
}

/** Operations to which a response leads, with the values that they take from it. */
export function linkNodes(links: readonly ApiLink[], scope: FieldScope): Node[] {
  if (links.length === 0) return [];
  const { strings } = scope;
  const rows = links.map(({ name, operation, parameters, body, description }) => [
    paragraph([code(name), ...(operation === null ? [] : [text(': '), ...operationWords(operation, scope)])]),
    ...parameters.map(([key, value]) => paragraph([code(key), text(': '), code(dataOf(value))])),
    ...(body === undefined ? [] : [paragraph([text(`${strings.requestBody}: `), code(dataOf(body))])]),
    ...(description === null ? [] : scope.markdown(description)),
  ]);
  return [paragraph([code('links'), text(':')]), list(rows)];
}

/** An id becomes a link in the same way as in the texts of a description, if a page has it. */
function operationWords(operation: string, scope: FieldScope): Node[] {
  const start = '#/paths/';
  if (operation.startsWith(start)) {
    const [path = '', method = ''] = operation.slice(start.length).split('/');
    return [code(`${method.toUpperCase()} ${path.replaceAll('~1', '/').replaceAll('~0', '~')}`)];
  }
  if (!/^[\w.-]+$/.test(operation)) return [code(operation)];
  const [shown] = scope.markdown(`[${operation.replaceAll('_', '\\_')}](#operation/${operation})`);
  return shown?.type === 'paragraph' ? shown.children : [code(operation)];
}
