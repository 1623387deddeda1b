import { createContext, useEffect } from 'react';

/** What opens over the page. */
export type Overlay = 'palette' | 'shortcuts';

/** Opens an overlay of the shell. */
export const OpenOverlay = createContext<(overlay: Overlay) => void>(() => {});

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys of a shortcut with the main modifier of this system. */
export function shortcutOf(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl ${key}`;
}

/** Whether keys are text for this element. */
function takesText(element: Element | null): boolean {
  return (
    element instanceof HTMLElement &&
    (element.isContentEditable ||
      element.matches('textarea, select, input:not([type=checkbox]):not([type=radio]):not([type=button])'))
  );
}

/** Whether a dialog or a menu is open, which the keys belong to. */
const isCovered = () => document.querySelector('dialog:modal, [role=menu]') !== null;

/** What a key asks for; null: nothing. */
function commandOf(event: KeyboardEvent): 'palette' | 'shortcuts' | 'search' | null {
  if (event.defaultPrevented || event.isComposing || event.altKey) return null;
  if (event.ctrlKey || event.metaKey)
    return !event.shiftKey && event.key.toLowerCase() === 'k' ? 'palette' : null;
  if (takesText(document.activeElement)) return null;
  return event.key === '?' ? 'shortcuts' : event.key === '/' ? 'search' : null;
}

/** Handles the shortcuts of every page. */
export function useShortcuts(overlay: Overlay | null, open: (overlay: Overlay | null) => void): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const command = commandOf(event);
      if (command === null) return;
      if (command === 'palette' && overlay === 'palette') {
        event.preventDefault();
        open(null);
      } else if (!isCovered()) {
        event.preventDefault();
        if (command === 'search') focusSearch();
        else open(command);
      }
    }
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [overlay, open]);
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#main input[type=search]');
  field?.focus();
  field?.select();
}
