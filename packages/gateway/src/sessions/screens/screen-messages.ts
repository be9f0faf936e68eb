/** What the gateway and the thread that plays the screens of sessions say to each other. */
import type { DrawnRows } from './draw-rows.ts';
import type { FirstPicture, Size } from './session-screen.ts';

export type ScreenRequest =
  | {
      type: 'play';
      id: number;
      sid: string;
      /** Nothing that was played before counts. */
      isFresh: boolean;
      /** Something between what was played before and this was left out. */
      isApart: boolean;
      parts: (Size & { bytes: Uint8Array })[];
      size: Size;
      want: 'nothing' | 'rows' | 'picture';
    }
  | { type: 'forget'; sid: string };

export interface ScreenReply {
  id: number;
  rows?: DrawnRows;
  picture?: FirstPicture;
  /** Not known any more, as there are too many: to be played from the beginning when it is asked for again. */
  lost?: string;
}
