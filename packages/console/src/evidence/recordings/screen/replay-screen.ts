/** What a renderer gives the player: a screen that recorded items are drawn on, and that fills its place on the page. */
import type { PlaybackScreen } from '../engine/playback.ts';

/** whole: everything is seen, however small. readable: the rows fill the height, and columns that do not fit are scrolled to. */
export type Scale = 'whole' | 'readable';

export interface ReplayScreen extends PlaybackScreen {
  show(place: HTMLElement): Promise<void>;
  fit(scale: Scale): void;
  /** After the theme has changed. */
  recolour(): void;
  /** Shows where this text stands, if it does. */
  mark(text: string): void;
  dispose(): void;
}

export interface ReplayScreenOptions {
  label: string;
  screenReader: boolean;
  onSelect: (text: string) => void;
  onSize: (cols: number, rows: number) => void;
  /** It can draw nothing more. */
  onFailed: (failure: Error) => void;
}

export type CreateReplayScreen = (options: ReplayScreenOptions) => ReplayScreen;
