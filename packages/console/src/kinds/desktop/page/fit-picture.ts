/** How large the picture stands on the page: whole, pixel for pixel, or as somebody zoomed it. */
import type { PictureSize } from '../../../shared/desktop-picture/picture-client.ts';

export type FitMode = 'fit' | 'actual';

const MIN_ZOOM = 1;
const MAX_ZOOM = 6;

const ALL_SHARE = 0.99;

/** Narrower than this it is a phone, which begins with a part of the picture. */
const PHONE_PX = 720;

/** Pixels of the page for one of the picture. `zoom` is on top of what fits. */
export function scaleOf(mode: FitMode, picture: PictureSize, room: PictureSize, ratio: number, zoom: number): number {
  if (mode === 'actual') return 1 / ratio;
  const whole = Math.min(room.width / picture.width, room.height / picture.height);
  return (Number.isFinite(whole) && whole > 0 ? whole : 1) * zoom;
}

/** A phone in one's hand shows as much as its height does. */
export function firstZoom(picture: PictureSize, room: PictureSize): number {
  if (room.width >= PHONE_PX) return MIN_ZOOM;
  const sides = [room.width / picture.width, room.height / picture.height] as const;
  return keepZoom(Math.max(...sides) / Math.min(...sides));
}

export function keepZoom(zoom: number): number {
  return Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom));
}

/** In pixels of the page, or in shares of the picture. */
export interface SeenPart extends PictureSize {
  left: number;
  top: number;
}

/** Which part of a picture is seen through a window on it, in shares of it. Undefined: all of it. */
export function partSeen(window: SeenPart, picture: SeenPart): SeenPart | undefined {
  const along = (from: number, length: number, begin: number, size: number) => {
    const start = Math.min(size, Math.max(0, from - begin));
    const end = Math.min(size, Math.max(0, from + length - begin));
    return { start: start / size, share: (end - start) / size };
  };
  if (picture.width <= 0 || picture.height <= 0) return undefined;
  const across = along(window.left, window.width, picture.left, picture.width);
  const down = along(window.top, window.height, picture.top, picture.height);
  // A point or two that is hidden by rounding is nothing to look for.
  if (across.share > ALL_SHARE && down.share > ALL_SHARE) return undefined;
  return { left: across.start, top: down.start, width: across.share, height: down.share };
}
