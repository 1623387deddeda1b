/* Copy buttons, and long code blocks that open. */
/** What a button copies: its own value, or the code beside it without removed lines. */
const textOf = (button) => {
  const { opCopy: copy, opCopyDark: copyDark } = button.dataset;
  if (copyDark && document.documentElement.classList.contains('dark')) return copyDark;
  if (copy) return copy;
  const code = button.closest('[data-op-copy-root], .op-code-block')?.querySelector('code');
  const lines = [...(code?.querySelectorAll(':scope > .line') ?? [])];
  if (lines.length === 0) return code?.textContent ?? '';
  return lines
    .filter((line) => !line.classList.contains('del'))
    .map((line) => line.textContent)
    .join('');
};

const confirm = (button) => {
  announce(words.copied);
  if (button.hasAttribute('data-copied')) return;
  const text = button.textContent;
  button.setAttribute('data-copied', '');
  if (button.dataset.opCopyLabel) button.textContent = button.dataset.opCopyLabel;
  setTimeout(() => {
    button.removeAttribute('data-copied');
    if (button.dataset.opCopyLabel) button.textContent = text;
  }, 1500);
};

const expand = (button) => {
  const block = button.closest('.op-code-block');
  const isOpen = block.toggleAttribute('data-open');
  button.textContent = isOpen ? words.showFewerLines : words.showAllLines;
  button.setAttribute('aria-expanded', String(isOpen));
  if (!isOpen) block.scrollIntoView({ block: 'nearest' });
};

document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('button[data-op-copy], .op-code-block > .op-code-expand');
  if (button?.matches('.op-code-expand')) expand(button);
  else if (button)
    copyText(textOf(button)).then(
      () => confirm(button),
      () => announce(words.copyFailed),
    );
});
