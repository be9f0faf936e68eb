/**
 * Who has proved nothing yet: few of all, and fewer of one address. When all places are taken, whoever comes from an address that has
 * fewer than another gets the oldest place of that other: a handful of addresses that say nothing cannot keep everybody out.
 */

const MAX_UNPROVED = 100;
const MAX_UNPROVED_OF_ONE = 10;

interface Newcomer {
  cut(): void;
}

export class UnprovedFew {
  /** Those of an address in the order they came. */
  readonly #byAddress = new Map<string, Set<Newcomer>>();
  #count = 0;

  /** Gives back how to leave; undefined: there is no place. `cut`: it has lost its place to another. */
  enter(address: string, cut: () => void): (() => void) | undefined {
    const own = this.#byAddress.get(address) ?? new Set();
    if (own.size >= MAX_UNPROVED_OF_ONE) return undefined;
    if (this.#count >= MAX_UNPROVED && !this.#makeRoom(own.size + 1)) return undefined;
    const place = { cut };
    this.#byAddress.set(address, own.add(place));
    this.#count += 1;
    return () => this.#leave(address, place);
  }

  /** From who would still have at least as many as the one that comes. */
  #makeRoom(wanted: number): boolean {
    let most: [string, Set<Newcomer>] | undefined;
    for (const each of this.#byAddress) if (each[1].size > (most?.[1].size ?? wanted)) most = each;
    const [oldest] = most?.[1] ?? [];
    if (!most || !oldest) return false;
    this.#leave(most[0], oldest);
    oldest.cut();
    return true;
  }

  #leave(address: string, place: Newcomer): void {
    const places = this.#byAddress.get(address);
    if (!places?.delete(place)) return;
    this.#count -= 1;
    if (places.size === 0) this.#byAddress.delete(address);
  }
}
