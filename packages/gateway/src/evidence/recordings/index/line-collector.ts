/** Gathers the lines that were on the screen with when each was first seen, each once: what find and search look through. */
import type { ScreenPlayer } from './screen-player.ts';

export interface SeenLine {
  ms: number;
  text: string;
}

/** Beyond these a recording is found by its beginning only. */
export const MAX_LINES = 50_000;
export const MAX_LINE_CHARACTERS = 400;
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Programs that redraw show the same line with other numbers again and again: so many of a kind are enough. */
const MAX_ALIKE = { normal: 64, alternate: 4 } as const;
/** Shapes that are kept count of; a program that makes more is not redrawing. */
const MAX_SHAPES = 20_000;

export class LineCollector {
  readonly #player: ScreenPlayer | undefined;
  readonly #seen: Set<number>;
  readonly #alike = new Map<number, number>();
  #lines: SeenLine[] = [];
  #count = 0;
  #characters: number;
  /** What is on the screen now, and since when. */
  #shown = new Map<string, number>();
  /** The first row that may still change. */
  #open: ReturnType<ScreenPlayer['followRow']>;

  /** Without a terminal there is nothing to look at: lines are told. */
  constructor(
    player: ScreenPlayer | undefined,
    before: { seen: Iterable<number>; characters: number } = { seen: [], characters: 0 },
  ) {
    this.#player = player;
    this.#seen = new Set(before.seen);
    this.#count = this.#seen.size;
    this.#characters = before.characters;
  }

  get isFull(): boolean {
    return this.#count >= MAX_LINES || this.#characters >= MAX_CHARACTERS;
  }

  /** What a later collector needs to go on without telling a line twice. */
  get state(): { seen: Int32Array; characters: number } {
    return { seen: Int32Array.from(this.#seen), characters: this.#characters };
  }

  /** Lines since the last time. */
  take(): SeenLine[] {
    const taken = this.#lines;
    this.#lines = [];
    return taken;
  }

  /** Looks at the screen as it is; call it often enough that nothing scrolls out of the terminal's memory unseen. */
  look(ms: number): void {
    const player = this.#player;
    if (!player || this.isFull) return;
    const isAlternate = player.isAlternate;
    const shown = new Map<string, number>();
    const first = isAlternate ? player.base : (this.#open?.row() ?? 0);
    let open = player.length;
    for (let at = first; at < player.length; ) {
      const { text, next } = lineFrom(player, at);
      const hasLeft = next <= player.base && !isAlternate;
      const isTyped = player.cursorRow >= at && player.cursorRow < next;
      if (hasLeft) this.#add(text, this.#shown.get(text) ?? ms);
      else {
        open = Math.min(open, at);
        const since = this.#shown.get(text);
        shown.set(text, since ?? ms);
        // A line that is being written is looked at when it is done.
        if (since === undefined && isTyped) shown.delete(text);
        else if (since === undefined) this.#addDrawn(text, ms, isAlternate ? 'alternate' : 'normal');
      }
      at = next;
    }
    this.#shown = shown;
    if (isAlternate) return;
    this.#open?.release();
    this.#open = player.followRow(open);
  }

  /** At the end nothing changes any more, the line of the cursor included. */
  finish(ms: number): void {
    this.look(ms);
    const player = this.#player;
    if (!player) return;
    const { base, length } = player;
    for (let at = base; at < length; ) {
      const { text, next } = lineFrom(player, at);
      this.#add(text, this.#shown.get(text) ?? ms);
      at = next;
    }
  }

  /** Of what was never on a screen: each line of a text, in as many pieces as it takes. */
  tell(text: string, ms: number): void {
    for (const line of text.split(/[\r\n]+/)) {
      for (let at = 0; at < line.length && !this.isFull; ) {
        const end = pieceEnd(line, at);
        this.#add(line.slice(at, end), ms);
        at = end;
      }
      if (this.isFull) return;
    }
  }

  #addDrawn(text: string, ms: number, screen: keyof typeof MAX_ALIKE): void {
    const shape = hashOf(text.replaceAll(/\d+/g, '0').replaceAll(/\s+/g, ' '));
    const alike = this.#alike.get(shape) ?? 0;
    if (alike >= MAX_ALIKE[screen]) return;
    if (alike > 0 || this.#alike.size < MAX_SHAPES) this.#alike.set(shape, alike + 1);
    this.#add(text, ms);
  }

  #add(text: string, ms: number): void {
    if (this.isFull || !/[\p{L}\p{N}]/u.test(text)) return;
    const hash = hashOf(text);
    if (this.#seen.has(hash)) return;
    this.#seen.add(hash);
    this.#count += 1;
    this.#characters += text.length;
    this.#lines.push({ ms, text: text.trimEnd() });
  }
}

/** The whole line that begins at a row, which may go over several. */
function lineFrom(player: ScreenPlayer, at: number): { text: string; next: number } {
  let text = player.row(at)?.text ?? '';
  let next = at + 1;
  for (let row = player.row(next); row?.wraps; row = player.row(next)) {
    if (text.length < MAX_LINE_CHARACTERS) text += row.text;
    next += 1;
  }
  return { text: text.slice(0, MAX_LINE_CHARACTERS), next };
}

/** FNV-1a: two lines in four thousand million are taken for one, and neither is evidence. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** Between two words, where there is such a place. */
function pieceEnd(line: string, from: number): number {
  const end = from + MAX_LINE_CHARACTERS;
  if (line.length <= end) return line.length;
  const space = line.lastIndexOf(' ', end);
  return space > from ? space : end;
}
