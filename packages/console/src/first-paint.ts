/** Runs before the first paint, as a classic script: a stored theme must never flash the other one first. */

// The key is the one of @gatehouse/design/theme; a test holds them together. Storage may be refused altogether.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'system' || theme === 'light') document.documentElement.dataset.theme = theme;
} catch {
  // The page is dark, as for everybody who has not chosen.
}

export {};
