/** Holds the events of one chain, given one after the other, against each other and against signed places of it. */
import type { ChainProblem } from '@gatehouse/contract/audit/search';

/** A place of a chain and the hash of the event there. */
export interface Anchor {
  index: number;
  hash: string;
}

export interface ChainLink {
  chain_index: number;
  prev_hash: string;
  hash: string;
}

interface ChainCheckOptions {
  chain: string;
  /** What comes before the first event given. */
  start: Anchor;
  /** Places known for sure, in order; the last is where the chain must at least reach. */
  anchors: readonly Anchor[];
}

export class ChainCheck {
  readonly #chain: string;
  readonly #start: Anchor;
  readonly #anchors: readonly Anchor[];
  #nextAnchor = 0;
  /** The end of the last part whose anchor fitted. */
  #proven: Anchor;
  #last: Anchor;
  /** This event is whole in itself but does not follow the one before: which of the two is wrong shows in the next. */
  #suspect = false;
  #problem: ChainProblem | undefined;
  checked = 0;

  constructor({ chain, start, anchors }: ChainCheckOptions) {
    this.#chain = chain;
    this.#start = start;
    this.#anchors = anchors.filter(({ index }) => index > start.index);
    this.#proven = start;
    this.#last = start;
  }

  /** The last event that was given. */
  get last(): Anchor {
    return this.#last;
  }

  /** The last event does not follow the one before; whose fault it is the next one will show. */
  get suspects(): boolean {
    return this.#suspect;
  }

  /** Gives back the first problem, as soon as it is certain where it is. `actual` is the hash of the event as it is now. */
  add(link: ChainLink, actual: string): ChainProblem | undefined {
    this.#problem ??= this.#look(link, actual);
    return this.#problem;
  }

  #look(link: ChainLink, actual: string): ChainProblem | undefined {
    const expected = this.#last.index + 1;
    if (this.#suspect) {
      const confirmed = link.prev_hash === this.#last.hash && link.chain_index === expected;
      return this.#exchanged(confirmed ? this.#last.index - 1 : this.#last.index);
    }
    if (link.chain_index > expected) return this.#at(expected, 'is missing');
    if (link.chain_index < expected) return this.#at(link.chain_index, 'stands where another event belongs');
    if (actual !== link.hash) return this.#at(expected, 'was changed after it was written');
    this.checked += 1;
    const follows = link.prev_hash === this.#last.hash;
    const before = this.#last;
    this.#last = { index: expected, hash: link.hash };
    const anchor = this.#anchors[this.#nextAnchor];
    if (anchor?.index === expected) {
      this.#nextAnchor += 1;
      if (!follows) return this.#exchanged(anchor.hash === link.hash ? before.index : expected);
      if (anchor.hash !== link.hash) return this.#rewritten(expected);
      this.#proven = anchor;
    } else if (!follows) {
      if (before.index === this.#start.index) return this.#at(expected, 'does not follow what came before');
      this.#suspect = true;
    }
    return undefined;
  }

  /** Call it after the last event: what is missing at the end shows only now. */
  end(): ChainProblem | undefined {
    if (this.#problem) return this.#problem;
    if (this.#suspect) return this.#exchanged(this.#last.index - 1);
    const reach = this.#anchors.at(-1);
    if (!reach || reach.index <= this.#last.index) return undefined;
    return this.#at(this.#last.index + 1, `is missing, though the log had ${reach.index} events`);
  }

  #exchanged(index: number): ChainProblem {
    // What the chain begins with is known for sure; then it is the first event that does not follow it.
    const place = Math.max(index, this.#start.index + 1);
    return this.#at(place, 'was exchanged: its neighbours belong to another event');
  }

  #rewritten(until: number): ChainProblem {
    const first = this.#proven.index + 1;
    const reason = `or one after it, up to ${until}, was written anew: the end that was signed is another`;
    return this.#at(first, first === until ? 'was written anew: the one that was signed is another' : reason);
  }

  #at(index: number, what: string): ChainProblem {
    return { chain: this.#chain, index, reason: `event ${index} of chain '${this.#chain}' ${what}` };
  }
}
