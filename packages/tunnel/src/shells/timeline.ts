/** What held from which byte of output on: the size of the terminal, and whether what is typed is shown. */
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';

/** More changes than this within what is held are a program's game; the oldest are then forgotten. */
const MAX_MARKS = 1000;

export interface Look extends ShellSize {
  echo: boolean;
}

export class Timeline {
  #marks: ({ at: number } & Look)[];

  constructor(first: Look) {
    this.#marks = [{ at: 0, ...first }];
  }

  get now(): Look {
    return this.at(Number.POSITIVE_INFINITY);
  }

  at(offset: number): Look {
    const mark = this.#marks.findLast(({ at }) => at <= offset) ?? this.#marks[0];
    if (!mark) throw new Error('a timeline has a beginning');
    return mark;
  }

  /** The next byte beyond `offset` from which something else holds. */
  nextAfter(offset: number): number {
    return this.#marks.find(({ at }) => at > offset)?.at ?? Number.POSITIVE_INFINITY;
  }

  change(at: number, change: Partial<Look>): void {
    const { cols, rows, echo } = this.now;
    const last = this.#marks.at(-1);
    if (last?.at === at) Object.assign(last, change);
    else this.#marks.push({ at, cols, rows, echo, ...change });
    if (this.#marks.length > MAX_MARKS) this.#marks.shift();
  }

  /** Nobody asks for what was before this byte any more. */
  forgetBefore(start: number): void {
    const first = this.#marks.findLastIndex(({ at }) => at <= start);
    if (first > 0) this.#marks.splice(0, first);
  }
}
