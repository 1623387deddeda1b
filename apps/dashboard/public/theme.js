// Runs before the first paint, so that a chosen theme does not flash. theme.ts writes the value.
try {
  const theme = localStorage.getItem('offprint.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.classList.add(theme);
} catch {
  // Without storage the theme is that of the system.
}
