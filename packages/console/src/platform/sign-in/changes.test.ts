import type { ChangeFrame } from '@gatehouse/contract/identity/change-frames';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeSocket } from '../../../testing/fake-socket.ts';
import { listenForChanges } from './changes.ts';

const stops: (() => void)[] = [];

function listen() {
  const sockets: FakeSocket[] = [];
  const frames: ChangeFrame[] = [];
  const held = { token: 'first' };
  const stop = listenForChanges({
    path: '/v1/webapi/changes',
    openSocket: (path) => {
      expect(path).toBe('/v1/webapi/changes');
      sockets.push(new FakeSocket());
      return sockets.at(-1) as unknown as WebSocket;
    },
    token: () => held.token,
    onFrame: (frame) => void frames.push(frame),
  });
  stops.push(stop);
  return { sockets, frames, stop, held };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
});

test('it says who it is first, then passes on what it hears', () => {
  const { sockets, frames } = listen();
  sockets[0]?.open();
  sockets[0]?.hear({ type: 'ready' });
  sockets[0]?.hear({ type: 'user' });
  sockets[0]?.hear({ type: 'ended', reason: 'ended_by_administrator' });

  expect(sockets[0]?.sent).toEqual([{ type: 'hello', token: 'first' }]);
  expect(frames).toEqual([{ type: 'alerts' }, { type: 'user' }, { type: 'ended', reason: 'ended_by_administrator' }]);
});

test('what is not one of our frames is ignored', () => {
  const { sockets, frames } = listen();
  sockets[0]?.hear({ type: 'virus' });
  sockets[0]?.dispatchEvent(new MessageEvent('message', { data: '{' }));

  expect(frames).toEqual([]);
});

test('a broken line comes back with the token of that time and asks again for everything', () => {
  const { sockets, frames, held } = listen();
  sockets[0]?.open();
  sockets[0]?.hear({ type: 'ready' });
  held.token = 'second';
  sockets[0]?.drop();
  vi.advanceTimersByTime(1000);
  sockets[1]?.open();
  sockets[1]?.hear({ type: 'ready' });

  expect(sockets).toHaveLength(2);
  expect(sockets[1]?.sent).toEqual([{ type: 'hello', token: 'second' }]);
  expect(frames.map(({ type }) => type)).toEqual(['alerts', 'alerts', 'user', 'resources']);
});

test('the longer the gateway is away, the less often it is asked, but at least twice a minute', () => {
  const { sockets } = listen();
  const seen: number[] = [];
  for (let second = 0; second < 600; second += 1) {
    if (seen.length < sockets.length) {
      seen.push(second);
      sockets.at(-1)?.drop();
    }
    vi.advanceTimersByTime(1000);
  }
  const waits = seen.slice(1).map((second, index) => second - (seen[index] as number));

  expect(waits[0]).toBe(1);
  expect(Math.max(...waits)).toBeLessThanOrEqual(31);
  expect(waits.slice(6).every((wait) => wait >= 15)).toBe(true);
});

test('after its end it neither hears nor comes back', () => {
  const { sockets, frames, stop } = listen();
  stop();
  sockets[0]?.hear({ type: 'alerts' });
  sockets[0]?.drop();
  vi.advanceTimersByTime(60_000);

  expect(sockets[0]?.isClosed).toBe(true);
  expect(sockets).toHaveLength(1);
  expect(frames).toEqual([]);
});
