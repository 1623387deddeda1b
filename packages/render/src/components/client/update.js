/* Filters of a changelog: updates that carry every chosen tag; `?tags=a,b` in the URL. */
const filters = document.getElementById('changelog-filters');
if (filters) {
  const buttons = [...filters.querySelectorAll('[data-tag]')];
  const clear = filters.querySelector('[data-clear]');
  const updates = [...document.querySelectorAll('.op-update')].map((update) => [
    update,
    readTexts(update.dataset.tags),
  ]);
  const asked = (/[?&]tags=([^&]*)/.exec(location.search)?.[1] ?? '').split(',').map((tag) => {
    try {
      return decodeURIComponent(tag.replaceAll('+', ' '));
    } catch {
      return tag;
    }
  });
  const chosen = new Set(asked.filter((tag) => buttons.some((button) => button.dataset.tag === tag)));
  const none = document.createElement('p');
  none.className = 'op-update-none';
  none.textContent = filters.dataset.none;
  none.hidden = true;
  updates[0]?.[0].before(none);

  const show = () => {
    let count = 0;
    for (const [update, tags] of updates) {
      update.hidden = [...chosen].some((tag) => !tags.includes(tag));
      if (!update.hidden) count++;
    }
    none.hidden = count > 0;
    clear.hidden = chosen.size === 0;
    for (const button of buttons) button.setAttribute('aria-pressed', String(chosen.has(button.dataset.tag)));
    refreshContents();
    return count;
  };
  const change = () => {
    const query = chosen.size === 0 ? '' : `?tags=${[...chosen].map(encodeURIComponent).join(',')}`;
    try {
      history.replaceState(history.state, '', location.pathname + query + location.hash);
    } catch {
      // Some browsers do not let pages from files change their URL.
    }
    announce(show() === 0 ? none.textContent : '');
  };
  for (const button of buttons) {
    button.addEventListener('click', () => {
      if (!chosen.delete(button.dataset.tag)) chosen.add(button.dataset.tag);
      change();
    });
  }
  const reset = () => {
    chosen.clear();
    change();
  };
  clear.addEventListener('click', () => {
    reset();
    buttons[0].focus();
  });
  document.addEventListener('offprint:reveal', ({ target }) => {
    if (target.closest('.op-update[hidden]')) reset();
  });
  if (chosen.size > 0) show();
}
