/** What `login@server` says, and the tab it opens. */

export interface QuickTarget {
  login: string | undefined;
  name: string;
}

/** The last @ parts them: a login may hold one, a server's name may not. */
export function readTarget(typed: string): QuickTarget {
  const text = typed.trim();
  const at = text.lastIndexOf('@');
  return at === -1
    ? { login: undefined, name: text }
    : { login: text.slice(0, at).trim() || undefined, name: text.slice(at + 1).trim() };
}

/** False when the browser held it back. */
export function openTab(path: string): boolean {
  const tab = window.open(path, '_blank');
  if (!tab) return false;
  // Cut here and not by `noopener`, with which nobody could tell whether it was held back.
  tab.opener = null;
  return true;
}
