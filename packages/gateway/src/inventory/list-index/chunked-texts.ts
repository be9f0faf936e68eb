/**
 * Many numbered texts in which a word is looked for in all at once. They are kept joined, some hundred together: reading
 * on through memory is many times quicker than jumping to each, and a text that changes spoils only its own chunk. Each
 * chunk knows which three letters stand together somewhere in it: most chunks cannot have most words.
 */
const CHUNK_SIZE = 512;
/** No text has it and no word: a match cannot reach from one text into the next. */
const BETWEEN = '\0';
/** Threes that fall together make a chunk look as if it had a word; with so many places few do. */
const THREES = 65_536;

interface Chunk {
  joined: string;
  /** Where each text of the chunk ends. */
  ends: Int32Array;
  threes: Uint8Array;
}

export class ChunkedTexts {
  readonly #texts: string[] = [];
  readonly #chunks: (Chunk | undefined)[] = [];

  get(number: number): string {
    return this.#texts[number]!;
  }

  set(number: number, text: string): void {
    if (this.#texts[number] === text) return;
    this.#texts[number] = text;
    this.#chunks[Math.floor(number / CHUNK_SIZE)] = undefined;
  }

  /** Sets the flag of each text that contains the word. Gives back how many do. */
  flag(word: string, flags: Uint8Array): number {
    const wanted = threesOf(word);
    let found = 0;
    for (let first = 0; first < this.#texts.length; first += CHUNK_SIZE) {
      const chunk = this.#chunk(first);
      if (wanted.every((three) => hasThree(chunk.threes, three))) found += flagIn(chunk, word, first, flags);
    }
    return found;
  }

  #chunk(first: number): Chunk {
    const number = first / CHUNK_SIZE;
    const known = this.#chunks[number];
    if (known) return known;
    const made = chunkOf(this.#texts.slice(first, first + CHUNK_SIZE));
    this.#chunks[number] = made;
    return made;
  }
}

function chunkOf(texts: readonly string[]): Chunk {
  const ends = new Int32Array(texts.length);
  let end = 0;
  for (const [at, text] of texts.entries()) {
    end += text.length + BETWEEN.length;
    ends[at] = end;
  }
  const joined = texts.join(BETWEEN) + BETWEEN;
  const threes = new Uint8Array(THREES / 8);
  for (let at = 2; at < joined.length; at += 1) {
    const three = threeAt(joined, at - 2);
    threes[three >>> 3]! |= 1 << (three & 7);
  }
  return { joined, ends, threes };
}

function flagIn({ joined, ends }: Chunk, word: string, first: number, flags: Uint8Array): number {
  let found = 0;
  for (let at = joined.indexOf(word), text = 0; at !== -1; at = joined.indexOf(word, ends[text - 1])) {
    while (ends[text]! <= at) text += 1;
    flags[first + text] = 1;
    text += 1;
    found += 1;
    if (text === ends.length) break;
  }
  return found;
}

function threesOf(word: string): number[] {
  return Array.from({ length: Math.max(word.length - 2, 0) }, (_, at) => threeAt(word, at));
}

/** A number below `THREES` for the three letters that begin here. */
function threeAt(text: string, at: number): number {
  const letters = text.charCodeAt(at) + text.charCodeAt(at + 1) * 257 + text.charCodeAt(at + 2) * 65_537;
  return Math.imul(letters, 0x9e3779b1) >>> 16;
}

function hasThree(threes: Uint8Array, three: number): boolean {
  return (threes[three >>> 3]! & (1 << (three & 7))) !== 0;
}
