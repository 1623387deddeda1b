/*
 * The preview in the browser: applies changes of the source and shows its problems. Runs before the scripts of the
 * page, so that their listeners can be removed when the page is replaced.
 */
(() => {
  const own = document.currentScript;
  const base = new URL('.', own.src);
  const { editor } = own.dataset;
  const { output, scripts } = own.dataset;
  let { preview: digest, navigation } = own.dataset;
  const listen = EventTarget.prototype.addEventListener;
  const on = (target, type, act) => listen.call(target, type, act);

  // --- Listeners of the page -------------------------------------------------------------------------------------

  let life = new AbortController();
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const given = typeof options === 'object' && options !== null ? options : { capture: options === true };
    return listen.call(this, type, listener, given.signal ? given : { ...given, signal: life.signal });
  };

  // --- State of the page -----------------------------------------------------------------------------------------

  /** Names elements so that the names stay stable when other text changes: the id, or the label with a counter. */
  const nameAll = (selector) => {
    const counts = new Map();
    const named = new Map();
    for (const element of document.body.querySelectorAll(selector)) {
      const label = element.id
        ? `#${element.id}`
        : `${element.localName}:${element.textContent.trim().slice(0, 80)}`;
      const count = counts.get(label) ?? 0;
      counts.set(label, count + 1);
      named.set(`${label}:${count}`, element);
    }
    return named;
  };
  const toggles = () => nameAll('[aria-expanded]:not([aria-haspopup], [role=combobox])');
  const disclosures = () => {
    const named = new Map();
    for (const [name, summary] of nameAll('details > summary')) {
      named.set(summary.parentElement.id ? `#${summary.parentElement.id}` : name, summary.parentElement);
    }
    return named;
  };
  const tabs = () => nameAll('[role=tab]');
  const stops = () => nameAll('a[href], button, input, select, textarea, summary, [tabindex]');
  const keysWhere = (named, holds) => [...named].filter(([, element]) => holds(element)).map(([key]) => key);
  const isExpanded = (element) => element.getAttribute('aria-expanded') === 'true';
  const isSelected = (element) => element.getAttribute('aria-selected') === 'true';

  /** The heading above the visible text, to keep the scroll position when text above it changes. */
  const findAnchor = () => {
    let found = null;
    for (const heading of document.querySelectorAll('#content :is(h1, h2, h3, h4, h5, h6)[id]')) {
      if (heading.getBoundingClientRect().top > innerHeight / 3) break;
      found = heading;
    }
    return found === null ? null : { id: found.id, top: found.getBoundingClientRect().top };
  };

  const readState = () => ({
    scroll: scrollY,
    anchor: findAnchor(),
    sidebar: document.getElementById('sidebar-content')?.scrollTop ?? 0,
    open: keysWhere(disclosures(), (details) => details.open),
    closed: keysWhere(disclosures(), (details) => !details.open),
    expanded: keysWhere(toggles(), isExpanded),
    tabs: keysWhere(tabs(), isSelected),
    selects: [...nameAll('select')].map(([key, menu]) => [key, menu.value]),
    focus: keysWhere(stops(), (element) => element === document.activeElement)[0] ?? null,
  });

  const restoreOpen = (state) => {
    const details = disclosures();
    for (const key of state.open) if (details.has(key)) details.get(key).open = true;
    for (const key of state.closed) if (details.has(key)) details.get(key).open = false;
  };
  const restoreScroll = (state) => {
    const heading = state.anchor === null ? null : document.getElementById(state.anchor.id);
    const top =
      heading === null ? state.scroll : scrollY + heading.getBoundingClientRect().top - state.anchor.top;
    window.scrollTo({ top: state.scroll === 0 ? 0 : top, behavior: 'instant' });
    const sidebar = document.getElementById('sidebar-content');
    if (sidebar) sidebar.scrollTop = state.sidebar;
  };
  /** Restores the state that requires the scripts of the page. */
  const restoreRest = (state) => {
    const press = (named, keys, holds) => {
      for (const key of keys) {
        const element = named.get(key);
        if (element && !holds(element)) element.click();
      }
    };
    press(tabs(), state.tabs, isSelected);
    press(toggles(), state.expanded, isExpanded);
    for (const [key, value] of state.selects) {
      const menu = nameAll('select').get(key);
      if (!menu || menu.value === value || ![...menu.options].some((option) => option.value === value))
        continue;
      menu.value = value;
      menu.dispatchEvent(new Event('change', { bubbles: true }));
    }
    restoreOpen(state);
    if (state.focus !== null) stops().get(state.focus)?.focus({ preventScroll: true });
    restoreScroll(state);
  };

  const memory = `offprint-preview:${location.pathname}`;
  const reload = () => {
    try {
      sessionStorage.setItem(memory, JSON.stringify(readState()));
    } catch {
      // Without storage, the page starts at the top.
    }
    location.reload();
  };
  const takeMemory = () => {
    try {
      const text = sessionStorage.getItem(memory);
      sessionStorage.removeItem(memory);
      return text === null ? null : JSON.parse(text);
    } catch {
      return null;
    }
  };

  // --- Replacing the page ----------------------------------------------------------------------------------------

  const pathOf = (element, attribute) => new URL(element.getAttribute(attribute), location.href).pathname;
  const scriptsOf = (root) => [...root.querySelectorAll('script[src]')].filter((one) => !one.dataset.preview);
  const sheetsOf = (root) => [...root.querySelectorAll('link[rel=stylesheet]')];
  const listOf = (elements, attribute) => elements.map((element) => pathOf(element, attribute)).join('\n');
  /** Custom scripts of the site may have changed the page; they require a reload. */
  const isOurs = (script) => pathOf(script, 'src').startsWith(base.pathname.replace(/preview\/$/, ''));

  /** Compares digests, because scripts may have changed the page since it was served. */
  const canReplace = (next, mark) =>
    mark.dataset.scripts === scripts &&
    scriptsOf(next).every(isOurs) &&
    document.documentElement.dataset.pageMode === next.documentElement.dataset.pageMode;

  const copyRootAttributes = (next) => {
    const root = document.documentElement;
    for (const { name, value } of next.documentElement.attributes) {
      if (name !== 'class') root.setAttribute(name, value);
    }
    for (const name of root.getAttributeNames()) {
      const isKept = name === 'class' || name === 'data-banner-dismissed' || name === 'style';
      if (!isKept && !next.documentElement.hasAttribute(name)) root.removeAttribute(name);
    }
  };

  /** Resolves when the new style sheets are loaded; keeps the old ones until then to avoid unstyled content. */
  const replaceSheets = async (next) => {
    const before = sheetsOf(document.head);
    if (listOf(before, 'href') === listOf(sheetsOf(next.head), 'href')) return;
    await addSheets(sheetsOf(next.head).map((sheet) => sheet.cloneNode()));
    for (const sheet of before) sheet.remove();
  };
  const addSheets = (sheets) =>
    Promise.all(
      sheets.map((sheet) => {
        const loaded = new Promise((resolve) => {
          on(sheet, 'load', resolve);
          on(sheet, 'error', resolve);
        });
        document.head.append(sheet);
        return loaded;
      }),
    );

  const replaceHead = (next) => {
    document.title = next.title;
    const isMeta = (element) =>
      element.matches('meta, title, link:not([rel=stylesheet], [rel=preload])') && !element.dataset.preview;
    for (const element of [...document.head.children]) if (isMeta(element)) element.remove();
    document.head.prepend(...[...next.head.children].filter(isMeta));
  };

  const run = (script) =>
    new Promise((resolve, reject) => {
      const fresh = document.createElement('script');
      for (const { name, value } of script.attributes) if (name !== 'defer') fresh.setAttribute(name, value);
      fresh.async = false;
      on(fresh, 'load', resolve);
      on(fresh, 'error', () => reject(new Error(`${script.src} failed to load`)));
      if (script.isConnected && document.body.contains(script)) script.replaceWith(fresh);
      else {
        document.head.append(fresh);
        on(fresh, 'load', () => fresh.remove());
      }
    });

  /** The script of the whole sidebar, which pages load when they are idle. */
  const sidebarScript = () => {
    const { base: start, sidebar } = document.documentElement.dataset;
    return sidebar === undefined
      ? []
      : [Object.assign(document.createElement('script'), { src: start + sidebar })];
  };

  /** Keeps the sidebar if it did not change. */
  const keepSidebar = (next, isSame) => {
    if (!isSame) return false;
    const { sidebar: before } = document.documentElement.dataset;
    if (before === undefined || before !== next.documentElement.dataset.sidebar) return false;
    const from = document.getElementById('navigation-items');
    const to = next.getElementById('navigation-items');
    if (!from || !to || document.documentElement.dataset.page !== next.documentElement.dataset.page)
      return false;
    to.replaceChildren(...from.childNodes);
    to.toggleAttribute('data-op-whole', from.hasAttribute('data-op-whole'));
    return true;
  };

  const replacePage = async (next, isSameSidebar) => {
    const state = readState();
    await replaceSheets(next);
    life.abort();
    life = new AbortController();
    const isKept = keepSidebar(next, isSameSidebar);
    copyRootAttributes(next);
    replaceHead(next);
    for (const name of document.body.getAttributeNames()) document.body.removeAttribute(name);
    for (const { name, value } of next.body.attributes) document.body.setAttribute(name, value);
    document.body.replaceChildren(...next.body.childNodes);
    restoreOpen(state);
    restoreScroll(state);
    let failed = false;
    const fail = () => {
      failed = true;
    };
    listen.call(window, 'error', fail, { signal: life.signal });
    await Promise.all([...(isKept ? [] : sidebarScript()), ...scriptsOf(next.head)].map(run));
    if (failed) return reload();
    restoreRest(state);
  };

  // --- Applying changes ------------------------------------------------------------------------------------------

  /** Reloads files of the page whose URL does not depend on their content. */
  const refreshFiles = async (paths, generation) => {
    const changed = new Set(paths.map((path) => `/${path.split('/').map(encodeURIComponent).join('/')}`));
    const isChanged = (element, attribute) =>
      element.hasAttribute(attribute) && changed.has(pathOf(element, attribute));
    if (scriptsOf(document).some((script) => isChanged(script, 'src'))) return reload();
    const renew = (element, attribute) => {
      const url = new URL(element.getAttribute(attribute), location.href);
      url.searchParams.set('preview', generation);
      return url.href;
    };
    for (const image of document.querySelectorAll('img, source, video, audio')) {
      if (isChanged(image, 'src')) image.setAttribute('src', renew(image, 'src'));
    }
    const sheets = sheetsOf(document.head).filter((sheet) => isChanged(sheet, 'href'));
    const fresh = sheets.map((sheet) => {
      const twin = sheet.cloneNode();
      twin.href = renew(sheet, 'href');
      return twin;
    });
    await addSheets(fresh);
    for (const sheet of sheets) sheet.remove();
  };

  /** Shows the problems of the page; error pages contain their own. */
  const showProblems = async () => {
    if (output === undefined) return;
    const url = new URL('state', base);
    url.searchParams.set('output', decodeURIComponent(output));
    overlay.show(await (await fetch(url)).json());
  };

  const update = async (generation, paths) => {
    const response = await fetch(location.pathname + location.search, { headers: { accept: 'text/html' } });
    if (response.redirected) return reload();
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    const mark = next.querySelector('script[data-preview]');
    if (!mark) return reload();
    if (mark.dataset.preview !== digest) {
      if (output === undefined || mark.dataset.output !== output || !canReplace(next, mark)) return reload();
      const isSameSidebar = mark.dataset.navigation === navigation;
      ({ preview: digest, navigation } = mark.dataset);
      await replacePage(next, isSameSidebar);
    }
    await refreshFiles(paths, generation);
    await showProblems();
    document.documentElement.dataset.previewGeneration = generation;
  };

  let updating = null;
  let waiting = null;
  const follow = (generation, paths) => {
    if (updating !== null) {
      waiting = { generation, paths: [...(waiting?.paths ?? []), ...paths] };
      return;
    }
    updating = update(generation, paths)
      .catch((error) => {
        console.error('offprint preview:', error);
      })
      .finally(() => {
        updating = null;
        const next = waiting;
        waiting = null;
        if (next !== null) follow(next.generation, next.paths);
      });
  };

  // --- The overlay -----------------------------------------------------------------------------------------------

  const make = (name, properties, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key === 'text') element.textContent = value;
      else if (key.startsWith('on')) on(element, key.slice(2), value);
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };
  const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

  const overlay = (() => {
    const host = make('offprint-preview', {});
    const root = host.attachShadow({ mode: 'open' });
    const badge = make('button', { type: 'button', class: 'badge', 'aria-controls': 'panel', hidden: '' });
    const title = make('h2', { id: 'title' });
    const list = make('ol', {});
    const close = make('button', { type: 'button', class: 'close', 'aria-label': 'Close', text: '✕' });
    const panel = make(
      'section',
      { id: 'panel', role: 'dialog', 'aria-labelledby': 'title', tabindex: '-1', hidden: '' },
      make('header', {}, title, close),
      list,
    );
    const status = make('p', { class: 'status', role: 'status' });
    root.append(
      make('link', { rel: 'stylesheet', href: new URL('client.css', base).href }),
      badge,
      panel,
      status,
    );
    let shown = '';
    let dismissed = '';

    const open = (isOpen) => {
      panel.hidden = !isOpen;
      badge.setAttribute('aria-expanded', String(isOpen));
    };
    const shut = () => {
      dismissed = shown;
      open(false);
      badge.focus();
    };
    on(badge, 'click', () => {
      open(panel.hidden);
      if (!panel.hidden) panel.focus();
    });
    on(close, 'click', shut);
    on(root, 'keydown', (event) => {
      if (event.key === 'Escape' && !panel.hidden) shut();
    });

    const place = ({ file, line }) => {
      const text = line === null ? file : `${file}:${line}`;
      if (editor === undefined) return make('code', { class: 'place', text });
      const path = file.split('/').map(encodeURIComponent).join('/');
      return make('a', { class: 'place', href: `${editor}${path}${line === null ? '' : `:${line}`}`, text });
    };
    const row = (problem) =>
      make(
        'li',
        { 'data-severity': problem.severity },
        make(
          'p',
          { class: 'head' },
          make('span', { class: 'severity', text: problem.severity === 'info' ? 'note' : problem.severity }),
          place(problem),
          make('span', { class: 'code', text: problem.code }),
        ),
        make('p', { class: 'message', text: problem.message }),
      );
    const order = ['error', 'warning', 'info'];
    const summary = (problems) => {
      const count = (severity) => problems.filter((problem) => problem.severity === severity).length;
      const parts = [
        [count('error'), 'error'],
        [count('warning'), 'warning'],
        [count('info'), 'note'],
      ];
      return parts
        .filter(([number]) => number > 0)
        .map(([number, word]) => plural(number, word))
        .join(', ');
    };

    return {
      attach() {
        document.documentElement.append(host);
      },
      say(text) {
        status.textContent = text;
        status.toggleAttribute('data-shown', text !== '');
      },
      show({ error, problems }) {
        const all = [...(error === null ? [] : [error]), ...problems].sort(
          (a, b) => order.indexOf(a.severity) - order.indexOf(b.severity),
        );
        const key = JSON.stringify(all);
        if (key === shown) return;
        shown = key;
        const words = summary(all);
        title.textContent =
          error === null ? words : 'The site cannot be opened. This is its state before the error';
        badge.textContent = words;
        badge.hidden = all.length === 0;
        badge.dataset.severity = all[0]?.severity ?? '';
        list.replaceChildren(...all.map(row));
        const isBad = all.some((problem) => problem.severity === 'error');
        open(all.length > 0 && (panel.hidden ? isBad && dismissed !== key : true));
        status.textContent = words === '' ? '' : `Preview: ${words}`;
      },
    };
  })();

  // --- Start -----------------------------------------------------------------------------------------------------

  /** Initial and maximum delay before reconnecting; the delay doubles each time. */
  const MIN_RETRY_MS = 500;
  const MAX_RETRY_MS = 15_000;
  const connect = () => {
    let run = null;
    let last = Number(own.dataset.generation);
    let delay = MIN_RETRY_MS;
    let timer;
    let events;
    const retry = () => {
      events.close();
      clearTimeout(timer);
      timer = setTimeout(subscribe, delay);
      delay = Math.min(delay * 2, MAX_RETRY_MS);
    };
    const onHello = (event) => {
      const hello = JSON.parse(event.data);
      delay = MIN_RETRY_MS;
      overlay.say('');
      // The first comparison finds changes between the response with this page and the subscription.
      if ((run !== null && run !== hello.run) || last !== hello.generation) return reload();
      ({ run } = hello);
      last = hello.generation;
    };
    const onChange = (event) => {
      const { generation, paths } = JSON.parse(event.data);
      last = generation;
      follow(generation, paths);
    };
    const subscribe = () => {
      events = new EventSource(new URL('events', base));
      on(events, 'hello', onHello);
      on(events, 'change', onChange);
      on(events, 'reload', reload);
      on(events, 'error', () => {
        overlay.say('The preview has stopped. Start it again to continue.');
        retry();
      });
    };
    subscribe();
    // Reconnects immediately when the page becomes visible.
    on(document, 'visibilitychange', () => {
      if (document.hidden || events.readyState !== EventSource.CLOSED) return;
      clearTimeout(timer);
      subscribe();
    });
    on(window, 'pagehide', () => {
      clearTimeout(timer);
      events.close();
    });
  };

  on(window, 'DOMContentLoaded', () => {
    overlay.attach();
    showProblems().catch(() => {});
    connect();
  });
  // A page restored from the back/forward cache has missed changes.
  on(window, 'pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  const remembered = takeMemory();
  if (remembered !== null) on(window, 'load', () => restoreRest(remembered));
})();
