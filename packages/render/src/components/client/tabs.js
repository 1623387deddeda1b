/* Tabs and code groups: the tabs pattern of the ARIA APG; groups follow each other by label, over pages too. */
const memory = 'offprint:tabs';
const tabsOf = (group) => [...group.querySelectorAll(':scope > [role=tablist] > [role=tab]')];
const groupOf = (tab) => tab.closest('[data-op-tabs]');

const select = (tab) => {
  const group = groupOf(tab);
  for (const other of tabsOf(group)) {
    const isOpen = other === tab;
    const panel = document.getElementById(other.getAttribute('aria-controls'));
    other.setAttribute('aria-selected', String(isOpen));
    other.tabIndex = isOpen ? 0 : -1;
    if (isOpen) other.setAttribute('data-active', 'true');
    else other.removeAttribute('data-active');
    if (isOpen) panel?.removeAttribute('hidden');
    else panel?.setAttribute('hidden', 'until-found');
  }
  const menu = group.querySelector(':scope > .op-code-group-choice > select');
  if (menu) menu.value = tab.id;
  const list = tab.parentElement;
  if (list.scrollWidth > list.clientWidth)
    list.scrollLeft = tab.offsetLeft - list.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
};

/** Opens the tab of that label in all groups that follow each other. */
const follow = (label, except = null) => {
  each(document, '[data-op-tabs][data-op-sync]', (group) => {
    if (group === except) return;
    const twin = tabsOf(group).find((other) => other.dataset.label === label);
    if (twin && twin.getAttribute('aria-selected') !== 'true') select(twin);
  });
};

/** What a reader does: the place on the screen stays, the label is remembered, a tab gets its URL. */
const choose = (tab) => {
  const before = tab.getBoundingClientRect().top;
  const group = groupOf(tab);
  select(tab);
  if (group.hasAttribute('data-op-sync')) {
    follow(tab.dataset.label, group);
    rememberChoice(memory, tab.dataset.label);
  }
  if (group.matches('.op-tabs')) setHash(tab.id);
  const moved = tab.getBoundingClientRect().top - before;
  if (moved !== 0) window.scrollBy({ top: moved, behavior: 'instant' });
};

document.addEventListener('click', ({ target }) => {
  const tab = target.closest?.('[role=tab]');
  if (tab && groupOf(tab)) choose(tab);
});

document.addEventListener('keydown', (event) => {
  const tab = event.target.closest?.('[data-op-tabs] > [role=tablist] > [role=tab]');
  if (!tab || event.ctrlKey || event.metaKey || event.altKey) return;
  const tabs = tabsOf(groupOf(tab));
  const forward = getComputedStyle(tab).direction === 'rtl' ? -1 : 1;
  const steps = { ArrowRight: forward, ArrowLeft: -forward };
  let next;
  if (event.key in steps) next = tabs.at((tabs.indexOf(tab) + steps[event.key]) % tabs.length);
  else if (event.key === 'Home') next = tabs[0];
  else if (event.key === 'End') next = tabs.at(-1);
  if (!next) return;
  event.preventDefault();
  choose(next);
  next.focus();
});

document.addEventListener('offprint:reveal', ({ target }) => {
  if (target.matches('[data-op-tabs] [role=tab]')) {
    select(target);
    if (groupOf(target).hasAttribute('data-op-sync')) follow(target.dataset.label, groupOf(target));
  }
  for (let at = target.closest('.op-tab-panel'); at; at = at.parentElement.closest('.op-tab-panel')) {
    const tab = document.getElementById(at.getAttribute('aria-labelledby'));
    if (tab && at.hasAttribute('hidden')) select(tab);
  }
});

each(document, '.code-group-dropdown[data-op-tabs]', (group) => {
  const tabs = tabsOf(group);
  if (tabs.length < 2) return;
  const options = tabs.map((tab) => [tab.id, tab.dataset.label]);
  const menu = makeSelect(words.language, options);
  menu.value = tabs.find((tab) => tab.tabIndex === 0)?.id ?? menu.value;
  menu.addEventListener('change', () => choose(document.getElementById(menu.value)));
  const holder = document.createElement('div');
  holder.className = 'op-code-group-choice';
  holder.append(menu);
  const list = group.querySelector(':scope > [role=tablist]');
  list.before(holder);
  list.classList.add('op-replaced');
  each(group, ':scope > [role=tabpanel]', (panel) => panel.setAttribute('role', 'group'));
});

if (document.querySelector('[data-op-tabs][data-op-sync]')) {
  for (const label of readChoices(memory).reverse()) follow(label);
}
