/*
 * Inputs for the fields of a request. An editor has the members
 *   node     what is shown
 *   read()   the value; undefined if nothing is to be sent
 *   write()  shows a value; false if the editor cannot represent it
 *   check()  marks invalid and missing values; returns a list of them
 */
import { repeat } from '../../request/repeat.js';
import { button, fill, make, newId, row, select, textInput } from './dom.js';
import { isObject, isRawNumber, parseJson } from './json.js';

/**
 * @param {string} name
 * @param {any} field FormField of the request form
 * @param {{ isRequired?: boolean, asText?: boolean, prefix?: string }} facts `asText`: numbers are
 *   passed as they are written, because they end up in a URL or header
 * @param {{ words: any, changed: () => void, keepFile: (file: File) => string }} context
 */
export function makeEditor(name, field, facts, context) {
  if (field.values.length > 0) return choiceEditor(name, field, facts, context);
  if (field.type === 'boolean')
    return choiceEditor(name, { ...field, values: [true, false] }, facts, context);
  if (field.type === 'file') return fileEditor(name, field, facts, context);
  if (field.type === 'object' && field.properties) return objectEditor(name, field, facts, context);
  if (field.type === 'array' && field.items) return listEditor(name, field, facts, context);
  if (field.type === 'object' || field.type === 'array') return jsonEditor(name, field, facts, context);
  return lineEditor(name, field, facts, context);
}

/** Type of a field as it is shown. */
export function typeOf({ type, format, items }) {
  if (type === 'array' && items) return `${items.type}[]`;
  if (type === 'any') return '';
  return format === null || type === 'file' ? type : `${type} (${format})`;
}

function rowOf(name, field, { isRequired }, { words }, control) {
  return row(name, control, { isRequired, type: typeOf(field), words });
}

/** Value of the examples of a field; undefined without one. */
export function exampleOf(field) {
  if (field.example !== undefined) return field.example;
  const entries = (field.properties ?? [])
    .filter(({ isOmitted }) => !isOmitted)
    .map(({ name, field: own }) => [name, exampleOf(own)])
    .filter(([, value]) => value !== undefined);
  if (entries.length > 0) return Object.fromEntries(entries);
  const item = field.items === undefined ? undefined : exampleOf(field.items);
  return item === undefined ? undefined : repeat(item, field.itemsNeeded ?? 1);
}

const missing = (name, isRequired, value) =>
  isRequired && value === undefined ? [{ name, kind: 'missing' }] : [];

