/** The labels there are, each pair of key and value once: what a query asks of labels is asked of these, and of resources only by number. */
import { searchText } from '@gatehouse/contract/filter';
import { ChunkedTexts } from './chunked-texts.ts';

export class LabelPairs {
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #uses: number[] = [];
  /** What a search looks in: key and value, one line each. */
  readonly #texts = new ChunkedTexts();
  readonly keys: string[] = [];
  readonly values: string[] = [];

  take(key: string, value: string): number {
    const name = nameOf(key, value);
    const known = this.#numbers.get(name);
    if (known !== undefined) {
      this.#uses[known]! += 1;
      return known;
    }
    const number = this.#free.pop() ?? this.keys.length;
    this.#numbers.set(name, number);
    this.#uses[number] = 1;
    this.keys[number] = key;
    this.values[number] = value;
    this.#texts.set(number, `${searchText(key)}\n${searchText(value)}`);
    return number;
  }

  /** A pair nobody has any more makes room: values such as versions come and go for years. */
  release(number: number): void {
    this.#uses[number]! -= 1;
    if (this.#uses[number]! > 0) return;
    this.#numbers.delete(nameOf(this.keys[number]!, this.values[number]!));
    this.keys[number] = this.values[number] = '';
    this.#texts.set(number, '');
    this.#free.push(number);
  }

  /** The flag of one pair; `undefined` when nobody has it. */
  only(key: string, value: string): Uint8Array | undefined {
    const number = this.#numbers.get(nameOf(key, value));
    if (number === undefined) return undefined;
    const flags = new Uint8Array(this.keys.length);
    flags[number] = 1;
    return flags;
  }

  /** Which pairs have the key, by number; `undefined` when none has. */
  withKey(key: string): Uint8Array | undefined {
    const flags = new Uint8Array(this.keys.length);
    let any = false;
    for (let number = 0; number < flags.length; number += 1) {
      if (this.#uses[number] === 0 || this.keys[number] !== key) continue;
      flags[number] = 1;
      any = true;
    }
    return any ? flags : undefined;
  }

  /** Which pairs have the word in their key or value; `undefined` when none has. */
  withWord(word: string): Uint8Array | undefined {
    const flags = new Uint8Array(this.keys.length);
    return this.#texts.flag(word, flags) > 0 ? flags : undefined;
  }
}

function nameOf(key: string, value: string): string {
  return JSON.stringify([key, value]);
}
