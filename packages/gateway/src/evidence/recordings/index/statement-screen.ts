/** The last statements of a recording as rows of plain text, for the pictures of lists. Nothing in them moves a cursor, and a terminal for them was a quarter of the work. */
import type { DrawnScreen, PlayedScreen, ScreenSize } from './played-screen.ts';

const SIZE: ScreenSize = { cols: 80, rows: 24 };
const LINE_END = '\r\n';

export class StatementScreen implements PlayedScreen {
  #lines: string[] = [];
  readonly isSettled = true;
  readonly hasSavedCursor = false;

  /** Whole lines without control characters, each with its end. */
  write(bytes: Uint8Array, then?: () => void): void {
    this.#lines.push(...Buffer.from(bytes).toString().split(LINE_END).slice(0, -1));
    // One row is where the cursor stands, below the last line.
    if (this.#lines.length >= SIZE.rows) this.#lines = this.#lines.slice(1 - SIZE.rows);
    then?.();
  }

  resize(_: ScreenSize, then?: () => void): void {
    then?.();
  }

  after(work: () => void): void {
    work();
  }

  async drained(): Promise<void> {}

  /** Lines that are wider than the screen push the first ones out of it when it is drawn. */
  drawPlain(): DrawnScreen {
    return { ...SIZE, ansi: this.#lines.map((line) => `${line}${LINE_END}`).join('') };
  }

  draw(): DrawnScreen {
    return this.drawPlain();
  }

  restore({ ansi }: DrawnScreen): void {
    this.write(Buffer.from(ansi));
  }

  dispose(): void {}
}
