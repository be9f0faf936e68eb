/** For what draws only what is in sight of a box: looks again when it is scrolled or gets another size. */

import { type RefObject, useEffect } from 'react';

/** `look` must be the same function while it would see the same. */
export function useScrolledBox(box: RefObject<HTMLElement | null>, look: () => void): void {
  useEffect(() => {
    const host = box.current;
    if (!host) return;
    look();
    host.addEventListener('scroll', look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(host);
    return () => {
      host.removeEventListener('scroll', look);
      observer.disconnect();
    };
  }, [box, look]);
}

/** Where a box of this size is scrolled to, no further than it must, so that what lies from `start` to `end` is in sight. */
export function scrolledTo(at: number, size: number, { start, end }: { start: number; end: number }): number {
  if (start < at) return start;
  // Of what is larger than the box, the beginning is shown.
  return end > at + size ? Math.min(start, end - size) : at;
}
