/** After an upgrade the old files are gone: a tab that still has the old page reloads once and gets the new one. */

const MARK = 'reloaded-for-new-build';
const AGAIN_AFTER_MS = 30_000;

export function reloadOnMissingChunk(tab: Window): void {
  tab.addEventListener('vite:preloadError', (event) => {
    // A file that is missing for good must end in an error, not in reloading for ever.
    const before = Number(tab.sessionStorage.getItem(MARK));
    if (Date.now() - before < AGAIN_AFTER_MS) return;
    tab.sessionStorage.setItem(MARK, String(Date.now()));
    event.preventDefault();
    tab.location.reload();
  });
}
