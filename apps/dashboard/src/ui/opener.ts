/** The button of the menu that was opened last: an item of it may open a dialog, and is gone by then. */
let trigger: HTMLElement | null = null;

export function rememberTrigger(element: HTMLElement | null): void {
  trigger = element;
}

/** What has the focus now, or had it before a menu closed: where the focus returns to. */
export function findOpener(): HTMLElement | null {
  const { activeElement } = document;
  const stays = activeElement !== document.body && activeElement?.closest('[role=menu]') === null;
  return stays && activeElement instanceof HTMLElement ? activeElement : trigger;
}
