import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Flow } from './flow.ts';

const PIECE_BYTES = 64 * 1024;
const ALL_BYTES = 8 * 1024 * 1024;

/** Always has more, until it has given all. */
function giver(): Duplex {
  let given = 0;
  return new Duplex({
    highWaterMark: PIECE_BYTES,
    write: (_piece, _encoding, done) => done(),
    read() {
      given += PIECE_BYTES;
      this.push(given > ALL_BYTES ? null : Buffer.alloc(PIECE_BYTES));
    },
  });
}

test('who has much to pass on lets others have a turn, and everything comes', async () => {
  let passed = 0;
  const turns: number[] = [];
  const to = new Duplex({
    writableHighWaterMark: ALL_BYTES * 2,
    read() {},
    write(piece: Buffer, _encoding, done) {
      passed += piece.length;
      done();
    },
  });
  const { promise: over, resolve } = Promise.withResolvers<void>();

  new Flow({ from: giver(), to, look: (piece) => piece, ended: () => resolve() }).start(Buffer.alloc(0));
  while (passed < ALL_BYTES) {
    await turn();
    turns.push(passed);
  }
  await over;

  expect(passed).toBe(ALL_BYTES);
  const steps = turns.map((at, index) => at - (turns[index - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(512 * 1024);
});
