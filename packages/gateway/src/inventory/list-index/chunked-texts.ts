/**
 * Many numbered texts in which a word is looked for in all at once. They are kept joined, some hundred together: reading
 * on through memory is many times quicker than jumping to each, and a text that changes spoils only its own chunk.
 */
const CHUNK_SIZE = 512;
/** No text has it and no word: a match cannot reach from one text into the next. */
const BETWEEN = '\0';

interface Chunk {
  joined: string;
  /** Where each text of the chunk ends. */
  ends: Int32Array;
}

export class ChunkedTexts {
  readonly #texts: string[] = [];
  readonly #chunks: (Chunk | undefined)[] = [];

  get length(): number {
    return this.#texts.length;
  }

  get(number: number): string {
    return this.#texts[number]!;
  }

  set(number: number, text: string): void {
    this.#texts[number] = text;
    this.#chunks[Math.floor(number / CHUNK_SIZE)] = undefined;
  }

  /** Sets the flag of each text that contains the word. Gives back how many do. */
  flag(word: string, flags: Uint8Array): number {
    let found = 0;
    for (let first = 0; first < this.#texts.length; first += CHUNK_SIZE) {
      const { joined, ends } = this.#chunk(first);
      for (let at = joined.indexOf(word), text = 0; at !== -1; at = joined.indexOf(word, ends[text - 1])) {
        while (ends[text]! <= at) text += 1;
        flags[first + text] = 1;
        text += 1;
        found += 1;
        if (text === ends.length) break;
      }
    }
    return found;
  }

  #chunk(first: number): Chunk {
    const number = first / CHUNK_SIZE;
    const known = this.#chunks[number];
    if (known) return known;
    const texts = this.#texts.slice(first, first + CHUNK_SIZE);
    const ends = new Int32Array(texts.length);
    let end = 0;
    for (const [at, text] of texts.entries()) {
      end += text.length + BETWEEN.length;
      ends[at] = end;
    }
    const made = { joined: texts.join(BETWEEN) + BETWEEN, ends };
    this.#chunks[number] = made;
    return made;
  }
}
