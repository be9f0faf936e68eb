/** Events of one chain in the order of their places, whatever order they come in, held against what was signed on the way. */
import type { ChainProblem } from '@gatehouse/contract/audit/search';
import { FIRST_HASH } from '../../platform/audit/chain.ts';
import { type Anchor, ChainCheck, type ChainLink } from '../../platform/audit/check-chain.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';

/** Gateways write side by side, so events of one chain may stand in another order than their places. */
const MAX_WAITING = 10_000;
/** Until a signed beginning is read: the part of a chain that has not expired begins in its middle. */
const MAX_WAITING_FOR_START = 200_000;
/** More than lie between two checkpoints, and more than a sink is ever given twice. */
const MAX_RECENT = 50_000;

/** What a line says of its place in a chain, and the hash of what else it says. */
export interface ReadEvent extends ChainLink {
  chain: string;
  actual: string;
}

interface ChainReaderOptions {
  chain: string;
  start: Anchor;
  anchors: readonly Anchor[];
}

export class ChainReader {
  readonly #chain: string;
  readonly #anchors: readonly Anchor[];
  #check: ChainCheck;
  readonly #waiting = new Map<number, ReadEvent>();
  /** Hashes by place: a checkpoint comes after the events it covers, and after a crash a webhook gets a batch twice. */
  readonly #recent = new BoundedMap<number, string>(MAX_RECENT);
  /** Signed places that were not reached yet. */
  readonly #ahead = new Map<number, string>();
  /** Signed beginnings, as older events expired. */
  readonly #starts = new Map<number, string>();

  constructor({ chain, start, anchors }: ChainReaderOptions) {
    this.#chain = chain;
    this.#anchors = anchors;
    this.#check = new ChainCheck({ chain, start, anchors });
  }

  get checked(): number {
    return this.#check.checked;
  }

  get last(): number {
    return this.#check.last.index;
  }

  add(event: ReadEvent): ChainProblem | undefined {
    const { chain_index: place, hash, actual } = event;
    if (place <= this.last) {
      const isRepeated = hash === actual && this.#recent.get(place) === hash;
      return isRepeated ? undefined : this.#take(event);
    }
    if (place > this.last + 1) {
      this.#waiting.set(place, event);
      const isBegun = this.checked > 0;
      return this.#waiting.size > (isBegun ? MAX_WAITING : MAX_WAITING_FOR_START) ? this.#flush() : undefined;
    }
    return this.#take(event) ?? this.#takeWaiting();
  }

  /** A checkpoint of the copy itself says where the chain ended, and where it begins. */
  signed({ index, hash, start }: Anchor & { start?: Anchor | undefined }): ChainProblem | undefined {
    if (start && start.index > 0) this.#starts.set(start.index, start.hash);
    const problem = this.#beginLater();
    if (problem) return problem;
    if (index > this.last) {
      this.#ahead.set(index, hash);
      return undefined;
    }
    const known = this.#recent.get(index);
    return known === undefined || known === hash ? undefined : this.#rewritten(index);
  }

  end(): ChainProblem | undefined {
    const problem = this.#beginLater() ?? this.#flush() ?? this.#check.end();
    if (problem) return problem;
    const reach = Math.max(0, ...this.#ahead.keys());
    if (reach <= this.last) return undefined;
    const index = this.last + 1;
    const reason = `event ${index} of chain '${this.#chain}' is missing, though the log had ${reach} events`;
    return { chain: this.#chain, index, reason };
  }

  /** Nothing was taken so far, and what waits follows a beginning that was signed. */
  #beginLater(): ChainProblem | undefined {
    if (this.checked > 0 || this.#waiting.size === 0 || this.#starts.size === 0) return undefined;
    const first = this.#firstWaiting()!;
    const start = { index: first.chain_index - 1, hash: first.prev_hash };
    if (this.#starts.get(start.index) !== start.hash) return undefined;
    this.#check = new ChainCheck({ chain: this.#chain, start, anchors: this.#anchors });
    for (const place of this.#ahead.keys()) if (place <= start.index) this.#ahead.delete(place);
    return this.#takeWaiting();
  }

  #takeWaiting(): ChainProblem | undefined {
    for (let next = this.#next(); next; next = this.#next()) {
      const problem = this.#take(next);
      if (problem) return problem;
    }
    return undefined;
  }

  #next(): ReadEvent | undefined {
    if (this.#waiting.size === 0) return undefined;
    const place = this.last + 1;
    const next = this.#waiting.get(place);
    this.#waiting.delete(place);
    return next;
  }

  #firstWaiting(): ReadEvent | undefined {
    let first: ReadEvent | undefined;
    for (const event of this.#waiting.values()) if (!first || event.chain_index < first.chain_index) first = event;
    return first;
  }

  #flush(): ChainProblem | undefined {
    const first = this.#firstWaiting();
    return first && this.#take(first);
  }

  #take(event: ReadEvent): ChainProblem | undefined {
    const problem = this.#check.add(event, event.actual);
    if (problem) return problem;
    const { chain_index: place, hash } = event;
    this.#recent.set(place, hash);
    const signed = this.#ahead.get(place);
    this.#ahead.delete(place);
    return signed === undefined || signed === hash ? undefined : this.#rewritten(place);
  }

  #rewritten(index: number): ChainProblem {
    const reason = `event ${index} of chain '${this.#chain}', or one before it, was written anew: the one that was signed is another`;
    return { chain: this.#chain, index, reason };
  }
}

/** Where a chain begins of which nothing has expired. */
export const CHAIN_START: Anchor = { index: 0, hash: FIRST_HASH };
