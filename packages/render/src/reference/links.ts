import type { Node } from '../tree.ts';
import { dataOf, type FieldScope, withText } from './fields.ts';
import type { ApiLink, ApiServer } from './operation.ts';
import { code, list, paragraph, text } from './tree.ts';

/** Operations to which a response leads, with the values that they take from it. */
export function linkNodes(links: readonly ApiLink[], scope: FieldScope): Node[] {
  if (links.length === 0) return [];
  const { strings } = scope;
  const rows = links.map(({ name, operation, parameters, body, server, description }) => [
    paragraph([code(name), ...(operation === null ? [] : [text(': '), ...operationWords(operation, scope)])]),
    ...parameters.map(([key, value]) => paragraph([code(key), text(': '), code(dataOf(value))])),
    ...(body === undefined ? [] : [paragraph([text(`${strings.requestBody}: `), code(dataOf(body))])]),
    ...(server === null ? [] : serverNodes(server, scope)),
    ...(description === null ? [] : scope.markdown(description)),
  ]);
  return [paragraph([code('links'), text(':')]), list(rows)];
}

/** `server` is the name of the member: of a link, not of the operation. */
function serverNodes({ url, description, variables }: ApiServer, scope: FieldScope): Node[] {
  const about = withText([code('server'), text(': '), code(url)], description, scope);
  const rows = variables.map((variable) => {
    const values = variable.values.flatMap((one) => [text(' | '), code(one)]).slice(1);
    const known = [...(variable.default === '' ? [] : [text(' = '), code(variable.default)])];
    const start = [code(variable.name), ...known, ...(values.length > 0 ? [text(': '), ...values] : [])];
    return withText(start, variable.description, scope);
  });
  return rows.length === 0 ? about : [...about, list(rows)];
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
