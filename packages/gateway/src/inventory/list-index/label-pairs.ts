/** The labels there are, each pair of key and value once: what a query asks of labels is asked of these, and of resources only by number. */
import { searchText } from '@gatehouse/contract/filter';

export class LabelPairs {
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #uses: number[] = [];
  readonly keys: string[] = [];
  readonly values: string[] = [];
  /** What a search looks in: key and value, one line each. */
  readonly texts: string[] = [];

  take(key: string, value: string): number {
    const name = JSON.stringify([key, value]);
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
    this.texts[number] = `${searchText(key)}\n${searchText(value)}`;
    return number;
  }

  /** A pair nobody has any more makes room: values such as versions come and go for years. */
  release(number: number): void {
    this.#uses[number]! -= 1;
    if (this.#uses[number]! > 0) return;
    this.#numbers.delete(JSON.stringify([this.keys[number], this.values[number]]));
    this.keys[number] = this.values[number] = this.texts[number] = '';
    this.#free.push(number);
  }

  find(key: string, value: string): number | undefined {
    return this.#numbers.get(JSON.stringify([key, value]));
  }

  /** Which pairs a condition holds for, by number; `undefined` when for none. */
  which(holds: (number: number) => boolean): Uint8Array | undefined {
    const flags = new Uint8Array(this.keys.length);
    let any = false;
    for (let number = 0; number < flags.length; number += 1) {
      if (this.#uses[number] === 0 || !holds(number)) continue;
      flags[number] = 1;
      any = true;
    }
    return any ? flags : undefined;
  }
}
