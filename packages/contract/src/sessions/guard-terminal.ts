/**
 * What hostile output could do to a terminal that plays it: keep it busy for ever, or make it throw. The gateway's terminals, the
 * console's and the player's are of one make, and guarded alike.
 */

/** No screen has more, and a repetition longer than this would hold the thread for minutes. */
const MOST_REPEATED = 5_000;
/** Control sequences that do something as often as they are told. */
const REPEATING = ['@', 'A', 'B', 'I', 'L', 'M', 'P', 'S', 'T', 'X', 'Z', 'b'];
const ALL = 2;

type Params = readonly (number | number[])[];

export interface GuardedTerminal {
  readonly cols: number;
  readonly parser: {
    registerCsiHandler(
      id: { prefix?: string; final: string },
      callback: (params: (number | number[])[]) => boolean,
    ): unknown;
  };
}

/** What its public interface does not tell. Its version is pinned, and tests on both sides hold it to this. */
interface Core {
  buffers: { active: { x: number; y: number; lines: { length: number } } };
  _inputHandler: { eraseInDisplay(params: { length: number; params: number[] }, respectProtect: boolean): boolean };
}

export function guardTerminal(terminal: GuardedTerminal): void {
  const { parser } = terminal;
  for (const final of REPEATING) parser.registerCsiHandler({ final }, repeatsTooOften);
  // Erasing up to the very last cell, it would look at the row below the last one, and throw. All is erased then.
  for (const prefix of ['', '?']) {
    parser.registerCsiHandler({ ...(prefix && { prefix }), final: 'J' }, (params) => {
      const { buffers, _inputHandler: handler } = (terminal as unknown as { _core: Core })._core;
      const { x, y, lines } = buffers.active;
      if (first(params[0] ?? 0) !== 1 || x + 1 < terminal.cols || y + 1 < lines.length) return false;
      return handler.eraseInDisplay({ length: 1, params: [ALL] }, prefix === '?');
    });
  }
}

function repeatsTooOften(params: Params): boolean {
  return params.some((given) => first(given) > MOST_REPEATED);
}

function first(given: number | number[]): number {
  return Array.isArray(given) ? (given[0] ?? 0) : given;
}
