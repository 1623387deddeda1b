/* The body of the request, in one of its content types. */
import { button, make, row, select } from './dom.js';
import { jsonEditor, makeEditor, textEditor } from './editors.js';

const isJson = (type) => /[/+]json\b/i.test(type);
const isForm = (type) => /^(?:application\/x-www-form-urlencoded|multipart\/)/i.test(type);

/** @returns {{ node: Node, read(): any, fillIn(initial: (field: any) => unknown): void, check(): any[] }} */
export function makeBody({ bodies, isBodyRequired }, context) {
  const { words, changed } = context;
  const holder = make('div');
  const pairs = bodies.map(({ type }, at) => [String(at), type]);
  const menu = select(pairs, {
    onchange: () => {
      show();
      changed();
    },
  });
  /** Editors by content type: switching back shows what was entered. */
  const editors = new Map();
  let initialOf = () => undefined;
  const current = () => bodies[Number(menu.value)];
  const editor = () => {
    const body = current();
    if (!editors.has(body)) {
      const made = editorOf(body, isBodyRequired, context);
      if (!made.write(initialOf(body.field))) made.write(undefined);
      editors.set(body, made);
    }
    return editors.get(body);
  };
  const show = () => holder.replaceChildren(editor().node);
  show();
  return {
    node: make(
      'div',
      { class: 'op-pg-group op-pg-root' },
      row(words.contentType, menu, { words, isCode: false }).node,
      holder,
    ),
    read() {
      const value = editor().read();
      return value === undefined ? null : { type: current().type, value };
    },
    fillIn(initial) {
      initialOf = initial;
      menu.value = '0';
      editors.clear();
      show();
    },
    check: () => editor().check(),
  };
}

function editorOf({ type, field }, isRequired, context) {
  const { words } = context;
  const facts = { isRequired, isRoot: true };
  if (isJson(type)) return structuredEditor(field, facts, context);
  if (isForm(type)) {
    if (field.properties) return makeEditor(words.body, field, { ...facts, isForm: true }, context);
    return jsonEditor(words.body, { ...field, type: 'object' }, { ...facts, asText: true }, context);
  }
  if (field.type === 'file') return makeEditor(words.file, field, facts, context);
  return textEditor(words.body, field, facts, context);
}

/** A form for what the schema knows, and JSON for everything. */
function structuredEditor(field, facts, context) {
  const { words, changed } = context;
  const text = jsonEditor(words.body, field, facts, context);
  const hasForm =
    (field.type === 'object' && field.properties?.length > 0) || (field.type === 'array' && field.items);
  if (!hasForm) return text;
  const form = makeEditor(words.body, field, facts, context);
  const note = make('p', { class: 'op-pg-error', role: 'alert' });
  let shown = form;
  const toggle = button(words.asJson, () => switchTo(shown === form ? text : form), {
    class: 'op-button op-pg-small op-pg-switch',
  });
  const node = make('div', { class: 'op-pg-group op-pg-root' }, toggle, note, form.node, text.node);
  const show = (next) => {
    shown = next;
    form.node.hidden = shown !== form;
    text.node.hidden = shown === form;
    toggle.textContent = shown === form ? words.asJson : words.asForm;
    note.textContent = '';
  };
  const switchTo = (next) => {
    if (next === text) text.write(form.read());
    else {
      const isInvalid = text.check().some(({ kind }) => kind === 'invalid');
      if (isInvalid || !form.write(text.read())) {
        note.textContent = words.asFormFailed;
        return;
      }
    }
    show(next);
    changed();
  };
  show(form);
  return {
    node,
    read: () => shown.read(),
    write(value) {
      const isShown = form.write(value);
      if (!isShown) {
        form.write(undefined);
        text.write(value);
      }
      show(isShown ? form : text);
      return true;
    },
    check: () => shown.check(),
  };
}
