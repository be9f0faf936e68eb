import { expect, test } from 'vitest';
import { PIECE, writeInPieces } from './write-in-pieces.ts';

function fakeTerminal() {
  const written: (string | Uint8Array)[] = [];
  const dones: ((() => void) | undefined)[] = [];
  return {
    written,
    dones,
    write(data: string | Uint8Array, done?: () => void) {
      written.push(data);
      dones.push(done);
    },
  };
}

test.each([0, 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 7])(
  '%i bytes, or characters, are written in order and a little at a time, and are done with the last',
  (length) => {
    const bytes = Uint8Array.from({ length }, (_, at) => at % 251);
    const text = 'abcdefghijk'.repeat(length).slice(0, length);
    for (const data of [bytes, text]) {
      const terminal = fakeTerminal();
      const done = () => {};
      writeInPieces(terminal, data, done);

      const whole = terminal.written.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
      expect(Buffer.concat(whole).equals(Buffer.from(data))).toBe(true);
      expect(Math.max(...terminal.written.map((piece) => piece.length))).toBeLessThanOrEqual(PIECE);
      expect(terminal.dones.filter(Boolean)).toEqual([done]);
      expect(terminal.dones.at(-1)).toBe(done);
    }
  },
);
