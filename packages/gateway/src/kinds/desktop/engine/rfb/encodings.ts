/** How rectangles may be written. Each stands for itself: who begins to look in the middle can read the next whole picture. */

export const ENCODING = {
  raw: 0,
  copyRect: 1,
  rre: 2,
  hextile: 5,
  desktopSize: -223,
  lastRect: -224,
  cursor: -239,
  extendedDesktopSize: -308,
} as const;

/** The client of the page prefers them in its own order; what it names beside is left out. */
export const ALLOWED_ENCODINGS: readonly number[] = Object.values(ENCODING);

/** 32 bits a point, little end first, red in the lowest: as the client of the page and players draw. */
export const PIXEL_FORMAT = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]);
