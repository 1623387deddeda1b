/* URLs of what is closed: `#id` opens all around it and scrolls there; an opened accordion writes its own. */
const reveal = (element) => {
  let isChanged = false;
  for (let at = element; at; at = at.parentElement) {
    if (at.localName === 'details' && !at.open) {
      at.open = true;
      isChanged = true;
    }
    if (at.hidden) isChanged = true;
  }
  element.dispatchEvent(new CustomEvent('offprint:reveal', { bubbles: true }));
  return isChanged;
};

const goTo = (hash) => {
  const element = byHash(hash);
  if (element && (reveal(element) || element.matches('details, [role=tab]'))) element.scrollIntoView();
};

addEventListener('hashchange', () => goTo(location.hash));
document.addEventListener('beforematch', ({ target }) => reveal(target));

document.addEventListener('click', (event) => {
  // A link to the current fragment does not change the URL, but its target may have been closed since.
  const link = event.target.closest?.('a[href*="#"]');
  if (link && link.href === location.href && !event.defaultPrevented) goTo(link.hash);
  const accordion = event.target.closest?.('summary')?.parentElement;
  if (!accordion?.matches('.op-accordion[id]')) return;
  setTimeout(() => {
    if (accordion.open) setHash(accordion.id);
    else if (byHash(location.hash) === accordion) setHash(null);
  });
});

goTo(location.hash);
