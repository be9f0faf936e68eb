/** What hostile output could do to the terminal that plays it: keep it busy for ever, or make it throw. */
import type headless from '@xterm/headless';
import { coreOf } from './screen-core.ts';

/** No screen has more, and a repetition longer than this would hold the thread for minutes. */
const MOST_REPEATED = 5_000;
/** Control sequences that do something as often as they are told. */
const REPEATING = ['@', 'A', 'B', 'I', 'L', 'M', 'P', 'S', 'T', 'X', 'Z', 'b'];
const ALL = 2;

export function guardTerminal(terminal: headless.Terminal): void {
  const { parser } = terminal;
  for (const final of REPEATING)
    parser.registerCsiHandler({ final }, (params) => params.some((given) => first(given) > MOST_REPEATED));
  // Erasing up to the very last cell, it would look at the row below the last one, and throw. All is erased then.
  for (const prefix of ['', '?']) {
    parser.registerCsiHandler({ ...(prefix && { prefix }), final: 'J' }, (params) => {
      const { buffers, _inputHandler: handler } = coreOf(terminal);
      const { x, y, lines } = buffers.active;
      if (first(params[0] ?? 0) !== 1 || x + 1 < terminal.cols || y + 1 < lines.length) return false;
      return handler.eraseInDisplay({ length: 1, params: [ALL] }, prefix === '?');
    });
  }
}

function first(given: number | number[]): number {
  return Array.isArray(given) ? (given[0] ?? 0) : given;
}
