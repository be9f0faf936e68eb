/** Holds the page still under a modal. Our own, because the usual library writes a style element, which our policy forbids. */

import { useEffect } from 'react';

let holders = 0;

export function useScrollLock(held: boolean): void {
  useEffect(() => {
    if (!held) return;
    holders += 1;
    document.documentElement.dataset.scrollLocked = '';
    return () => {
      holders -= 1;
      if (holders === 0) delete document.documentElement.dataset.scrollLocked;
    };
  }, [held]);
}
