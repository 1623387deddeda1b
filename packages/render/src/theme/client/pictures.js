/* An image with smaller variants opens as the original, which the page names beside them. */
const openOriginal = ({ target }) => {
  if (!target.matches?.('picture > img[data-op-zoom]')) return;
  const copy = document.querySelector('.op-zoom-dialog[open] img');
  if (!copy) return;
  copy.src = target.src;
  copy.style.maxInlineSize = `${Math.max(target.getAttribute('width') ?? 0, target.clientWidth)}px`;
};
document.addEventListener('click', openOriginal);
document.addEventListener('keydown', openOriginal);
