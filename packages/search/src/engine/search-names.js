/**
 * Names that stand for exactly one page of an API reference: the method with the path, and the operation id. The export
 * and the reader's browser use this same file.
 */

/** Nobody types a longer name: what readers can type has this length. */
const MAX_NAME = 200;

/** What the path is, however its parameters are called. */
const simplePath = (path) =>
  path
    .toLowerCase()
    .replace(/\{[^{}]*\}|(?<=\/):\w+/g, '{}')
    .replace(/(?<=.)\/$/, '');

/**
 * Name of an operation; the path comes first, so that operations of one path are neighbors. Empty if nobody can type it.
 * @param {string} method
 * @param {string} path
 * @returns {string}
 */
export const endpointName = (method, path) => usable(`${simplePath(path)}#${method.toLowerCase()}`);

/**
 * @param {string} id
 * @returns {string}
 */
export const idName = (id) => usable(`=${id.toLowerCase()}`);

const usable = (name) => (name.length > MAX_NAME || /\s/.test(name) ? '' : name);

/**
 * Names that a query can be. One that ends with `#` stands for all operations of a path.
 * @param {string} query
 * @returns {string[]}
 */
export function namesOf(query) {
  const typed = query.trim();
  const [, method = '', path] =
    /^(?:([a-z]+)\s+)?(?:https?:\/\/[^\s/]+)?(\/\S*)$/i.exec(typed) ??
    /^(webhook)\s+(\S+)$/i.exec(typed) ??
    [];
  const names = path === undefined ? [] : [endpointName(method, path)];
  // A word that texts can contain stands for itself.
  if (/^\S+$/.test(typed) && /[^a-z]|[a-z][A-Z]/.test(typed)) names.push(idName(typed));
  return names.filter((name) => name !== '');
}
