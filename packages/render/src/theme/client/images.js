/* Images that open larger, their copy buttons, and films that move by themselves. */
const beside = 'a, button, summary, label, .op-tile, .op-card-linked, .op-step-title';

/** Large ones, and those that are shown smaller than they are. */
const isWorthIt = (image) => {
  const width = image.clientWidth;
  if (width < 64 || image.matches('[data-nozoom], .op-icon') || image.closest(beside)) return false;
  return width >= 200 || image.naturalWidth > width * 1.2;
};

const offer = (image) => {
  if (!isWorthIt(image)) return;
  image.setAttribute('data-op-zoom', '');
  image.tabIndex = 0;
  image.setAttribute('role', 'button');
  image.setAttribute('aria-haspopup', 'dialog');
  if (!image.alt) image.setAttribute('aria-label', words.enlargeImage);
};

let dialog;
const makeDialog = () => {
  dialog = document.createElement('dialog');
  dialog.className = 'op-zoom-dialog';
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'op-zoom-close';
  close.setAttribute('aria-label', words.close);
  dialog.append(close, document.createElement('img'), document.createElement('p'));
  dialog.addEventListener('click', () => dialog.close());
  document.body.append(dialog);
};

const enlarge = (image) => {
  if (!dialog) makeDialog();
  const [, copy, caption] = dialog.children;
  const src = image.currentSrc || image.src;
  copy.src = src;
  copy.alt = image.alt;
  // Drawings grow to the window, photographs to their own size.
  const isDrawing = /\.svg(?:[?#]|$)/.test(src);
  copy.style.maxInlineSize = isDrawing ? '' : `${Math.max(image.naturalWidth, image.clientWidth)}px`;
  const text = image.closest('figure')?.querySelector('figcaption')?.textContent ?? '';
  caption.textContent = text;
  caption.hidden = text === '';
  dialog.setAttribute('aria-label', image.alt || words.enlargeImage);
  dialog.showModal();
};

setUp(':is(#content, #panel) img', (image) => {
  if (image.complete && image.naturalWidth > 0) offer(image);
  else image.addEventListener('load', () => offer(image), { once: true });
});
document.addEventListener('click', ({ target }) => {
  if (target.matches?.('img[data-op-zoom]')) enlarge(target);
});
document.addEventListener('keydown', (event) => {
  if ((event.key !== 'Enter' && event.key !== ' ') || !event.target.matches?.('img[data-op-zoom]')) return;
  event.preventDefault();
  enlarge(event.target);
});

const toPng = (image) =>
  new Promise((resolve, reject) => {
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext('2d').drawImage(image, 0, 0);
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the image cannot be read'))));
  });

setUp('[data-op-copy-image]', (button) => {
  // Browsers read no pixels of images that come from files.
  if (location.protocol === 'file:' || typeof ClipboardItem === 'undefined') return button.remove();
  button.addEventListener('click', async () => {
    try {
      const image = button.closest('.op-image-box').querySelector('img');
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': toPng(image) })]);
    } catch {
      return announce(words.copyFailed);
    }
    announce(words.copied);
    button.setAttribute('data-copied', '');
    setTimeout(() => button.removeAttribute('data-copied'), 1500);
  });
});

if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
  each(document, '#content video[autoplay]', (film) => {
    film.autoplay = false;
    film.controls = true;
    film.pause();
  });
}
