/** Values that a shell offers for an option or argument which has a parser of its own, and so no fixed choices. */
import type { Argument, Option } from 'commander';

const offered = new WeakMap<Option | Argument, readonly string[]>();

export function offering<Taker extends Option | Argument>(taker: Taker, values: readonly string[]): Taker {
  offered.set(taker, values);
  return taker;
}

export function offersOf(taker: Option | Argument): readonly string[] | undefined {
  return taker.argChoices ?? offered.get(taker);
}
