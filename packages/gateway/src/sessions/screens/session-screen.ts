/** The screen of one session, played from its output in a thread of its own. Nothing in it can answer, copy, ring or name anything. */

import { guardTerminal } from '@gatehouse/contract/sessions/guard-terminal';
import unicode from '@xterm/addon-unicode11';
import headless from '@xterm/headless';
import { drawRows } from './draw-rows.ts';
import { OpenEnd } from './open-end.ts';
import { coreOf, newCell } from './screen-core.ts';
import { type Noted, serializeScreen } from './serialize-screen.ts';

export interface Size {
  cols: number;
  rows: number;
}

/** What somebody who comes late is shown before they follow: output that makes a fresh terminal of that size the same. */
export interface FirstPicture extends Size {
  ansi: string;
  /** How many of the last bytes began something that is not finished: they are to be played on top of it. */
  open: number;
}

/** A larger terminal would cost memory; one that is, is shown by what it prints. */
const MAX_COLS = 1_000;
const MAX_ROWS = 500;
const CHARSETS = ['0', 'A', 'B', '4', 'C', '5', 'R', 'Q', 'K', 'Y', 'E', '6', 'Z', 'H', '7', '='];
const COLOURS = { 10: 110, 11: 111, 12: 112 } as const;
const MAX_COLOURS = 256;
/** A colour that is asked for, and not set, is `?`. */
const COLOUR = /^[\w#:/.,%-]{1,64}$/;

export class SessionScreen {
  readonly #terminal: headless.Terminal;
  readonly #charsets = new Map<string, string>();
  readonly #colours = new Map<string, string>();
  readonly #end = new OpenEnd();

  readonly #scrollback: number;

  constructor(size: Size, scrollback: number) {
    this.#scrollback = scrollback;
    this.#terminal = new headless.Terminal({
      ...boundedSize(size),
      scrollback,
      allowProposedApi: true,
      logLevel: 'off',
    });
    // The addon is typed against the terminal with a screen, of which it uses what this one has.
    this.#terminal.loadAddon(new unicode.Unicode11Addon() as unknown as headless.ITerminalAddon);
    this.#terminal.unicode.activeVersion = '11';
    this.#watch();
    // Asked before what watches: what it passes over has not happened.
    guardTerminal(this.#terminal);
  }

  get size(): Size {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  /** Resolves when it is played. */
  write(bytes: Uint8Array): Promise<void> {
    this.#end.wrote(bytes);
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  resize(size: Size): void {
    const { cols, rows } = boundedSize(size);
    if (cols !== this.#terminal.cols || rows !== this.#terminal.rows) this.#terminal.resize(cols, rows);
  }

  /** Rows of text under each other, with colours between them and no other control sequence. */
  draw(): Size & { ansi: string; cursor: { column: number; row: number } } {
    return drawRows(this.#terminal);
  }

  /** To be gone on from; undefined: it would be too large. */
  picture(): FirstPicture | undefined {
    const core = coreOf(this.#terminal);
    const noted: Noted = { charsets: this.#charsets, colours: this.#colours };
    const ansi = serializeScreen({
      core,
      ...this.size,
      noted,
      scrollback: this.#scrollback,
      newCell: () => newCell(this.#terminal),
    });
    if (ansi === undefined) return undefined;
    const { open, goesOn } = this.#end.at(core._inputHandler._parser.currentState);
    return { ...this.size, ansi: `${ansi}${goesOn}`, open };
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #watch(): void {
    const { parser } = this.#terminal;
    const also = (work: () => void) => () => {
      work();
      return false;
    };
    for (const slot of ['(', ')', '*', '+'])
      for (const final of CHARSETS)
        parser.registerEscHandler(
          { intermediates: slot, final },
          also(() => this.#charsets.set(slot, final)),
        );
    parser.registerEscHandler(
      { intermediates: '%', final: '@' },
      also(() => this.#charsets.clear()),
    );
    parser.registerEscHandler(
      { intermediates: '%', final: 'G' },
      also(() => this.#charsets.clear()),
    );
    parser.registerCsiHandler(
      { intermediates: '!', final: 'p' },
      also(() => this.#charsets.clear()),
    );
    parser.registerEscHandler(
      { final: 'c' },
      also(() => this.#forget()),
    );
    this.#watchColours();
  }

  #watchColours(): void {
    const { parser } = this.#terminal;
    parser.registerOscHandler(4, (data) => {
      const given = data.split(';');
      for (let at = 0; at + 1 < given.length; at += 2) this.#colour(`4;${Number(given[at])}`, given[at + 1] ?? '');
      return false;
    });
    parser.registerOscHandler(104, (data) => {
      const which = data === '' ? [...this.#colours.keys()].filter((key) => key.startsWith('4;')) : [];
      for (const key of [...which, ...data.split(';').map((index) => `4;${Number(index)}`)]) this.#colours.delete(key);
      return false;
    });
    for (const [sets, resets] of Object.entries(COLOURS)) {
      parser.registerOscHandler(Number(sets), (data) => {
        this.#colour(sets, data);
        return false;
      });
      parser.registerOscHandler(resets, () => {
        this.#colours.delete(sets);
        return false;
      });
    }
  }

  #colour(key: string, value: string): void {
    if (COLOUR.test(value) && (this.#colours.has(key) || this.#colours.size < MAX_COLOURS))
      this.#colours.set(key, value);
  }

  #forget(): void {
    this.#charsets.clear();
    this.#colours.clear();
  }
}

function boundedSize({ cols, rows }: Size): Size {
  return { cols: Math.max(2, Math.min(cols, MAX_COLS)), rows: Math.max(1, Math.min(rows, MAX_ROWS)) };
}
