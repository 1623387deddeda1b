/* Fields of a schema that many pages show: they are in a script beside the page of the schema, and load when they are opened. */
const takers = new WeakMap();

/** Every such script calls this with the HTML of the fields. */
window.offprintFields = (html) => takers.get(document.currentScript)?.(html);

const load = (url) =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script');
    takers.set(script, resolve);
    script.src = url;
    script.onerror = reject;
    // One that ran without handing over is none of them.
    script.onload = reject;
    document.head.append(script);
    script.remove();
  });

/** The disclosures that wait for their fields, with their links. */
const waiting = () =>
  [...document.querySelectorAll('details[id$="-fields"] > div > p > a[data-op-fields]')].map((link) => ({
    link,
    details: link.closest('details'),
  }));

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const URLS = ['href', 'src', 'data-op-fields'];
const IDS = ['id', 'for', 'aria-controls', 'aria-labelledby', 'aria-describedby'];

/** Gives ids the place of the fields on this page, and links the place from where they were written. */
const adapt = (root, place, base) => {
  const idOf = (id) =>
    id === 'page-title' ? place : id.startsWith('schema-') ? place + id.slice(6) : `${place}-${id}`;
  each(root, '*', (element) => {
    for (const name of IDS) {
      const ids = element.getAttribute(name);
      if (ids) element.setAttribute(name, ids.split(' ').map(idOf).join(' '));
    }
    for (const name of URLS) {
      const url = element.getAttribute(name);
      if (url?.startsWith('#'))
        element.setAttribute(name, `#${encodeURIComponent(idOf(decoded(url.slice(1))))}`);
      else if (url && URL.canParse(url, base)) element.setAttribute(name, new URL(url, base).href);
    }
  });
};

const fill = async ({ link, details }) => {
  const content = link.closest('div');
  const url = new URL(link.dataset.opFields, document.baseURI).href;
  content.setAttribute('aria-busy', 'true');
  try {
    const template = document.createElement('template');
    template.innerHTML = await load(url);
    adapt(template.content, details.id.replace(/-fields$/, ''), url);
    content.replaceChildren(template.content);
    content.dispatchEvent(new CustomEvent('offprint:shown', { bubbles: true }));
    return true;
  } catch {
    // The link to the page of the schema stays.
    return false;
  } finally {
    content.removeAttribute('aria-busy');
  }
};

document.addEventListener(
  'toggle',
  ({ target }) => {
    const one = target.matches('details[open]') && waiting().find(({ details }) => details === target);
    if (one && !one.link.closest('[aria-busy]')) fill(one);
  },
  true,
);

/** Opens what may contain the target of the URL: ids of fields begin with that of the field around them. */
const seek = async () => {
  const id = decoded(location.hash.slice(1));
  for (;;) {
    if (id === '' || byHash(location.hash)) return;
    const around = waiting()
      .filter(({ details }) => id.startsWith(details.id.replace(/fields$/, '')))
      .sort((a, b) => b.details.id.length - a.details.id.length)[0];
    if (!around || !(await fill(around))) return;
    if (document.getElementById(id)) dispatchEvent(new HashChangeEvent('hashchange'));
  }
};
addEventListener('hashchange', seek);
seek();
