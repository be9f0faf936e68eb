/**
 * Decides which of what was typed may be kept: only what came back as the very next output, so that passwords are not. Nothing
 * is kept that the recording of the output does not show as well. Whether a terminal hides what is typed is known late, and
 * never of a terminal inside of it (ssh, tmux, docker exec): where it is known, even what seems to come back is dropped.
 *
 * Keys that are not shown as themselves (arrows, Tab, Ctrl-C) are passed over. What is typed while something else is printed is
 * lost rather than guessed.
 */
/** It may come back from far away. */
const WAIT_MS = 2_000;
/** Nobody types so much unseen; a program that is pasted into and shows nothing must not fill the memory. */
const MAX_WAITING_BYTES = 64 * 1024;
const ESC = 0x1b;
const RETURN = 0x0d;
const LINE_FEED = 0x0a;
const BACKSPACE = 0x08;
const DELETE = 0x7f;
const BELL = 0x07;
/** Function keys, answers of the terminal itself, and what stands around something that is pasted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters keys are told apart by
const KEY_SEQUENCES = /\x1b(?:\[[0-9;?<=>]*[@-~]|O[@-~]|[^[O])?/g;

export interface Typed {
  ms: number;
  bytes: Buffer;
}

export class TypedInput {
  #isHidden = false;
  #waiting: Typed[] = [];
  #waitingBytes = 0;
  /** Seen already, but others that were typed with it are not: a password may begin like what is printed next. */
  #seen: number[] = [];
  #last: number | undefined;
  /** In the middle of an escape sequence of the output. */
  #sequence: 'none' | 'begun' | 'control' | 'string' = 'none';

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  typed(bytes: Uint8Array, ms: number): void {
    if (this.#isHidden || this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) return;
    const keys = Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll(KEY_SEQUENCES, ''), 'latin1').filter(
      isShown,
    );
    if (keys.length === 0) return;
    this.#waiting.push({ ms, bytes: Buffer.from(keys) });
    this.#waitingBytes += keys.length;
  }

  /** The terminal itself says that it does not show what is typed, or does again. */
  echo(shown: boolean): void {
    this.#isHidden = !shown;
    if (!shown) this.#forget();
  }

  /** Output; gives what it shows to have been typed. */
  heard(output: Uint8Array, ms: number): Typed[] {
    this.settled(ms);
    const kept: number[] = [];
    for (const byte of output) {
      if (this.#isInSequence(byte)) continue;
      const key = this.#waiting[0]?.bytes[0];
      if (key === undefined) continue;
      if (byte === BELL || (byte === LINE_FEED && this.#last === RETURN)) continue;
      if (!isEchoOf(key, byte)) {
        this.#forget();
        continue;
      }
      this.#last = byte;
      this.#seen.push(key);
      this.#shift();
      if (this.#waiting.length > 0) continue;
      kept.push(...this.#seen.splice(0));
    }
    return kept.length === 0 ? [] : [{ ms, bytes: Buffer.from(kept) }];
  }

  /** What has not come back by now never does, nor does what was typed after it. */
  settled(nowMs: number): void {
    const [first] = this.#waiting;
    if (first && nowMs - first.ms >= WAIT_MS) this.#forget();
  }

  #forget(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#seen = [];
    this.#last = undefined;
  }

  #shift(): void {
    const [first] = this.#waiting;
    if (!first) return;
    this.#waitingBytes -= 1;
    if (first.bytes.length === 1) this.#waiting.shift();
    else first.bytes = first.bytes.subarray(1);
  }

  /** Colours and cursor moves around what is shown are not part of it. */
  #isInSequence(byte: number): boolean {
    switch (this.#sequence) {
      case 'none':
        if (byte !== ESC) return false;
        this.#sequence = 'begun';
        return true;
      case 'begun':
        // Between 0x20 and 0x2f more follows, as where a set of characters is chosen.
        if (byte >= 0x20 && byte <= 0x2f) return true;
        this.#sequence = byte === 0x5b ? 'control' : [0x5d, 0x50, 0x58, 0x5e, 0x5f].includes(byte) ? 'string' : 'none';
        return true;
      case 'control':
        if (byte >= 0x40 && byte <= 0x7e) this.#sequence = 'none';
        return true;
      case 'string':
        if (byte === 0x07 || byte === 0x9c) this.#sequence = 'none';
        else if (byte === ESC) this.#sequence = 'begun';
        return true;
      default:
        return this.#sequence satisfies never;
    }
  }
}

function isShown(key: number): boolean {
  return key >= 0x20 || key === RETURN || key === LINE_FEED || key === BACKSPACE;
}

function isEchoOf(key: number, byte: number): boolean {
  if (key === RETURN || key === LINE_FEED) return byte === RETURN;
  return key === DELETE || key === BACKSPACE ? byte === BACKSPACE : byte === key;
}
