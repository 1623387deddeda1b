import { useSyncExternalStore } from 'react';
import { applyTheme, onThemeChange, storedTheme, type Theme } from '../theme.ts';

/** The chosen theme, and a function that changes it everywhere on the page. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(onThemeChange, storedTheme), applyTheme];
}
