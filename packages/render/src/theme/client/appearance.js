const root = document.documentElement;
const toggle = document.getElementById('theme-toggle');
const show = (theme) => {
  root.classList.toggle('dark', theme === 'dark');
  root.classList.toggle('light', theme === 'light');
};
toggle?.addEventListener('click', () => {
  const next = root.classList.contains('dark') ? 'light' : 'dark';
  show(next);
  try {
    localStorage.setItem('offprint-theme', next);
  } catch {
    // The choice then applies to this page only.
  }
});
addEventListener('storage', (event) => {
  if (event.key === 'offprint-theme' && (event.newValue === 'light' || event.newValue === 'dark') && toggle)
    show(event.newValue);
});
if (root.dataset.appearance === 'system') {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
    let stored = null;
    try {
      stored = localStorage.getItem('offprint-theme');
    } catch {
      // No storage, no stored choice.
    }
    if (stored === null) show(event.matches ? 'dark' : 'light');
  });
}
