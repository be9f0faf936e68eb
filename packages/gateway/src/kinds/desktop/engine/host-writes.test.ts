/** A host that reads nothing: what waits for it is bounded, in bytes and in messages. */
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HostWrites } from './host-writes.ts';

function deaf() {
  const stuck: string[] = [];
  const held: (() => void)[] = [];
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => void held.push(done) });
  return { writes: new HostWrites(stream, (message) => stuck.push(message)), stuck, held };
}

test('many small messages that are not read end it, long before they fill the memory', () => {
  const { writes, stuck } = deaf();
  for (let at = 0; at < 100_000; at += 1) writes.write(Buffer.of(4));
  expect(stuck).toEqual([]);
  writes.write(Buffer.of(4));
  expect(stuck).toEqual(['the host no longer reads what it is sent']);
});

test('so do a few large ones', () => {
  const { writes, stuck } = deaf();
  for (let at = 0; at < 9; at += 1) writes.write(Buffer.alloc(1024 * 1024));
  expect(stuck).toHaveLength(1);
});

test('what it has read counts no longer', async () => {
  const { writes, stuck, held } = deaf();
  for (let round = 0; round < 3; round += 1) {
    for (let at = 0; at < 50_000; at += 1) writes.write(Buffer.of(4));
    while (held.length > 0) {
      held.shift()?.();
      if (held.length === 0) await setImmediate();
    }
  }
  expect(stuck).toEqual([]);
});
