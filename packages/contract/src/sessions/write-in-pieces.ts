/** A terminal plays whatever it is given at once without letting its page do anything else: so it is given little at a time. */

/** Played within a frame or two, even where each byte costs as much as the guard allows. */
export const PIECE = 4 * 1024;

export interface WrittenTerminal {
  write(data: string | Uint8Array, done?: () => void): void;
}

export function writeInPieces(terminal: WrittenTerminal, data: string | Uint8Array, done?: () => void): void {
  let at = 0;
  for (; data.length - at > PIECE; at += PIECE)
    terminal.write(typeof data === 'string' ? data.slice(at, at + PIECE) : data.subarray(at, at + PIECE));
  terminal.write(typeof data === 'string' ? data.slice(at) : data.subarray(at), done);
}
