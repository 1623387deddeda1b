import type { Node } from '../tree.ts';
import { dataOf, type FieldScope } from './fields.ts';
import type { ApiLink } from './operation.ts';
import { code, list, paragraph, text } from './tree.ts';

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
