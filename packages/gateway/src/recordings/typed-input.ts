/**
 * Decides which of what was typed may be kept: only what the terminal showed, so that passwords are not.
 *
 *   flag  the terminal itself says whether it shows what is typed. It says so a little late: what is typed waits, and is
 *         forgotten when it turns out that it was hidden.
 *   seen  nobody says: a key is kept when it comes back as the very next output. Editing in the middle of a line does not,
 *         and is lost rather than guessed.
 */
/** What is seen may come back from far away. */
const WAIT_MS = { flag: 500, seen: 2_000 };
/** Nobody types so much unseen; a program that is pasted into and shows nothing must not fill the memory. */
const MAX_WAITING_BYTES = 64 * 1024;
const ESC = 0x1b;
const RETURN = 0x0d;
const LINE_FEED = 0x0a;
const DELETE = 0x7f;

export interface Typed {
  ms: number;
  bytes: Buffer;
}

export class TypedInput {
  readonly #by: 'flag' | 'seen';
  #shown = true;
  #waiting: Typed[] = [];
  #waitingBytes = 0;
  /** In the middle of an escape sequence of the output. */
  #sequence: 'none' | 'begun' | 'control' | 'string' = 'none';

  constructor(by: 'flag' | 'seen') {
    this.#by = by;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  typed(bytes: Uint8Array, ms: number): void {
    if (!this.#shown || this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) return;
    this.#waiting.push({ ms, bytes: Buffer.from(bytes) });
    this.#waitingBytes += bytes.length;
  }

  echo(shown: boolean): void {
    this.#shown = shown;
    if (!shown) this.#forget();
  }

  /** Output; gives what it shows to have been typed. */
  heard(output: Uint8Array, ms: number): Typed[] {
    if (this.#by === 'flag') return [];
    const kept: number[] = [];
    for (const byte of output) {
      if (this.#isInSequence(byte)) continue;
      const key = this.#waiting[0]?.bytes[0];
      if (key === undefined) continue;
      if (byte === LINE_FEED && kept.at(-1) === RETURN) continue;
      if (byte !== key || key < 0x20 !== (key === RETURN) || key === DELETE) {
        this.#forget();
        continue;
      }
      kept.push(key);
      this.#shift();
    }
    return kept.length === 0 ? [] : [{ ms, bytes: Buffer.from(kept) }];
  }

  /** What has waited long enough; of what was never seen, nothing. */
  settled(nowMs: number): Typed[] {
    const old = this.#waiting.filter(({ ms }) => nowMs - ms >= WAIT_MS[this.#by]);
    this.#waiting = this.#waiting.slice(old.length);
    this.#waitingBytes = this.#waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return this.#by === 'flag' ? old : [];
  }

  /** At the end nobody can say any more whether the last keys were hidden. */
  rest(): Typed[] {
    this.#forget();
    return [];
  }

  #forget(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
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
        this.#sequence = byte === 0x5b ? 'control' : [0x5d, 0x50, 0x5e, 0x5f].includes(byte) ? 'string' : 'none';
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
