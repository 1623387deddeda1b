/* Keys of elements: equal for what the export wrote and what a component renders, if both are the same element. */

/** Values that are read for one key. */
const maxValues = 20_000;

/** A short text for a long one. */
function digest(text) {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/**
 * Functions for keys. `read` says what an object is: `{ text }`, `{ list }`, an element as
 * `{ name, props, children }`, `{}` for what has no key, or null for data. Keys are null where something has none.
 */
export function makeKeys(read) {
  let left = 0;
  const refuse = () => {
    left = Number.NEGATIVE_INFINITY;
    return '';
  };

  const isContent = (value) =>
    Array.isArray(value)
      ? value.some(isContent)
      : typeof value === 'object' && value !== null && read(value) !== null;

  /** Content: texts, which are one where they touch, and elements between them. */
  const describeContent = (value) => {
    const parts = [''];
    const add = (item) => {
      if (--left < 0 || item === undefined || item === null || typeof item === 'boolean') return;
      if (typeof item === 'string' || typeof item === 'number') parts[parts.length - 1] += item;
      else if (Array.isArray(item)) item.forEach(add);
      else addElement((typeof item === 'object' && read(item)) || {});
    };
    const addElement = ({ text, list, name, props, children }) => {
      if (name !== undefined)
        parts.push(`<${name}${describeProps(props)}>${describeContent(children)}</>`, '');
      else if (text !== undefined) add(text);
      else if (list !== undefined) add(list);
      else refuse();
    };
    add(value);
    if (parts.length === 1) return JSON.stringify(parts[0]);
    return `(${parts.map((part, at) => (at % 2 ? part : JSON.stringify(part))).join('')})`;
  };

  /** A value of a prop; empty for one that is as good as none. */
  const describe = (value) => {
    if (--left < 0 || value === undefined || value === null || typeof value === 'function') return '';
    if (typeof value === 'boolean') return value ? 't' : 'f';
    if (typeof value === 'string' || typeof value === 'number') return JSON.stringify(String(value));
    if (isContent(value)) return describeContent(value);
    if (Array.isArray(value)) return `[${value.map(describe).join()}]`;
    const kind = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined;
    return kind === null || kind === Object.prototype ? describeProps(value, true) : refuse();
  };

  const describeProps = (props, isData = false) => {
    const parts = [];
    for (const name of Object.keys(props).sort()) {
      if (!isData && /^(?:children|key|ref|on[A-Z].*|dangerouslySetInnerHTML)$/.test(name)) continue;
      const value = describe(props[name]);
      if (value !== '') parts.push(`${!isData && name === 'class' ? 'className' : name}=${value}`);
    }
    return `{${parts.join()}}`;
  };

  const key = (make) => {
    left = maxValues;
    const text = make();
    return left < 0 ? null : digest(text);
  };
  return {
    content: (children) => key(() => describeContent(children)),
    /** An element whatever its content is. */
    own: (name, props) => key(() => name + describeProps(props)),
    /** An element with its content. */
    whole: (name, props, children) =>
      key(() => `${name}${describeProps(props)} ${describeContent(children)}`),
  };
}
