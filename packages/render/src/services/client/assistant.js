/* Opens the assistant, which is loaded with its first use. Knows `offprintPanel`: its files and its name by language. */
const { src } = document.currentScript;
const { lang, dataset } = document.documentElement;
const { script, sheet, names } = offprintPanel;
const tag = lang.toLowerCase();
const label = names[tag] ?? names[tag.split('-')[0]] ?? names.en;
let loading = null;

const add = (name, values) =>
  new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(name), values);
    element.onload = resolve;
    element.onerror = reject;
    document.head.append(element);
  });
const load = () => {
  loading ??= Promise.all([
    add('script', { src: new URL(script, src).href }),
    add('link', { rel: 'stylesheet', href: new URL(sheet, src).href }),
  ]);
  loading.catch(() => {
    loading = null;
  });
  return loading;
};

/* Text that the reader has selected on the page is part of the question. */
const selected = () => {
  const selection = getSelection();
  const value = String(selection ?? '')
    .trim()
    .slice(0, 8000);
  const node = selection?.anchorNode;
  const element = node?.nodeType === 1 ? node : node?.parentElement;
  if (!value || !element?.closest('#content')) return null;
  return { type: element.closest('pre') ? 'code' : 'textSelection', value, path: dataset.currentPath };
};

const button = document.createElement('button');
const open = async (text = '', isRestored = false, opener = button) => {
  const context = selected();
  try {
    await load();
    const root = new URL('assistant/', src).href;
    window.offprintAssistant.open({ root, text, context, opener, isRestored });
  } catch {
    button.textContent = label;
  }
};

button.type = 'button';
button.className = 'op-assistant-open';
button.setAttribute('aria-haspopup', 'dialog');
button.setAttribute('aria-keyshortcuts', 'Control+I Meta+I');
button.append(Object.assign(document.createElement('span'), { textContent: label }));
button.setAttribute('data-op-assistant', '');
document.body.append(button);

const openerOf = ({ target }) => target.closest?.('[data-op-assistant]');
/* A press would take the selection away. */
document.addEventListener('pointerdown', (event) => {
  if (openerOf(event)) event.preventDefault();
});
document.addEventListener('click', (event) => {
  const opener = openerOf(event);
  /* An entry of a menu is hidden by now; its menu has given the focus back. */
  if (opener) open('', false, opener.closest('[role="menu"]') ? document.activeElement : opener);
});
document.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, shiftKey, altKey, target, isComposing } = event;
  if (key.toLowerCase() !== 'i' || ctrlKey === metaKey || shiftKey || altKey || isComposing) return;
  const isEdited = target.closest?.('input, textarea, select, [contenteditable]');
  if (isEdited && target.id !== 'op-assistant-input') return;
  event.preventDefault();
  open();
});

const asked = new URLSearchParams(location.search).get('assistant');
let isOpen = false;
try {
  isOpen = JSON.parse(sessionStorage.getItem('offprint-assistant'))?.isOpen === true;
} catch {
  // Without storage, a conversation ends with its page.
}
/* The question of a link is filled in and not sent: links of others must not ask for a reader. */
if (dataset.widget !== undefined || asked !== null) open(asked ?? '');
else if (isOpen && innerWidth > 1200) open('', true);
