/** The storage of this browser as one page sees it: the token in it is that of whoever the page is of, or none. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { readToken } from './token.ts';

export interface OwnStorage {
  storage: Storage;
  /** Somebody else has signed in in another tab: nothing that is stored of a sign-in is this page's any more. */
  isTakenOver: () => boolean;
}

/**
 * Tabs share what is stored, and the cookie. A page that read the token of somebody else would show one person and act as another. The page is
 * of whoever it first finds: a sign-in begins with a page of its own.
 */
export function ownStorage(shared: Storage): OwnStorage {
  let whose: string | undefined;
  const isTakenOver = () => {
    const stored = readToken(shared)?.user;
    whose ??= stored;
    return stored !== undefined && stored !== whose;
  };
  isTakenOver();
  const isHidden = (key: string) => key === STORAGE_KEYS.token && isTakenOver();
  const storage: Storage = {
    get length() {
      return shared.length;
    },
    key: (index) => shared.key(index),
    getItem: (key) => (isHidden(key) ? null : shared.getItem(key)),
    setItem: (key, value) => {
      if (!isHidden(key)) shared.setItem(key, value);
    },
    removeItem: (key) => {
      if (!isHidden(key)) shared.removeItem(key);
    },
    clear: () => shared.clear(),
  };
  return { storage, isTakenOver };
}
