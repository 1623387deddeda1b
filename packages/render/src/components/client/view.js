/* Views and variations: a page-level choice, remembered over pages. */
const views = [...document.querySelectorAll(':is(.op-view, .op-view-part)[data-view]')];
const variations = [...document.querySelectorAll('.op-variation[data-variation]')].map((part) => [
  part,
  readTexts(part.dataset.variation),
]);

const toggle = (part, isShown) => {
  if (isShown) part.removeAttribute('hidden');
  else part.setAttribute('hidden', 'until-found');
};

const kinds = {
  view: {
    options: () => [...new Set(views.map((view) => view.dataset.view))].map((name) => [name, name]),
    show: (name) => {
      for (const view of views) toggle(view, view.dataset.view === name);
    },
    nameOf: (part) => part.dataset.view,
  },
  variation: {
    options: (holder) => readTexts(holder.dataset.options),
    show: (name) => {
      for (const [part, names] of variations) toggle(part, names.includes(name));
    },
    nameOf: (part) => readTexts(part.dataset.variation)[0],
  },
};

each(document, ':is(.op-view-choice[data-choice=view], .op-view-choice[data-choice=variation])', (holder) => {
  const kind = holder.dataset.choice;
  const { options, show, nameOf } = kinds[kind];
  const offered = options(holder);
  if (offered.length < 2) return holder.remove();
  const menu = makeSelect(holder.dataset.label, offered);
  menu.classList.add('multi-view-dropdown-trigger');
  for (const option of menu.options) option.className = 'multi-view-dropdown-item';
  const icon = document.createElement('span');
  icon.className = 'op-view-choice-icon';
  holder.append(icon, menu);
  const pick = (name) => {
    menu.value = name;
    show(name);
    const sign = views
      .find((view) => view.dataset.view === name)
      ?.querySelector(':scope > .op-view-label > .op-icon');
    icon.replaceChildren(...(kind === 'view' && sign ? [sign.cloneNode(true)] : []));
    refreshContents();
  };
  const memory = `offprint:${kind}`;
  menu.addEventListener('change', () => {
    pick(menu.value);
    rememberChoice(memory, menu.value);
  });
  document.addEventListener('offprint:reveal', ({ target }) => {
    const part = target.closest(`.op-${kind}[data-${kind}][hidden]`);
    if (part) pick(nameOf(part));
  });
  pick(readChoices(memory).find((name) => offered.some(([id]) => id === name)) ?? offered[0][0]);
});
