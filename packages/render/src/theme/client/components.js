// Behaviour of the built-in components. Pages read without it; it makes tabs switch, remembers the chosen label,
// opens what a hash points into, copies code, filters updates and offers views.
(() => {
  const memory = 'offprint:tabs';

  /** Words in the language of the page; English pages bring none. */
  const words = {
    copied: 'Copied',
    showAllLines: 'Show all lines',
    showFewerLines: 'Show fewer lines',
    language: 'Language',
    view: 'View',
    filterByTag: 'Filter by tag',
    ...JSON.parse(document.getElementById('content')?.dataset.words ?? '{}'),
  };

  const each = (root, selector, act) => root.querySelectorAll(selector).forEach(act);
  const tabsOf = (group) => [...group.querySelectorAll(':scope > [role=tablist] > [role=tab]')];

  function readChosen() {
    try {
      const list = JSON.parse(localStorage.getItem(memory) ?? '[]');
      return Array.isArray(list) ? list.filter((label) => typeof label === 'string') : [];
    } catch {
      return [];
    }
  }

  function remember(label) {
    try {
      localStorage.setItem(
        memory,
        JSON.stringify([label, ...readChosen().filter((other) => other !== label)].slice(0, 20)),
      );
    } catch {
      // Storage is closed to pages from files in some browsers; the choice then lasts for this page.
    }
  }

  function select(tab) {
    const group = tab.closest('[data-tabs]');
    for (const other of tabsOf(group)) {
      const isOpen = other === tab;
      const panel = document.getElementById(other.getAttribute('aria-controls'));
      other.setAttribute('aria-selected', String(isOpen));
      other.tabIndex = isOpen ? 0 : -1;
      other.toggleAttribute('data-active', isOpen);
      if (isOpen) panel?.removeAttribute('hidden');
      else panel?.setAttribute('hidden', 'until-found');
    }
    const menu = group.querySelector(':scope > .code-group-choice > select');
    if (menu) menu.value = tab.id;
  }

  /** Opens the tabs of that label in all groups that follow each other, keeping the place on the screen. */
  function choose(tab) {
    const before = tab.getBoundingClientRect().top;
    select(tab);
    const label = tab.dataset.label;
    if (tab.closest('[data-tabs]').hasAttribute('data-sync')) {
      each(document, '[data-tabs][data-sync]', (group) => {
        const twin = tabsOf(group).find((other) => other.dataset.label === label);
        if (twin && twin !== tab) select(twin);
      });
      remember(label);
    }
    const moved = tab.getBoundingClientRect().top - before;
    if (moved !== 0) window.scrollBy({ top: moved, behavior: 'instant' });
  }

  function moveFocus(event) {
    const tab = event.target.closest?.('[role=tab]');
    if (!tab || event.ctrlKey || event.metaKey || event.altKey) return;
    const tabs = tabsOf(tab.closest('[data-tabs]'));
    const isRightToLeft = getComputedStyle(tab).direction === 'rtl';
    const steps = { ArrowRight: isRightToLeft ? -1 : 1, ArrowLeft: isRightToLeft ? 1 : -1 };
    const at = tabs.indexOf(tab);
    let next;
    if (event.key in steps) next = tabs[(at + steps[event.key] + tabs.length) % tabs.length];
    else if (event.key === 'Home') next = tabs[0];
    else if (event.key === 'End') next = tabs.at(-1);
    if (!next) return;
    event.preventDefault();
    choose(next);
    next.focus();
  }

  /** Opens every panel, disclosure and view around an element, and the element itself. */
  function reveal(element) {
    for (let at = element; at; at = at.parentElement) {
      if (at.localName === 'details') at.open = true;
      if (at.matches('[role=tabpanel]')) {
        const tab = document.getElementById(at.getAttribute('aria-labelledby'));
        if (tab) select(tab);
      }
      if (at.matches('.view[hidden]')) showView(at.dataset.view);
    }
    if (element.matches('[role=tab]')) select(element);
  }

  function revealHash() {
    const id = location.hash.slice(1);
    if (id === '') return;
    let element = document.getElementById(id);
    try {
      element ??= document.getElementById(decodeURIComponent(id));
    } catch {
      return;
    }
    if (!element) return;
    reveal(element);
    element.scrollIntoView();
  }

  function noteHash(details) {
    if (!details.id || !details.matches('.accordion')) return;
    const hash = `#${encodeURI(details.id)}`;
    if (details.open) history.replaceState(history.state, '', hash);
    else if (location.hash === hash)
      history.replaceState(history.state, '', location.pathname + location.search);
  }

  function copyText(text) {
    if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'copy-area';
    area.setAttribute('readonly', '');
    document.body.append(area);
    area.select();
    const isDone = document.execCommand('copy');
    area.remove();
    return isDone ? Promise.resolve() : Promise.reject(new Error('copying is not allowed here'));
  }

  function textToCopy(button) {
    if (button.dataset.copy) return button.dataset.copy;
    const code = button.closest('[data-copy-root], .code-block')?.querySelector('code');
    if (!code) return '';
    const lines = [...code.querySelectorAll(':scope > .line')];
    if (lines.length === 0) return code.textContent;
    return lines
      .filter((line) => !line.classList.contains('del'))
      .map((line) => line.textContent)
      .join('');
  }

  function copy(button) {
    const name = button.getAttribute('aria-label');
    const text = button.textContent;
    copyText(textToCopy(button)).then(
      () => {
        if (button.hasAttribute('data-copied')) return;
        button.setAttribute('data-copied', '');
        if (name !== null) button.setAttribute('aria-label', words.copied);
        if (button.dataset.copyLabel) button.textContent = button.dataset.copyLabel;
        setTimeout(() => {
          button.removeAttribute('data-copied');
          if (name !== null) button.setAttribute('aria-label', name);
          if (button.dataset.copyLabel) button.textContent = text;
        }, 1500);
      },
      () => {},
    );
  }

  function openAll(button) {
    const block = button.closest('.code-block');
    const isOpen = block.toggleAttribute('data-open');
    button.textContent = isOpen ? words.showFewerLines : words.showAllLines;
    button.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) block.scrollIntoView({ block: 'nearest' });
  }

  function makeSelect(label, options) {
    const menu = document.createElement('select');
    menu.className = 'select';
    menu.setAttribute('aria-label', label);
    for (const [value, text] of options) menu.append(new Option(text, value));
    return menu;
  }

  function setUpDropdown(group) {
    const tabs = tabsOf(group);
    const menu = makeSelect(
      words.language,
      tabs.map((tab) => [tab.id, tab.dataset.label]),
    );
    menu.addEventListener('change', () => choose(document.getElementById(menu.value)));
    const list = group.querySelector(':scope > [role=tablist]');
    const holder = document.createElement('div');
    holder.className = 'code-group-choice';
    holder.append(menu);
    list.before(holder);
    list.classList.add('replaced');
    each(group, ':scope > [role=tabpanel]', (panel) => panel.setAttribute('role', 'group'));
  }

  function showView(name) {
    each(document, '.view', (view) => {
      view.hidden = view.dataset.view !== name;
    });
    each(document, '.view-choice select', (menu) => {
      menu.value = name;
    });
    document.dispatchEvent(new CustomEvent('offprint:view', { detail: name }));
  }

  function setUpViews() {
    const views = [...document.querySelectorAll('.view')];
    const names = [...new Set(views.map((view) => view.dataset.view))];
    if (names.length < 2) return;
    const holder = document.createElement('div');
    holder.className = 'view-choice multi-view-dropdown';
    holder.id = 'multi-view-dropdown';
    const menu = makeSelect(
      words.view,
      names.map((name) => [name, name]),
    );
    menu.addEventListener('change', () => showView(menu.value));
    holder.append(menu);
    views[0].before(holder);
    document.documentElement.setAttribute('data-views', '');
    showView(names[0]);
  }

  function setUpFilters() {
    const updates = [...document.querySelectorAll('.update[data-tags]')];
    if (updates.length === 0) return;
    const tagsOf = new Map(updates.map((update) => [update, JSON.parse(update.dataset.tags)]));
    const names = [...new Set([...tagsOf.values()].flat())];
    const chosen = new Set(
      (new URLSearchParams(location.search).get('tags') ?? '')
        .split(',')
        .filter((tag) => names.includes(tag)),
    );
    const bar = document.createElement('div');
    bar.id = 'changelog-filters';
    bar.className = 'update-filters';
    bar.setAttribute('role', 'group');
    bar.setAttribute('aria-label', words.filterByTag);
    const show = () => {
      each(document, '.update', (update) => {
        const tags = tagsOf.get(update) ?? [];
        update.hidden = [...chosen].some((tag) => !tags.includes(tag));
      });
      each(bar, 'button', (button) =>
        button.setAttribute('aria-pressed', String(chosen.has(button.textContent))),
      );
    };
    for (const name of names) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'button';
      button.textContent = name;
      button.addEventListener('click', () => {
        if (!chosen.delete(name)) chosen.add(name);
        const query = chosen.size === 0 ? '' : `?tags=${encodeURIComponent([...chosen].join(','))}`;
        history.replaceState(history.state, '', location.pathname + query + location.hash);
        show();
      });
      bar.append(button);
    }
    document.querySelector('.update').before(bar);
    show();
  }

  document.addEventListener('click', (event) => {
    const target = event.target.closest?.('[role=tab], [data-copy], [data-expand]');
    if (!target) return;
    if (target.matches('[role=tab]')) choose(target);
    else if (target.matches('[data-copy]')) copy(target);
    else openAll(target);
  });
  document.addEventListener('keydown', (event) => {
    moveFocus(event);
    if (event.key === 'Escape')
      each(document, '[data-tooltip]:is(:hover, :focus-within)', (tip) =>
        tip.setAttribute('data-dismissed', ''),
      );
  });
  const forget = (event) => event.target.closest?.('[data-dismissed]')?.removeAttribute('data-dismissed');
  document.addEventListener('focusout', forget);
  document.addEventListener('mouseout', (event) => {
    const tip = event.target.closest?.('[data-dismissed]');
    if (tip && !tip.contains(event.relatedTarget)) forget(event);
  });
  document.addEventListener('beforematch', (event) => reveal(event.target));
  document.addEventListener('click', (event) => {
    const summary = event.target.closest?.('summary');
    if (summary) setTimeout(() => noteHash(summary.parentElement));
  });
  addEventListener('hashchange', revealHash);

  each(document, '.code-group-dropdown[data-tabs]', setUpDropdown);
  for (const label of readChosen().reverse()) {
    each(document, '[data-tabs][data-sync]', (group) => {
      const tab = tabsOf(group).find((other) => other.dataset.label === label);
      if (tab) select(tab);
    });
  }
  setUpViews();
  setUpFilters();
  revealHash();
})();
