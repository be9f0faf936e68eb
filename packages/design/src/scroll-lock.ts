/** Holds the page still under a modal. Our own, because the usual library writes a style element, which our policy forbids. */

import { useEffect } from 'react';

let holders = 0;

export function useScrollLock(held: boolean): void {
  useEffect(() => {
    if (!held) return;
    const root = document.documentElement;
    if (holders === 0) root.style.setProperty('--scroll-gap', `${window.innerWidth - root.clientWidth}px`);
    holders += 1;
    root.dataset.scrollLocked = '';
    return () => {
      holders -= 1;
      if (holders > 0) return;
      delete root.dataset.scrollLocked;
      root.style.removeProperty('--scroll-gap');
    };
  }, [held]);
}
