/** The labels there are, each pair of key and value once, with the slots that have it: a question about labels is asked of these and not of each resource. */
import { searchText } from '@gatehouse/contract/wire/filter';
import { ChunkedTexts } from './chunked-texts.ts';

export class LabelPairs {
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #slots: number[][] = [];
  /** What a search looks in: key and value, one line each. */
  readonly #texts = new ChunkedTexts();
  readonly keys: string[] = [];
  readonly values: string[] = [];

  /** The pair's number, new or known. */
  number(key: string, value: string): number {
    const name = nameOf(key, value);
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.keys.length;
    this.#numbers.set(name, number);
    this.#slots[number] = [];
    this.keys[number] = key;
    this.values[number] = value;
    this.#texts.set(number, `${searchText(key)}\n${searchText(value)}`);
    return number;
  }

  add(number: number, slot: number): void {
    this.#slots[number]!.push(slot);
  }

  /** A pair nobody has any more makes room: values such as versions come and go for years. */
  remove(number: number, slot: number): void {
    const slots = this.#slots[number]!;
    const last = slots.pop()!;
    if (last !== slot) slots[slots.indexOf(slot)] = last;
    if (slots.length > 0) return;
    this.#numbers.delete(nameOf(this.keys[number]!, this.values[number]!));
    this.keys[number] = this.values[number] = '';
    this.#texts.set(number, '');
    this.#free.push(number);
  }

  /** Sets the flag of every slot that has the pair. */
  flagPair(key: string, value: string, flags: Uint8Array): void {
    const number = this.#numbers.get(nameOf(key, value));
    if (number !== undefined) this.#flag(number, flags);
  }

  /** Sets the flag of every slot that has a label with the key. */
  flagKey(key: string, flags: Uint8Array): void {
    for (let number = 0; number < this.keys.length; number += 1) {
      if (this.keys[number] === key) this.#flag(number, flags);
    }
  }

  /** Sets the flag of every slot that has the word in a key or value. */
  flagWord(word: string, flags: Uint8Array): void {
    const found = new Uint8Array(this.keys.length);
    if (this.#texts.flag(word, found) === 0) return;
    for (let number = 0; number < found.length; number += 1) if (found[number] === 1) this.#flag(number, flags);
  }

  #flag(number: number, flags: Uint8Array): void {
    const slots = this.#slots[number]!;
    for (let at = 0; at < slots.length; at += 1) flags[slots[at]!] = 1;
  }
}

function nameOf(key: string, value: string): string {
  return JSON.stringify([key, value]);
}
