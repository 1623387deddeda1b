/* An image with smaller variants opens as the original, which the page names beside them. */
const openOriginal = (image) => {
  const copy = document.querySelector('.op-zoom-dialog[open] img');
  if (!copy) return;
  copy.src = image.src;
  copy.style.maxInlineSize = `${Math.max(image.getAttribute('width') ?? 0, image.clientWidth)}px`;
};
const hear = ({ target }) => {
  if (target.matches?.('picture > img[data-op-zoom]')) openOriginal(target);
};
document.addEventListener('click', hear);
document.addEventListener('keydown', hear);
