/** Reads a stream message by message and passes it on as it came, but for what is held back: nothing is kept that is not asked for. */

export type GrammarStep =
  /** So many bytes to look at: they are read again. */
  | { peek: number }
  /** So many bytes, which are passed on. */
  | { take: number }
  /** So many bytes, which go nowhere unless they are put back. */
  | { hold: number }
  /** So many bytes, passed on as they come: however many, none is kept. */
  | { pass: number }
  /** The same, and they go nowhere. */
  | { drop: number };

export type Grammar = Generator<GrammarStep, never, Buffer>;

const NOTHING: Buffer = Buffer.alloc(0);

export class ByteGrammar {
  readonly #grammar: Grammar;
  readonly #sink: (bytes: Buffer) => void;
  #step: GrammarStep;
  /** What is left of earlier pieces, at its beginning. */
  #room: Buffer = NOTHING;
  #kept = 0;
  #bytes: Buffer = NOTHING;
  #at = 0;
  /** Of what is not passed on yet. */
  #from = 0;
  #isStopped = false;

  constructor(grammar: Grammar, sink: (bytes: Buffer) => void) {
    this.#grammar = grammar;
    this.#sink = sink;
    this.#step = grammar.next(NOTHING).value;
  }

  push(piece: Buffer): void {
    if (this.#isStopped) return;
    this.#bytes = this.#joined(piece);
    this.#at = 0;
    this.#from = 0;
    while (this.#advance());
    this.#flush();
    this.#kept = this.#bytes.length - this.#at;
    // A copy: what is left of a large piece would keep all of it. What was only waited for stays where it is.
    if (this.#kept === 0) this.#room = NOTHING;
    else if (this.#at > 0 || this.#bytes === piece) this.#room = Buffer.from(this.#bytes.subarray(this.#at));
    this.#bytes = NOTHING;
    this.#at = 0;
    this.#from = 0;
  }

  /** Behind what is left of earlier ones. Whoever sends a long message byte by byte does not have it copied with each. */
  #joined(piece: Buffer): Buffer {
    if (this.#kept === 0) return piece;
    const length = this.#kept + piece.length;
    if (length > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#kept));
      this.#room.copy(larger, 0, 0, this.#kept);
      this.#room = larger;
    }
    piece.copy(this.#room, this.#kept);
    return this.#room.subarray(0, length);
  }

  /** What has passed has been passed on. */
  settle(): void {
    this.#flush();
  }

  /** Nothing more is read, not even of the piece that is being read: one holds thousands of messages, each of which may cost more than it is long. */
  stop(): void {
    this.#isStopped = true;
  }

  #advance(): boolean {
    if (this.#isStopped) return false;
    const step = this.#step;
    const left = this.#bytes.length - this.#at;
    if ('peek' in step) {
      if (left < step.peek) return false;
      this.#step = this.#grammar.next(this.#bytes.subarray(this.#at, this.#at + step.peek)).value;
      return true;
    }
    if ('take' in step || 'hold' in step) {
      const count = 'take' in step ? step.take : step.hold;
      if (left < count) return false;
      if ('hold' in step) this.#flush();
      const value = this.#bytes.subarray(this.#at, this.#at + count);
      this.#at += count;
      if ('hold' in step) this.#from = this.#at;
      this.#step = this.#grammar.next(value).value;
      return true;
    }
    const isDropped = 'drop' in step;
    const wanted = isDropped ? step.drop : step.pass;
    const count = Math.min(wanted, left);
    if (isDropped) this.#flush();
    this.#at += count;
    if (isDropped) this.#from = this.#at;
    if (count < wanted) {
      this.#step = isDropped ? { drop: wanted - count } : { pass: wanted - count };
      return false;
    }
    this.#step = this.#grammar.next(NOTHING).value;
    return true;
  }

  #flush(): void {
    if (this.#from < this.#at) this.#sink(this.#bytes.subarray(this.#from, this.#at));
    this.#from = this.#at;
  }
}
