/** How large a desktop is asked for, by the room on the page. */
import { MAX_DESKTOP_SIDE, MIN_DESKTOP_SIDE } from '@gatehouse/contract/sessions/desktop-frames';
import type { PictureSize } from '../../../shared/desktop-picture/picture-client.ts';

/** Smaller, windows of the host do not fit: a phone looks at a part of a larger desktop instead. */
const MIN_SIZE = { width: 1024, height: 720 } as const;
const MIN_SCALE = 100;
const MAX_SCALE = 500;

export interface DesktopShape extends PictureSize {
  /** What the host should enlarge by, in percent. */
  scale: number;
}

/** `room` in pixels of the page, of which each is `ratio` of the screen. */
export function shapeFor(room: PictureSize, ratio: number): DesktopShape {
  const isSmall = room.width < MIN_SIZE.width || room.height < MIN_SIZE.height;
  // On a phone all those pixels would be drawn and none of them seen.
  const by = isSmall ? 1 : ratio;
  return {
    // Hosts take even widths alone.
    width: within(Math.max(room.width, MIN_SIZE.width) * by) & ~1,
    height: within(Math.max(room.height, MIN_SIZE.height) * by),
    scale: Math.min(MAX_SCALE, Math.max(MIN_SCALE, Math.round(by * 100))),
  };
}

function within(side: number): number {
  return Math.min(MAX_DESKTOP_SIDE, Math.max(MIN_DESKTOP_SIDE, Math.floor(side)));
}
