/** Tells commands from what is on the screen: by the marks of shells that give them, else by a prompt with something behind it when the line is sent off. */
import type { ScreenPlayer } from './screen-player.ts';

const MAX_CHARACTERS = 200;
/** `user@host:~/work$ make`, `[root@box /]# ls`, `$ id`, `~/work ❯ git status`. */
const PROMPT = /^(?:\[[^\]]{1,120}\]|[^\s$#%❯]{0,120}(?: [^\s$#%❯]{1,120})?) ?[$#%❯] (\S.*)$/u;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const ESCAPE = 0x1b;

export class CommandFinder {
  readonly #player: ScreenPlayer;
  readonly #onCommand: (text: string) => void;
  #hasMarks = false;
  #begin: { at: ReturnType<ScreenPlayer['followRow']>; column: number } | undefined;

  constructor(player: ScreenPlayer, onCommand: (text: string) => void) {
    this.#player = player;
    this.#onCommand = onCommand;
    player.onCommandMark((mark) => this.#mark(mark.slice(0, 1)));
  }

  /** Output is about to be played. The echo of the return key begins with a new line; what programs print ends with one. */
  before(bytes: Uint8Array): void {
    const [first] = bytes;
    if (this.#hasMarks || (first !== CARRIAGE_RETURN && first !== LINE_FEED && first !== ESCAPE)) return;
    if (first === ESCAPE && !Buffer.from(bytes.subarray(0, 8)).toString('latin1').endsWith('[?2004l')) return;
    if (first === CARRIAGE_RETURN && !bytes.subarray(0, 4).includes(LINE_FEED)) return;
    this.#player.after(() => {
      if (this.#player.isAlternate) return;
      const command = PROMPT.exec(this.#player.lineAt(this.#player.cursorRow).trimEnd())?.[1];
      if (command) this.#onCommand(command.slice(0, MAX_CHARACTERS));
    });
  }

  #mark(mark: string): void {
    this.#hasMarks = true;
    const player = this.#player;
    if (mark === 'B') this.#begin = { at: player.followRow(player.cursorRow), column: player.cursorColumn };
    if (mark !== 'C' || !this.#begin) return;
    const row = this.#begin.at?.row();
    const typed = row === undefined ? '' : player.lineAt(row).slice(this.#begin.column).trim();
    this.#begin.at?.release();
    this.#begin = undefined;
    if (typed) this.#onCommand(typed.slice(0, MAX_CHARACTERS));
  }
}
