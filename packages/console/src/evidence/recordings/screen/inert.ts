/** Takes from a terminal whatever lets output act: answers, titles, the clipboard, links, colours, mouse reports, the bell, endless repetitions. */
import type { IFunctionIdentifier, Terminal } from '@xterm/xterm';

/** What asks for an answer, or for something of the window. */
const CSI: readonly IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { prefix: '>', final: 'q' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { final: 't' },
  { prefix: '>', final: 't' },
  { final: 'x' },
  { prefix: '?', final: 'u' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
];
/**
 * Titles and icons (0–2), colours (4, 5, 10–19, 104–119), folders (6, 7), links (8), notes (9, 777, 99), the clipboard (50–52),
 * marks and commands of other terminals (133, 633, 1337). What is left over xterm does not know.
 */
const OSC = [
  0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 46, 50, 51, 52, 60, 61, 99, 104, 105, 106,
  110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 133, 633, 697, 777, 1337,
];
const DCS: readonly IFunctionIdentifier[] = [
  { intermediates: '$', final: 'q' },
  { intermediates: '+', final: 'q' },
  { intermediates: '+', final: 'p' },
  { final: 'q' },
  { final: '|' },
];
/** Reports of the mouse and of the focus, and pasting in brackets: with them on, text could not even be selected. */
const MODES = new Set([9, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004, 2031]);

/** No screen has more; told to repeat something a billion times, a page would hang. */
const MAX_REPEATED = 5_000;
const REPEATING = ['@', 'A', 'B', 'E', 'F', 'I', 'L', 'M', 'P', 'S', 'T', 'X', 'Z', 'b', 'a', 'e'];

export function makeInert(terminal: Terminal): void {
  const { parser } = terminal;
  terminal.options.disableStdin = true;
  for (const id of CSI) parser.registerCsiHandler(id, () => true);
  for (const id of OSC) parser.registerOscHandler(id, () => true);
  for (const id of DCS) parser.registerDcsHandler(id, () => true);
  for (const final of REPEATING) parser.registerCsiHandler({ final }, (params) => params.some(isTooMany));
  for (const final of ['h', 'l'])
    parser.registerCsiHandler({ prefix: '?', final }, (params) => params.every((mode) => MODES.has(Number(mode))));
}

function isTooMany(given: number | number[]): boolean {
  return Array.isArray(given) ? given.some(isTooMany) : given > MAX_REPEATED;
}
