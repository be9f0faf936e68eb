/** How rectangles of VNC may be written, as far as the gateway asks for them, in live sessions and in recordings. */

export const ENCODING = {
  raw: 0,
  copyRect: 1,
  rre: 2,
  hextile: 5,
  desktopSize: -223,
  lastRect: -224,
  cursor: -239,
  extendedDesktopSize: -308,
  extendedClipboard: 0xc0a1e5ce | 0,
} as const;

export const HEXTILE = { raw: 1, background: 2, foreground: 4, subrects: 8, coloured: 16 } as const;
export const PIXEL_BYTES = 4;
export const TILE = 16;
/** As many rectangles as it likes, until it says that it was the last. */
export const UNCOUNTED = 0xffff;
