/* Groups of the sidebar that open and close, and the sidebar as a sheet on small screens. */
const sidebar = document.getElementById('sidebar');
const content = document.getElementById('sidebar-content');
const button = document.getElementById('menu-button');

sidebar?.addEventListener('click', (event) => {
  const toggle = event.target.closest('.op-sidebar-toggle');
  if (!toggle) return;
  const list = toggle.closest('.op-sidebar-subgroup')?.querySelector(':scope > .op-sidebar-list');
  if (!list) return;
  const open = toggle.getAttribute('aria-expanded') !== 'true';
  // A toggle with a URL leads to the first page of its group; only closing stays here.
  if (toggle.href) {
    if (open && toggle.href !== location.href.split('#')[0]) return;
    event.preventDefault();
  }
  toggle.setAttribute('aria-expanded', String(open));
  list.hidden = !open;
});

if (sidebar && content && button) {
  let backdrop = null;
  const outside = () =>
    [...document.body.children]
      .flatMap((child) =>
        child.id === 'body-content' ? [...child.children].filter((inner) => inner !== sidebar) : [child],
      )
      .filter((child) => child !== backdrop && child.tagName !== 'SCRIPT');

  const close = () => {
    if (!backdrop) return;
    sidebar.removeAttribute('data-open');
    sidebar.removeAttribute('role');
    sidebar.removeAttribute('aria-modal');
    sidebar.removeAttribute('aria-label');
    for (const part of outside()) part.inert = false;
    backdrop.remove();
    backdrop = null;
    button.setAttribute('aria-expanded', 'false');
    button.focus();
  };

  const top = () => {
    let bar = sidebar.querySelector('.op-sheet-top');
    if (bar) return bar;
    bar = document.createElement('div');
    bar.className = 'op-sheet-top';
    const shut = document.createElement('button');
    shut.type = 'button';
    shut.className = 'op-icon-button';
    shut.setAttribute('aria-label', button.dataset.close ?? 'Close');
    shut.textContent = '✕';
    shut.addEventListener('click', close);
    const logo = document.querySelector('.op-nav-logo');
    if (logo) bar.append(logo.cloneNode(true));
    bar.append(shut);
    const links = document.createElement('ul');
    links.className = 'op-sheet-links';
    for (const link of document.querySelectorAll('.op-navbar-links a')) {
      const item = document.createElement('li');
      const twin = link.cloneNode(true);
      const name = twin.getAttribute('aria-label');
      if (name) twin.append(name);
      item.append(twin);
      links.append(item);
    }
    const selectors = [...document.querySelectorAll('.op-navbar-selector')].map((one) => one.cloneNode(true));
    for (const selector of selectors) selector.className = 'op-selector op-sidebar-selector sheet-selector';
    sidebar.prepend(bar);
    content.prepend(...selectors);
    if (links.childElementCount > 0) content.append(links);
    return bar;
  };

  const open = () => {
    loadNavigation();
    const bar = top();
    backdrop = document.createElement('div');
    backdrop.className = 'op-sheet-backdrop';
    backdrop.addEventListener('click', close);
    document.body.append(backdrop);
    for (const part of outside()) part.inert = true;
    sidebar.setAttribute('data-open', '');
    sidebar.setAttribute('role', 'dialog');
    sidebar.setAttribute('aria-modal', 'true');
    sidebar.setAttribute('aria-label', button.getAttribute('aria-label'));
    button.setAttribute('aria-expanded', 'true');
    bar.querySelector('button').focus();
    const active = content.querySelector('#navigation-items [aria-current]');
    const frame = content.getBoundingClientRect();
    const row = active?.getBoundingClientRect();
    if (row && row.bottom > frame.bottom - 24) content.scrollTop += row.top - frame.top - frame.height / 3;
  };

  button.addEventListener('click', open);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    if (event.key !== 'Tab' || !backdrop) return;
    const stops = [...sidebar.querySelectorAll('a[href], button, summary')].filter((stop) =>
      stop.checkVisibility(),
    );
    const [first] = stops;
    const last = stops.at(-1);
    if (event.shiftKey ? document.activeElement === first : document.activeElement === last) {
      (event.shiftKey ? last : first).focus();
      event.preventDefault();
    }
  });
  wide.addEventListener('change', () => {
    if (!wide.matches || !backdrop) return;
    close();
    for (const part of sidebar.querySelectorAll('.op-sheet-top, .sheet-selector, .op-sheet-links'))
      part.remove();
  });
}
