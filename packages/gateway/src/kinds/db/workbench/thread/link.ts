/** One connection to the database as the thread has it: pieces are worked on one after the other, and no further one comes while many wait. */

export interface LinkWire {
  send(bytes: Uint8Array): void;
  took(count: number): void;
  hangUp(): void;
}

export type TakePiece = (piece: Buffer) => Promise<void> | undefined;

export class Link {
  readonly #wire: LinkWire;
  readonly #waiting: Buffer[] = [];
  #take: TakePiece = () => undefined;
  #onCut: () => void = () => {};
  #isTaking = false;
  #isCut = false;
  /** In milliseconds, so far: spent on what came, and spent on waiting for somebody to take what came of it. */
  readonly spent = { workedMs: 0, waitedMs: 0 };

  constructor(wire: LinkWire) {
    this.#wire = wire;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  listen(take: TakePiece, onCut: () => void): void {
    this.#take = take;
    this.#onCut = onCut;
    void this.#work();
  }

  write(bytes: Uint8Array): void {
    // A copy: small buffers share their memory, which would go along.
    if (!this.#isCut) this.#wire.send(Uint8Array.from(bytes));
  }

  hear(piece: Buffer): void {
    this.#waiting.push(piece);
    void this.#work();
  }

  /** From the far side. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    void this.#work();
  }

  /** From this side. */
  close(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#waiting.length = 0;
    this.#wire.hangUp();
    this.#onCut();
    this.#onCut = () => {};
  }

  async #work(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      for (let piece = this.#waiting.shift(); piece; piece = this.#waiting.shift()) {
        const begun = performance.now();
        const taken = this.#take(piece);
        const worked = performance.now();
        this.spent.workedMs += worked - begun;
        if (taken) {
          await taken;
          this.spent.waitedMs += performance.now() - worked;
        }
        this.#wire.took(piece.length);
      }
    } catch {
      // No message of the protocol: what follows may be anything.
      this.close();
    } finally {
      this.#isTaking = false;
    }
    if (!this.#isCut || this.#waiting.length > 0) return;
    this.#onCut();
    this.#onCut = () => {};
  }
}
