/** Bytes of one direction: each piece is looked at and passed on as it came, at the pace of the slower side. */
import type { Duplex } from 'node:stream';

/** A smaller piece is an answer that somebody waits for; larger ones come in rows, and go out together. */
const SMALL_BYTES = 4_096;
const TOGETHER_BYTES = 256 * 1024;
/** After as many, everybody else has a turn: a socket that always has more is read up to 32 times before the next one is looked at, and whoever types at a terminal beside it would wait for two megabytes. */
const TURN_BYTES = 256 * 1024;

export interface FlowDeps {
  from: Duplex;
  to: Duplex;
  /** Gives what is passed on: the piece itself, but for what an engine takes out of it, or holds back for a while. Throws where it is no message of the protocol: nothing of the piece is passed on then. */
  look(piece: Buffer): Buffer;
  /** Nothing after this piece is passed on. */
  isLast?(): boolean;
  /** Called once, when nothing more will pass: with what `look` threw and at which piece, or with nothing at an ordinary end. */
  ended(wrong: { error: Error; piece: Buffer } | undefined): void;
}

export class Flow {
  readonly #deps: FlowDeps;
  #held: Buffer[] = [];
  #size = 0;
  #isWaiting = false;
  #isFull = false;
  /** By how many; each goes on by itself. */
  #halts = 0;
  #isOver = false;
  /** Since others had a turn. */
  #inTurn = 0;
  /** Waits until the other side has read what was put. */
  #halted: Flow | undefined;

  constructor(deps: FlowDeps) {
    this.#deps = deps;
  }

  /** `first`: what was read before the bytes were only passed on. */
  start(first: Buffer): void {
    const { from, to } = this.#deps;
    from.on('error', () => {});
    to.on('error', () => {});
    from.on('data', this.#arrived);
    from.on('end', this.#fromEnded);
    from.on('close', this.#fromEnded);
    to.on('drain', this.#drained);
    to.on('close', this.#fromEnded);
    if (first.length > 0) this.#arrived(first);
    // It may be over before anybody listens.
    if (from.readableEnded || from.destroyed || to.destroyed) this.#fromEnded();
    this.#move();
  }

  /** Nothing more is read until `resume`, once for each: whoever looks has no room for more. */
  halt(): void {
    this.#halts += 1;
    this.#deps.from.pause();
  }

  resume(): void {
    this.#halts -= 1;
    this.#move();
  }

  /** Of our own, behind what has passed. Whatever `because` carries goes no further while the other side does not read: it would be answered without end. */
  put(bytes: Buffer, because: Flow): void {
    if (this.#isOver) return;
    this.#held.push(bytes);
    this.#size += bytes.length;
    this.#flush();
    if (!this.#isFull || this.#halted) return;
    this.#halted = because;
    because.halt();
  }

  /** Nothing more of `from` is passed on, and what waits has been given to the other side. */
  stop(): void {
    if (this.#isOver) return;
    this.#flush();
    this.#finish(undefined);
  }

  readonly #arrived = (piece: Buffer): void => {
    if (this.#isOver) return;
    let passed: Buffer;
    try {
      passed = this.#deps.look(piece);
    } catch (error) {
      this.#flush();
      this.#finish({ error: error instanceof Error ? error : new Error(String(error)), piece });
      return;
    }
    // Looking may have ended it: what has come then is not passed on.
    if (this.#isOver) return;
    if (passed.length > 0) this.#held.push(passed);
    this.#size += passed.length;
    this.#countTurn(piece.length);
    if (this.#deps.isLast?.()) this.stop();
    else if ((!this.#isWaiting && piece.length < SMALL_BYTES) || this.#size >= TOGETHER_BYTES) {
      this.#flush();
    } else if (!this.#isWaiting) {
      this.#isWaiting = true;
      setImmediate(this.#flush);
    }
  };

  #countTurn(bytes: number): void {
    const before = this.#inTurn;
    this.#inTurn += bytes;
    // Paused, a socket still hands over what it has read.
    if (before >= TURN_BYTES || this.#inTurn < TURN_BYTES) return;
    this.halt();
    setImmediate(() => {
      this.#inTurn = 0;
      this.resume();
    });
  }

  readonly #flush = (): void => {
    this.#isWaiting = false;
    if (this.#held.length === 0 || this.#isOver) return;
    const { from, to } = this.#deps;
    const pieces = this.#held;
    this.#held = [];
    this.#size = 0;
    let hasRoom = true;
    if (pieces.length > 1) to.cork();
    for (const piece of pieces) hasRoom = to.write(piece);
    if (pieces.length > 1) to.uncork();
    if (hasRoom) return;
    this.#isFull = true;
    from.pause();
  };

  readonly #drained = (): void => {
    this.#isFull = false;
    this.#move();
    const halted = this.#halted;
    this.#halted = undefined;
    halted?.resume();
  };

  readonly #fromEnded = (): void => {
    this.#flush();
    this.#finish(undefined);
  };

  #move(): void {
    if (!this.#isFull && this.#halts === 0 && !this.#isOver) this.#deps.from.resume();
  }

  #finish(wrong: { error: Error; piece: Buffer } | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held = [];
    const { from, to, ended } = this.#deps;
    from.off('data', this.#arrived);
    from.off('end', this.#fromEnded);
    from.off('close', this.#fromEnded);
    to.off('drain', this.#drained);
    to.off('close', this.#fromEnded);
    ended(wrong);
  }
}
