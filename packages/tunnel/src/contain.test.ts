import { EventEmitter, once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  blameCurrent,
  type Contained,
  contain,
  containEvents,
  containFollowed,
  onBehalfOf,
  onContained,
  type Peer,
} from './contain.ts';

function makePeer(where = 'test'): Peer & { cuts: number } {
  return {
    where,
    address: '192.0.2.1',
    cuts: 0,
    cut() {
      this.cuts += 1;
    },
  };
}

function heard(): Contained[] {
  const all: Contained[] = [];
  onTestFinished(onContained((each) => void all.push(each)));
  return all;
}

test('a handler that throws costs its peer the connection and is told once', () => {
  const peer = makePeer();
  const told = heard();
  const error = new Error('unreadable');
  const handle = contain(peer, () => {
    throw error;
  });

  handle();
  handle();

  expect(peer.cuts).toBe(2);
  expect(told).toEqual([{ where: 'test', address: '192.0.2.1', error }]);
});

test('a handler that fails later does the same', async () => {
  const peer = makePeer();
  const told = heard();

  contain(peer, async () => {
    await turn();
    throw new Error('later');
  })();
  await expect.poll(() => told).toHaveLength(1);

  expect(peer.cuts).toBe(1);
});

test('every listener of an emitter is held, also those that come later, and the others still hear', async () => {
  const peer = makePeer();
  const told = heard();
  const emitter = new EventEmitter();
  containEvents(emitter, peer);
  emitter.on('data', () => {
    throw new Error('bad data');
  });

  emitter.emit('data', 1);
  const other = once(emitter, 'end');
  emitter.emit('end');
  await other;
  // An error that nobody listens for is thrown by the emitter itself.
  emitter.emit('error', new Error('reset'));

  expect(told).toHaveLength(1);
  expect(peer.cuts).toBe(2);
});

test('what was started for a peer is still its own when nobody catches it, and nobody else is blamed', async () => {
  const peer = makePeer();
  const blamed = Promise.withResolvers<boolean>();

  onBehalfOf(peer, () => setTimeout(() => blamed.resolve(blameCurrent(new Error('in a timer'))), 1));

  expect(await blamed.promise).toBe(true);
  expect(peer.cuts).toBe(1);
  expect(blameCurrent(new Error('of nobody'))).toBe(false);
});

test('what a listener leaves for later is still of its peer, whatever came before', async () => {
  const [peer, other] = [makePeer('one'), makePeer('other')];
  const emitter = new EventEmitter();
  containFollowed(emitter, peer);
  const blamed = Promise.withResolvers<boolean>();
  emitter.on('data', () => process.nextTick(() => blamed.resolve(blameCurrent(new Error('later')))));

  onBehalfOf(other, () => emitter.emit('data'));

  expect(await blamed.promise).toBe(true);
  expect([peer.cuts, other.cuts]).toEqual([1, 0]);
});

test('one whose connection cannot even be closed ends nothing', () => {
  const told = heard();
  const peer: Peer = {
    where: 'gone',
    cut() {
      throw new Error('destroyed');
    },
  };

  expect(
    onBehalfOf(peer, () => {
      throw new Error('x');
    }),
  ).toBeUndefined();
  expect(told.map(({ where }) => where)).toEqual(['gone']);
});
