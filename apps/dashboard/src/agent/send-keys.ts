import type { KeyboardEvent } from 'react';

/** Sends the form of a box for text with Ctrl+Enter, or Command+Enter. */
export function sendOnKeys(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
