/* Elements of the playground. Text of descriptions and responses is only ever set as text. */

/**
 * An element with attributes and children; `false` and null leave an attribute or child out.
 * @param {string} tag
 * @param {Record<string, any>} [attributes] `on...` adds a listener.
 * @param {...(Node | string | null | false)} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}

/** Fills `{names}` of a text. */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

let count = 0;

/** An id that no other element of the page has. */
export function newId() {
  count++;
  return `op-playground-${count}`;
}

export function button(text, onclick, attributes = {}) {
  return make('button', { type: 'button', class: 'op-button', onclick, ...attributes }, text);
}

/** A select of `[value, text]` pairs. */
export function select(pairs, attributes) {
  const menu = make('select', { class: 'option-dropdown op-select op-pg-select', ...attributes });
  for (const [value, text] of pairs) menu.append(new Option(text, value));
  return menu;
}

/** A line of text to enter something, without the help that browsers offer for prose. */
export function textInput(attributes) {
  return make('input', {
    type: 'text',
    class: 'op-pg-input',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    ...attributes,
  });
}

/** A label above its control, with a hint and a place for errors below. */
export function row(label, control, { isRequired = false, type = '', hint = null, words, isCode = true }) {
  const target = control.matches('input, select, textarea') ? control : control.querySelector('input');
  target.id ||= newId();
  const about = shorten(hint);
  const note = about === '' ? null : make('p', { class: 'op-pg-hint', id: `${target.id}-hint` }, about);
  if (note !== null) target.setAttribute('aria-describedby', note.id);
  if (isRequired) target.setAttribute('aria-required', 'true');
  const error = make('p', { class: 'op-pg-error', id: `${target.id}-error`, hidden: true });
  const node = make(
    'div',
    { class: 'op-pg-row' },
    make(
      'div',
      { class: 'op-pg-label' },
      make('label', { for: target.id, class: isCode && 'op-pg-name' }, label),
      type !== '' && make('span', { class: 'op-pg-type' }, type),
      isRequired && make('span', { class: 'op-pg-required' }, words.required),
    ),
    control,
    error,
    note,
  );
  return { node, target, showError: (text) => showError(target, error, note, text) };
}

function showError(target, error, note, text) {
  error.hidden = text === null;
  error.textContent = text ?? '';
  if (text === null) target.removeAttribute('aria-invalid');
  else target.setAttribute('aria-invalid', 'true');
  const ids = [text === null ? null : error.id, note?.id].filter(Boolean).join(' ');
  if (ids === '') target.removeAttribute('aria-describedby');
  else target.setAttribute('aria-describedby', ids);
}

/** The first paragraph of a description, without the marks of Markdown. */
export function shorten(text) {
  const [first = ''] = (text ?? '').trim().split(/\n\s*\n/);
  const plain = first
    .replace(/<[^>]*>/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_]{2}|`/g, '')
    .replace(/\s+/g, ' ');
  return plain.length > 220 ? `${plain.slice(0, 217).trimEnd()}…` : plain;
}

/** A secret: hidden until the reader asks for it. */
export function secretInput(words, attributes) {
  const input = textInput({ ...attributes, type: 'password', autocomplete: 'off' });
  const show = button(
    words.show,
    () => {
      const isHidden = input.type === 'password';
      input.type = isHidden ? 'text' : 'password';
      show.textContent = isHidden ? words.hide : words.show;
    },
    { class: 'op-button op-pg-small', 'aria-label': `${words.show}: ${attributes['aria-label'] ?? ''}` },
  );
  const node = make('div', { class: 'op-pg-joined' }, input, show);
  return { node, input };
}

/** Writes into the clipboard; rejects if the browser does not allow it. */
export function copyText(text, near) {
  if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
  const area = make('textarea', { class: 'sr-only', readonly: true });
  area.value = text;
  // Inside of the dialog: nothing outside of it can be selected.
  near.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone ? Promise.resolve() : Promise.reject(new Error('copying is not allowed here'));
}

/** A button that copies what `read` returns. */
export function copyButton(words, read, label = words.copy) {
  const element = button(
    label,
    async () => {
      try {
        await copyText(read(), element.parentElement);
        element.textContent = words.copied;
      } catch {
        element.textContent = words.copyFailed;
      }
      setTimeout(() => {
        element.textContent = label;
      }, 1500);
    },
    { class: 'op-button op-pg-small' },
  );
  return element;
}
