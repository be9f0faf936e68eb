/** How near anything that opens may come to the edge of the window; the same number as --popover-margin. */

export const POPOVER_MARGIN_PX = 16;
