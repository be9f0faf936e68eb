/** What a search through whole logs has found so far, of several containers in the order of their times. */
import type { LogHit } from '@gatehouse/contract/kinds/kube/browse';
import { type LogLine, MAX_LOG, readLine } from './log-book.ts';

export interface FoundLine extends LogLine {
  /** Which line of its log it is. */
  number: number;
}

export interface Searched {
  found: number;
  lines: number;
  bytes: number;
}

interface Part extends Searched {
  hits: FoundLine[];
  isOver: boolean;
  isCut: boolean;
}

export class FoundLines {
  readonly #parts: (Part | undefined)[];
  readonly #max: number;
  #size = 0;

  /** Of each source whether it is looked through. `max`: characters that are kept of all; further hits are counted. */
  constructor(wanted: readonly boolean[], max = MAX_LOG) {
    this.#max = max;
    this.#parts = wanted.map((isWanted) => (isWanted ? newPart() : undefined));
  }

  /** It is looked through once more from its first line. */
  beginAnew(source: number): void {
    const part = this.#parts[source];
    if (!part) return;
    for (const { text } of part.hits) this.#size -= text.length;
    this.#parts[source] = newPart();
  }

  add(source: number, hits: readonly LogHit[], { found, lines, bytes }: Searched): void {
    const part = this.#parts[source];
    if (!part) return;
    for (const { line, text } of hits) {
      if (this.#size >= this.#max) break;
      const hit = { ...readLine(source, text), number: line };
      part.hits.push(hit);
      this.#size += hit.text.length;
    }
    Object.assign(part, { found, lines, bytes });
  }

  end(source: number, isCut = false): void {
    const part = this.#parts[source];
    if (part) Object.assign(part, { isOver: true, isCut });
  }

  get isOver(): boolean {
    return this.#parts.every((part) => part?.isOver ?? true);
  }

  get isCut(): boolean {
    return this.#parts.some((part) => part?.isCut);
  }

  get searched(): Searched {
    const sum = { found: 0, lines: 0, bytes: 0 };
    for (const part of this.#parts) {
      sum.found += part?.found ?? 0;
      sum.lines += part?.lines ?? 0;
      sum.bytes += part?.bytes ?? 0;
    }
    return sum;
  }

  /** Those of one log stay in its order. */
  get all(): FoundLine[] {
    const parts = this.#parts.flatMap((part) => (part && part.hits.length > 0 ? [part.hits] : []));
    if (parts.length < 2) return parts[0]?.slice() ?? [];
    return parts.flat().sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }
}

function newPart(): Part {
  return { hits: [], found: 0, lines: 0, bytes: 0, isOver: false, isCut: false };
}

/** Where a hit lies among the lines around it, which were read once more: meanwhile the cluster may have begun another file. */
export function placeOf(hit: FoundLine, lines: readonly LogLine[], from: number): number | undefined {
  const expected = hit.number - from;
  const isIt = (line: LogLine | undefined) => line !== undefined && line.at === hit.at && line.text.includes(hit.text);
  if (isIt(lines[expected])) return expected;
  const found = lines.findIndex(isIt);
  return found < 0 ? undefined : found;
}
