/** What a recording is played onto while its index is made. The kind of recording decides: a terminal for what terminals printed, rows of plain text for statements. */

export interface ScreenSize {
  cols: number;
  rows: number;
}

/** A screen that can be drawn again on a fresh terminal of that size. */
export interface DrawnScreen extends ScreenSize {
  ansi: string;
}

export interface PlayedScreen {
  /** `then` is called when it has been played, before anything that is written after it. */
  write(bytes: Uint8Array, then?: () => void): void;
  /** In the order of what is written. */
  resize(size: ScreenSize, then?: () => void): void;
  /** When everything written before has been played, and nothing that is written after. */
  after(work: () => void): void;
  drained(): Promise<void>;
  drawPlain(): DrawnScreen;
  draw(scrollback?: number): DrawnScreen;
  restore(drawn: DrawnScreen): void;
  /** Whether what is drawn now stands for all that came before. */
  readonly isSettled: boolean;
  readonly hasSavedCursor: boolean;
  dispose(): void;
}
