/** A terminal without a screen that plays recorded output. Nothing in it can answer, copy, ring or name anything; what would keep it busy for ever is passed over. */

import { guardTerminal } from '@gatehouse/contract/sessions/guard-terminal';
import serialize from '@xterm/addon-serialize';
import unicode from '@xterm/addon-unicode11';
import headless from '@xterm/headless';
import { endsInside } from './ends-inside.ts';
import type { DrawnScreen, PlayedScreen, ScreenSize } from './played-screen.ts';

export type Line = Readonly<{ text: string; wraps: boolean }>;

/** A larger terminal would cost memory and show nothing more. */
const MAX_COLS = 1_000;
const MAX_ROWS = 500;
const TAIL_BYTES = 512;
const TO_ALTERNATE = '\x1b[?1049h\x1b[H';

export class ScreenPlayer implements PlayedScreen {
  readonly #terminal: headless.Terminal;
  readonly #serializer = new serialize.SerializeAddon();
  /** Of each buffer: going back to the other one finds its own again. */
  readonly #regions = new Map<'normal' | 'alternate', { top: number; bottom: number } | undefined>();
  #charsets = new Map<string, string>();
  #shifted = false;
  #hasSavedCursor = false;
  #tail = Buffer.alloc(0);

  constructor({ cols, rows }: ScreenSize, scrollback: number) {
    this.#terminal = new headless.Terminal({
      ...boundedSize({ cols, rows }),
      scrollback,
      allowProposedApi: true,
      logLevel: 'off',
    });
    // The addons are typed against the terminal with a screen, of which they use what this one has.
    this.#terminal.loadAddon(this.#serializer as unknown as headless.ITerminalAddon);
    this.#terminal.loadAddon(new unicode.Unicode11Addon() as unknown as headless.ITerminalAddon);
    this.#terminal.unicode.activeVersion = '11';
    this.#watch();
    // Asked before what watches: what it passes over has not happened.
    guardTerminal(this.#terminal);
  }

  get size(): ScreenSize {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  /** Played soon; `then` is called when it has been, before anything that is written after it. */
  write(bytes: Uint8Array, then?: () => void): void {
    this.#terminal.write(bytes, () => {
      this.#remember(bytes);
      then?.();
    });
  }

  /** In the order of what is written. */
  resize(size: ScreenSize, then?: () => void): void {
    this.#terminal.write('', () => {
      const { cols, rows } = boundedSize(size);
      this.#regions.clear();
      this.#terminal.resize(cols, rows);
      then?.();
    });
  }

  /** When everything written before has been played, and nothing that is written after. */
  after(work: () => void): void {
    this.#terminal.write('', work);
  }

  /** Resolves when everything written so far has been played. */
  drained(): Promise<void> {
    return new Promise((resolve) => this.#terminal.write('', resolve));
  }

  /** To be looked at: colours and moves of the cursor alone. */
  drawPlain(): DrawnScreen {
    const ansi = this.#serializer.serialize({ scrollback: 0, excludeModes: true });
    // No cell can hold an escape character, so this is where the alternate screen begins.
    const at = ansi.lastIndexOf(TO_ALTERNATE);
    return { ...this.size, ansi: at < 0 ? ansi : ansi.slice(at + TO_ALTERNATE.length) };
  }

  /** To be gone on from. */
  draw(scrollback = 0): DrawnScreen {
    const ansi = this.#serializer.serialize({ scrollback, excludeModes: true });
    return { ...this.size, ansi: `${ansi}${this.#settings()}` };
  }

  /** Onto a fresh terminal. */
  restore({ ansi, ...size }: DrawnScreen): void {
    this.resize(size);
    this.write(Buffer.from(ansi));
  }

  /** Whether what is drawn now stands for all that came before: not in the middle of a sequence, nor of a state no drawing tells. */
  get isSettled(): boolean {
    const { modes } = this.#terminal;
    const { cursorX } = this.#terminal.buffer.active;
    if (modes.originMode || endsInside(this.#tail)) return false;
    return !this.#regions.get(this.#terminal.buffer.active.type) || cursorX < this.#terminal.cols;
  }

  /** A cursor position is kept that no drawing tells. */
  get hasSavedCursor(): boolean {
    return this.#hasSavedCursor;
  }

  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** Rows that have scrolled out and those on the screen. */
  get length(): number {
    return this.#terminal.buffer.active.length;
  }

  /** Where the screen begins among all rows. */
  get base(): number {
    return this.#terminal.buffer.active.baseY;
  }

  get cursorRow(): number {
    return this.#terminal.buffer.active.baseY + this.#terminal.buffer.active.cursorY;
  }

  get cursorColumn(): number {
    return this.#terminal.buffer.active.cursorX;
  }

  row(index: number): Line | undefined {
    const line = this.#terminal.buffer.active.getLine(index);
    return line && { text: line.translateToString(true), wraps: line.isWrapped };
  }

  /** The whole line that a row belongs to, which may go over several. */
  lineAt(index: number): string {
    let first = index;
    while (first > 0 && this.row(first)?.wraps) first -= 1;
    const parts: string[] = [];
    for (let at = first; at === first || this.row(at)?.wraps; at += 1) parts.push(this.row(at)?.text ?? '');
    return parts.join('');
  }

  onCommandMark(listener: (mark: string) => void): void {
    this.#terminal.parser.registerOscHandler(133, (data) => {
      listener(data);
      return true;
    });
  }

  /** Follows a row while others scroll out above it; undefined when it has itself, or on the alternate screen. */
  followRow(index: number): { row(): number | undefined; release(): void } | undefined {
    const marker = this.#terminal.registerMarker(index - this.cursorRow);
    if (!marker) return undefined;
    return { row: () => (marker.isDisposed ? undefined : marker.line), release: () => marker.dispose() };
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #watch(): void {
    const { parser } = this.#terminal;
    parser.registerCsiHandler({ final: 'r' }, ([top, bottom]) => {
      const region = regionOf(Number(top ?? 0), Number(bottom ?? 0), this.#terminal.rows);
      if (region) this.#regions.set(this.#terminal.buffer.active.type, region);
      return false;
    });
    for (const slot of ['(', ')', '*', '+']) {
      for (const final of ['0', 'B', 'A', '1', '2']) {
        parser.registerEscHandler({ intermediates: slot, final }, () => {
          this.#charsets.set(slot, final);
          return false;
        });
      }
    }
    const saves = (saved: boolean) => () => {
      this.#hasSavedCursor = saved;
      return false;
    };
    parser.registerEscHandler({ final: '7' }, saves(true));
    parser.registerEscHandler({ final: '8' }, saves(false));
    parser.registerCsiHandler({ final: 's' }, saves(true));
    parser.registerCsiHandler({ final: 'u' }, saves(false));
    parser.registerEscHandler({ final: 'c' }, () => this.#forget());
    parser.registerCsiHandler({ intermediates: '!', final: 'p' }, () => this.#forget());
  }

  #forget(): false {
    this.#regions.clear();
    this.#charsets = new Map();
    this.#shifted = false;
    this.#hasSavedCursor = false;
    return false;
  }

  #remember(bytes: Uint8Array): void {
    const last = Math.max(bytes.lastIndexOf(0x0e), bytes.lastIndexOf(0x0f));
    if (last >= 0) this.#shifted = bytes[last] === 0x0e;
    this.#tail =
      bytes.length >= TAIL_BYTES
        ? Buffer.from(bytes.subarray(-TAIL_BYTES))
        : Buffer.concat([this.#tail.subarray(-(TAIL_BYTES - bytes.length)), bytes]);
  }

  /** What later output depends on and no drawing of cells tells. */
  #settings(): string {
    const { modes, buffer, rows } = this.#terminal;
    const { cursorX, cursorY } = buffer.active;
    const region = this.#regions.get(buffer.active.type);
    const parts: string[] = [];
    if (region && (region.top > 1 || region.bottom < rows))
      parts.push(`\x1b[${region.top};${region.bottom}r\x1b[${cursorY + 1};${cursorX + 1}H`);
    for (const [slot, final] of this.#charsets) if (final !== 'B') parts.push(`\x1b${slot}${final}`);
    if (this.#shifted) parts.push('\x0e');
    if (modes.insertMode) parts.push('\x1b[4h');
    if (!modes.wraparoundMode) parts.push('\x1b[?7l');
    return parts.join('');
  }
}

export function boundedSize({ cols, rows }: ScreenSize): ScreenSize {
  return { cols: Math.min(Math.max(cols, 2), MAX_COLS), rows: Math.min(Math.max(rows, 1), MAX_ROWS) };
}

function regionOf(top: number, bottom: number, rows: number): { top: number; bottom: number } | undefined {
  const first = Math.max(1, top);
  const last = bottom === 0 ? rows : Math.min(bottom, rows);
  return last > first ? { top: first, bottom: last } : undefined;
}
