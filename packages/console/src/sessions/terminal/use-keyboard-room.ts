/** Keeps the terminal above a phone's keyboard, which covers the page without making it smaller. */
import { type RefObject, useEffect } from 'react';

export function useKeyboardRoom(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const seen = window.visualViewport;
    const element = place.current;
    if (!seen || !element) return;
    const fit = () => {
      const isCovered = window.innerHeight - seen.height > 100;
      const top = element.getBoundingClientRect().top;
      element.style.maxHeight = isCovered ? `${Math.max(160, seen.height + seen.offsetTop - top)}px` : '';
    };
    seen.addEventListener('resize', fit);
    return () => seen.removeEventListener('resize', fit);
  }, [place]);
}