function choiceEditor(name, field, facts, context) {
  const { words, changed } = context;
  const texts = field.values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const menu = select([['', words.notSent], ...texts.map((text, at) => [String(at), text])], {
    onchange: changed,
  });
  const { node } = rowOf(name, field, facts, context, menu);
  const read = () => (menu.value === '' ? undefined : field.values[Number(menu.value)]);
  return {
    node,
    read,
    write(value) {
      const at = texts.indexOf(typeof value === 'string' ? value : JSON.stringify(value));
      menu.value = at < 0 ? '' : String(at);
      return value === undefined || at >= 0;
    },
    check: () => missing(name, facts.isRequired, read()),
  };
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** What is wrong with a line of text, and its value. */
function readLine(text, { type }, asText, words) {
  const trimmed = text.trim();
  if (type === 'string') return { value: text };
  if (type === 'integer' || type === 'number') {
    const isValid = type === 'integer' ? /^[+-]?\d+$/.test(trimmed) : NUMBER.test(trimmed);
    if (!isValid)
      return { value: text, error: type === 'integer' ? words.invalidInteger : words.invalidNumber };
    if (asText) return { value: trimmed };
    const parsed = parseJson(trimmed);
    return { value: 'value' in parsed ? parsed.value : Number(trimmed) };
  }
  // Any type: what looks like an object or list is JSON, and so are numbers and words of JSON in a body.
  const parsed = parseJson(trimmed, !asText);
  if ('value' in parsed) return { value: asText && !/^[[{]/.test(trimmed) ? text : parsed.value };
  return { value: text, ...(/^[[{"]/.test(trimmed) && { error: jsonError(parsed, words) }) };
}

const jsonError = (facts, words) => fill(words.invalidJson, facts);

const PLACEHOLDERS = {
  date: '2025-12-31',
  'date-time': '2025-12-31T23:59:59Z',
  uuid: '00000000-0000-0000-0000-000000000000',
  email: 'name@example.com',
  uri: 'https://example.com',
};

function lineEditor(name, field, facts, context) {
  const { words, changed } = context;
  const isNumber = field.type === 'integer' || field.type === 'number';
  const isLong = field.type === 'any';
  const attributes = {
    oninput: () => {
      line.showError(null);
      changed();
    },
    onchange: () => line.showError(result().error ?? null),
  };
  const input = isLong
    ? make('textarea', { class: 'op-pg-input op-pg-area', rows: '2', spellcheck: 'false', ...attributes })
    : textInput({
        ...attributes,
        ...(isNumber && { inputmode: field.type === 'integer' ? 'numeric' : 'decimal' }),
        ...(field.format === 'password' && { type: 'password', autocomplete: 'off' }),
        placeholder: PLACEHOLDERS[field.format] ?? null,
      });
  const line = rowOf(name, field, facts, context, input);
  const result = () =>
    input.value === '' ? { value: undefined } : readLine(input.value, field, facts.asText, words);
  return {
    node: line.node,
    read: () => result().value,
    write(value) {
      const isText = typeof value === 'string';
      const isPlain = isText || typeof value === 'number' || typeof value === 'boolean' || isRawNumber(value);
      if (value === undefined) input.value = '';
      else if (field.type === 'any')
        input.value = isText ? textOfAny(value, facts) : JSON.stringify(value, null, 2);
      else if (!isPlain || (!facts.asText && isText === isNumber)) return false;
      else if (value === '') return false;
      else input.value = isText ? value : JSON.stringify(value);
      line.showError(null);
      return true;
    },
    check() {
      const { value, error = null } = result();
      line.showError(error);
      if (error !== null) return [{ name, kind: 'invalid', target: input }];
      return missing(name, facts.isRequired, value).map((one) => ({ ...one, target: input, line }));
    },
  };
}

/** Quotes a text that would be read as another type. */
const textOfAny = (text, { asText }) => (!asText && 'value' in parseJson(text) ? JSON.stringify(text) : text);

/** JSON in a text area. `rows` grows with the text up to a limit. */
export function jsonEditor(name, field, facts, context) {
  const { words, changed } = context;
  const area = make('textarea', {
    class: 'op-pg-input op-pg-area op-pg-json',
    rows: '3',
    spellcheck: 'false',
    autocapitalize: 'off',
    oninput: () => {
      grow();
      line.showError(null);
      changed();
    },
    onchange: () => show(),
  });
  const grow = () => {
    area.rows = Math.min(Math.max(area.value.split('\n').length, 3), 24);
  };
  const line = rowOf(name, field, facts, context, area);
  const parsed = () =>
    area.value.trim() === '' ? { value: undefined } : parseJson(area.value, !facts.asText);
  const show = () => {
    const result = parsed();
    const isValid = 'value' in result;
    line.showError(isValid ? null : jsonError(result, words));
    return isValid;
  };
  return {
    node: line.node,
    area,
    read() {
      const result = parsed();
      return 'value' in result ? result.value : undefined;
    },
    write(value) {
      area.value = value === undefined ? '' : JSON.stringify(value, null, 2);
      grow();
      line.showError(null);
      return true;
    },
    check: () =>
      show()
        ? missing(name, facts.isRequired, parsed().value).map((one) => ({ ...one, target: area }))
        : [{ name, kind: 'invalid', target: area }],
  };
}

/** Text of any kind, such as XML. */
export function textEditor(name, field, facts, context) {
  const area = make('textarea', {
    class: 'op-pg-input op-pg-area op-pg-json',
    rows: '8',
    spellcheck: 'false',
    autocapitalize: 'off',
    oninput: context.changed,
  });
  const { node } = rowOf(name, field, facts, context, area);
  const read = () => (area.value === '' ? undefined : area.value);
  return {
    node,
    read,
    write(value) {
      area.value =
        value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
      return true;
    },
    check: () => missing(name, facts.isRequired, read()).map((one) => ({ ...one, target: area })),
  };
}

/** Value: the name under which the file is kept. */
function fileEditor(name, field, facts, context) {
  const input = make('input', { type: 'file', class: 'op-pg-file', onchange: context.changed });
  const { node } = rowOf(name, field, facts, context, input);
  const read = () => (input.files[0] ? context.keepFile(input.files[0]) : undefined);
  return {
    node,
    read,
    write(value) {
      input.value = '';
      // The name in an example does not refer to a file of the reader.
      return value === undefined || typeof value === 'string';
    },
    check: () => missing(name, facts.isRequired, read()).map((one) => ({ ...one, target: input })),
  };
}

/** A group whose fields are made when it is opened for the first time. */
function group(name, field, { isRequired, isRoot }, { words, isExpanded = false }, fillIn) {
  if (isRoot) {
    const node = make('div', { class: 'op-pg-group op-pg-root' });
    return { node, open: () => fillIn(node), openNow: () => {} };
  }
  const body = make('div', { class: 'op-pg-group' });
  let isFilled = false;
  const open = () => {
    if (isFilled) return;
    isFilled = true;
    fillIn(body);
  };
  const node = make(
    'details',
    { class: 'op-pg-nested', ontoggle: () => node.open && open() },
    make(
      'summary',
      { class: 'op-pg-label' },
      make('span', { class: 'op-pg-name' }, name),
      make('span', { class: 'op-pg-type' }, typeOf(field)),
      isRequired && make('span', { class: 'op-pg-required' }, words.required),
    ),
    body,
  );
  const openNow = () => {
    node.open = true;
    open();
  };
  if (isRequired || isExpanded || field.isExpanded) openNow();
  return { node, open, openNow };
}

/** Properties that have no input, or a value of another type, are kept and sent. */
function objectEditor(name, field, facts, context) {
  let parts = null;
  let rest = {};
  const holder = group(name, field, facts, context, (node) => {
    parts = field.properties.map((property) => ({
      property,
      editor: makeEditor(
        property.name,
        property.field,
        {
          isRequired: property.isRequired,
          asText: facts.asText || (facts.isForm && !/object|array/.test(property.field.type)),
        },
        context,
      ),
    }));
    node.append(...parts.map(({ editor }) => editor.node));
  });
  if (facts.isRoot) holder.open();
  const isEmpty = (value) => Object.keys(value).length === 0;
  const read = () => {
    const value = { ...rest };
    for (const { property, editor } of parts ?? []) {
      const own = editor.read();
      if (own !== undefined) put(value, property.name, own);
    }
    return isEmpty(value) && !facts.isRequired ? undefined : value;
  };
  return {
    node: holder.node,
    read,
    write(value) {
      rest = {};
      if (value === undefined && parts === null) return true;
      if (value !== undefined && !isObject(value)) return false;
      const entries = new Map(Object.entries(value ?? {}));
      if (entries.size > 0) holder.openNow();
      for (const { property, editor } of parts ?? []) {
        const own = entries.get(property.name);
        entries.delete(property.name);
        if (editor.write(own)) continue;
        editor.write(undefined);
        put(rest, property.name, own);
      }
      for (const [key, own] of entries) put(rest, key, own);
      return true;
    },
    check() {
      // What is optional and empty may lack what it requires.
      if (!facts.isRequired && read() === undefined) return [];
      return (parts ?? [])
        .filter(({ property }) => !Object.hasOwn(rest, property.name))
        .flatMap(({ editor }) => editor.check())
        .map((one) => (facts.isRoot ? one : { ...one, name: `${name}.${one.name}` }));
    },
  };
}

/** `__proto__` is a name like any other. */
const put = (object, name, value) =>
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });

function listEditor(name, field, facts, context) {
  const { words, changed } = context;
  let items = [];
  const list = make('div', { class: 'op-pg-items' });
  const addButton = button(
    words.add,
    () => {
      const item = add();
      item.editor.node.querySelector('input, select, textarea')?.focus();
      changed();
    },
    { class: 'op-button op-pg-small', 'aria-label': `${words.add}: ${name}` },
  );
  const holder = group(name, field, facts, context, (node) => node.append(list, addButton));
  if (facts.isRoot) holder.open();
  const add = () => {
    const at = items.length + 1;
    const item = {
      editor: makeEditor(`${name} ${at}`, field.items, { asText: facts.asText, isRequired: false }, context),
    };
    const remove = button(
      words.remove,
      () => {
        items = items.filter((other) => other !== item);
        item.node.remove();
        addButton.focus();
        changed();
      },
      { class: 'op-button op-pg-small', 'aria-label': `${words.remove}: ${name} ${at}` },
    );
    item.node = make('div', { class: 'op-pg-item', id: newId() }, item.editor.node, remove);
    items.push(item);
    list.append(item.node);
    return item;
  };
  const read = () => {
    const values = items.map(({ editor }) => editor.read()).filter((value) => value !== undefined);
    return values.length === 0 && !facts.isRequired ? undefined : values;
  };
  return {
    node: holder.node,
    read,
    write(value) {
      if (value !== undefined && !Array.isArray(value)) return false;
      items = [];
      list.replaceChildren();
      if (value === undefined) return true;
      if (value.length > 50) return false;
      holder.openNow();
      return value.every((own) => add().editor.write(own));
    },
    check: () => items.flatMap(({ editor }) => editor.check()),
  };
}
