/* Hints: on hover, focus and touch, inside the window; Escape puts them away (WCAG 1.4.13). */
const gap = 6;
const edge = 8;
let shown = null;
let leaving;
let isMoving = false;

const contentOf = (tip) => tip.querySelector(':scope > .op-tooltip-content');

const place = () => {
  isMoving = false;
  if (!shown) return;
  const content = contentOf(shown);
  const term = shown.querySelector(':scope > .op-tooltip-trigger').getClientRects()[0];
  if (!term) return;
  const { width, height } = content.getBoundingClientRect();
  const above = term.top - height - gap;
  const left = Math.min(term.left + term.width / 2 - width / 2, innerWidth - width - edge);
  content.style.top = `${above >= edge ? above : term.bottom + gap}px`;
  content.style.left = `${Math.max(edge, left)}px`;
};

const hide = () => {
  clearTimeout(leaving);
  if (!shown) return;
  contentOf(shown).hidePopover();
  shown = null;
};

const show = (tip) => {
  clearTimeout(leaving);
  if (shown === tip) return;
  hide();
  shown = tip;
  contentOf(tip).showPopover();
  place();
};

const tipOf = ({ target }) => target.closest?.('.op-tooltip:has(> .op-tooltip-content[popover])');

if (
  document.querySelector('.op-tooltip-content[popover], offprint-island') &&
  HTMLElement.prototype.showPopover
) {
  document.addEventListener('pointerover', (event) => {
    const tip = tipOf(event);
    if (tip && event.pointerType !== 'touch') show(tip);
  });
  document.addEventListener('pointerout', (event) => {
    if (event.pointerType === 'touch' || !tipOf(event) || shown?.matches(':focus-within')) return;
    clearTimeout(leaving);
    leaving = setTimeout(hide, 150);
  });
  document.addEventListener('focusin', (event) => {
    const tip = tipOf(event);
    if (tip) show(tip);
    else hide();
  });
  document.addEventListener('click', (event) => {
    const tip = tipOf(event);
    if (tip && !event.target.closest('.op-tooltip-content')) show(tip);
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (!shown?.contains(target)) hide();
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });
  addEventListener('blur', hide);
  const follow = () => {
    if (!shown || isMoving) return;
    isMoving = true;
    requestAnimationFrame(place);
  };
  addEventListener('scroll', follow, { passive: true, capture: true });
  addEventListener('resize', follow, { passive: true });
}
