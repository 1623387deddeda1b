export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** `public/theme.js` reads it before the first paint. */
const STORAGE = 'offprint.theme';

export function storedTheme(): Theme {
  return themes.find((theme) => theme === readStored(STORAGE)) ?? 'system';
}

const listeners = new Set<() => void>();

/** Calls the listener after each change; returns what removes it. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function applyTheme(theme: Theme): void {
  document.documentElement.classList.remove('light', 'dark');
  if (theme !== 'system') document.documentElement.classList.add(theme);
  writeStored(STORAGE, theme === 'system' ? null : theme);
  for (const listener of listeners) listener();
}

/** A value of this browser; null if it is not set or storage is unavailable. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a value in this browser, where it may. */
export function writeStored(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Storage is off or full; nothing that is kept there is needed.
  }
}
