/* The table of contents follows the reader. */

/* A hash may name a part of the page around the text (`#sidebar`); the heading of that name goes first. */
const goToText = () => {
  const heading = byHash(location.hash);
  if (heading?.id.endsWith('-2') && !location.hash.endsWith('-2')) heading.scrollIntoView();
};
addEventListener('hashchange', goToText);
goToText();

const toc = document.getElementById('table-of-contents');
const side = document.getElementById('content-side-layout');
if (toc) {
  const button = toc.querySelector('.op-toc-title');
  button?.addEventListener('click', () => {
    button.setAttribute('aria-expanded', String(button.getAttribute('aria-expanded') !== 'true'));
  });
  const links = new Map();
  for (const link of toc.querySelectorAll('a[href^="#"]')) {
    const heading = byHash(link.getAttribute('href'));
    if (heading) links.set(heading, link);
  }
  const headings = [...links.keys()];
  let current = null;
  const mark = () => {
    const line = document.getElementById('navbar').getBoundingClientRect().bottom + 40;
    const last = document.documentElement.scrollHeight - innerHeight;
    const atEnd = last > 4 && scrollY >= last - 4;
    let found = null;
    for (const heading of headings) {
      if (!heading.checkVisibility()) continue;
      if (
        found === null ||
        heading.getBoundingClientRect().top <= line ||
        (atEnd && heading.getBoundingClientRect().top < innerHeight / 2)
      )
        found = heading;
    }
    // At the end of the page, the fragment of the URL decides instead of the scroll position.
    const named = scrollY >= last - 4 && byHash(location.hash);
    if (named && links.has(named) && named.getBoundingClientRect().bottom > 0) found = named;
    if (found === current) return;
    // Style sheets of sites select the entry by these attributes.
    const marks = ['data-active', 'data-active-deepest'];
    const before = links.get(current);
    before?.removeAttribute('aria-current');
    for (const mark of marks) before?.parentElement.removeAttribute(mark);
    const link = links.get(found);
    link?.setAttribute('aria-current', 'location');
    for (const mark of marks) link?.parentElement.setAttribute(mark, 'true');
    current = found;
    if (!link || side.scrollHeight <= side.clientHeight) return;
    const row = link.getBoundingClientRect();
    const box = side.getBoundingClientRect();
    side.scrollTo({ top: side.scrollTop + row.top - box.top - box.height / 2 });
  };
  if (headings.length > 0) {
    // The observer wakes when a heading crosses the line; positions are read only then.
    const observer = new IntersectionObserver(mark, { rootMargin: '-100px 0px -60% 0px', threshold: [0, 1] });
    for (const heading of headings) observer.observe(heading);
    addEventListener('scrollend', mark, { passive: true });
    addEventListener('hashchange', mark);
    mark();
  }
}
