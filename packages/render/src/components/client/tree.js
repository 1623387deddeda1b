/* File trees: the tree pattern of the ARIA APG, with one stop for the Tab key and type-ahead. */
const itemsOf = (tree) =>
  [...tree.querySelectorAll('[role=treeitem]')].filter((item) => !item.closest('[hidden]'));
const groupOf = (item) => item.nextElementSibling;
const parentOf = (item) => item.closest('[role=group]')?.previousElementSibling;

const open = (item, isOpen) => {
  if (!item.hasAttribute('aria-expanded') || !groupOf(item)) return;
  item.setAttribute('aria-expanded', String(isOpen));
  if (isOpen) groupOf(item).removeAttribute('hidden');
  else groupOf(item).setAttribute('hidden', 'until-found');
};
const isOpen = (item) => item.getAttribute('aria-expanded') === 'true';

const moveTo = (tree, item) => {
  if (!item) return;
  for (const other of tree.querySelectorAll('[role=treeitem][tabindex="0"]')) other.tabIndex = -1;
  item.tabIndex = 0;
  item.focus();
};

const openAll = (item) => {
  for (const entry of item.closest('ul').children) {
    const one = entry.querySelector(':scope > [role=treeitem]');
    if (one) open(one, true);
  }
};

let typed = '';
let timer;
const search = (tree, item, key) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    typed = '';
  }, 600);
  typed += key.toLowerCase();
  // One letter again and again goes through all that start with it.
  const isOne = new Set(typed).size === 1;
  const start = isOne ? typed[0] : typed;
  const items = itemsOf(tree);
  const from = items.indexOf(item) + (isOne ? 1 : 0);
  const nameOf = (one) => one.textContent.trim().toLowerCase();
  moveTo(
    tree,
    [...items.slice(from), ...items.slice(0, from)].find((one) => nameOf(one).startsWith(start)),
  );
};

/** Where a key leads or what it does; returns false for keys that are not of the tree. */
const act = (tree, item, key) => {
  const items = itemsOf(tree);
  const at = items.indexOf(item);
  const isRightToLeft = getComputedStyle(item).direction === 'rtl';
  const forward = isRightToLeft ? 'ArrowLeft' : 'ArrowRight';
  const back = isRightToLeft ? 'ArrowRight' : 'ArrowLeft';
  if (key === 'ArrowDown') moveTo(tree, items[at + 1]);
  else if (key === 'ArrowUp') moveTo(tree, items[at - 1]);
  else if (key === 'Home') moveTo(tree, items[0]);
  else if (key === 'End') moveTo(tree, items.at(-1));
  else if (key === forward) {
    if (item.hasAttribute('aria-expanded') && !isOpen(item)) open(item, true);
    else moveTo(tree, groupOf(item)?.querySelector('[role=treeitem]'));
  } else if (key === back) {
    if (isOpen(item)) open(item, false);
    else moveTo(tree, parentOf(item));
  } else if (key === 'Enter' || key === ' ') open(item, !isOpen(item));
  else if (key === '*') openAll(item);
  else if (key.length === 1) search(tree, item, key);
  else return false;
  return true;
};

setUp('[role=tree].op-tree', (tree) => {
  for (const item of tree.querySelectorAll('[role=treeitem]')) item.tabIndex = -1;
  const first = tree.querySelector('[role=treeitem]');
  if (first) first.tabIndex = 0;
  tree.addEventListener('click', ({ target }) => {
    const item = target.closest('[role=treeitem]');
    if (!item) return;
    open(item, !isOpen(item));
    moveTo(tree, item);
  });
  tree.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (act(tree, event.target.closest('[role=treeitem]'), event.key)) event.preventDefault();
  });
});

document.addEventListener('offprint:reveal', ({ target }) => {
  for (
    let at = target.closest('.op-tree [role=group]');
    at;
    at = at.parentElement.closest('.op-tree [role=group]')
  )
    open(at.previousElementSibling, true);
});
