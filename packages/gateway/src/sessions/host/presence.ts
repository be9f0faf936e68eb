/** Who is typing just now, among the people of a session. */

/** Long enough to bridge the gaps between words, short enough to be true. */
export const TYPING_MS = 1_500;

export class Presence {
  readonly #typing = new Map<string, NodeJS.Timeout>();
  readonly #onChange: (id: string) => void;

  constructor(onChange: (id: string) => void) {
    this.#onChange = onChange;
  }

  isTyping(id: string): boolean {
    return this.#typing.has(id);
  }

  typed(id: string): void {
    const known = this.#typing.get(id);
    if (known) {
      known.refresh();
      return;
    }
    this.#typing.set(id, setTimeout(() => this.#rested(id), TYPING_MS).unref());
    this.#onChange(id);
  }

  left(id: string): void {
    clearTimeout(this.#typing.get(id));
    this.#typing.delete(id);
  }

  close(): void {
    for (const id of [...this.#typing.keys()]) this.left(id);
  }

  #rested(id: string): void {
    this.left(id);
    this.#onChange(id);
  }
}
