import { expect, test, vi } from 'vitest';
import { silentLog } from '../std/log.ts';
import { StoreDownError } from '../storage/errors.ts';
import { SubscriberQueue } from './subscriber-queue.ts';

const change = (position: number) => ({ position, topic: 'a', id: `c${position}`, data: undefined, time: 0 });

function collect({ held }: { held: boolean }) {
  const heard: (number | 'gap')[] = [];
  const queue = new SubscriberQueue(
    ['a'],
    { change: ({ position }) => void heard.push(position), gap: () => void heard.push('gap') },
    { after: 0, held, log: silentLog, clock: () => 0 },
  );
  return { heard, queue };
}

test('a subscriber that falls too far behind hears one gap instead of everything', async () => {
  const { heard, queue } = collect({ held: true });
  for (let position = 1; position <= 10_001; position++) queue.offer(change(position));
  queue.offer(change(10_002));

  queue.release([]);
  await queue.settled();

  expect(heard).toEqual(['gap', 10_002]);
});

test('a change offered twice is handed over once', async () => {
  const { heard, queue } = collect({ held: false });
  queue.offer(change(1));
  queue.offer(change(2));
  queue.offer(change(2));
  queue.offer(change(1));
  await queue.settled();

  expect(heard).toEqual([1, 2]);
});

test('a subscriber that could not take a change in because the store was gone reloads once it answers', async () => {
  const heard: (number | 'gap')[] = [];
  let isDown = true;
  const take = async (what: number | 'gap') => {
    if (isDown) throw new StoreDownError('gone');
    heard.push(what);
  };
  const subscriber = { change: ({ position }: { position: number }) => take(position), gap: () => take('gap') };
  const queue = new SubscriberQueue(['a'], subscriber, { after: 0, held: false, log: silentLog, clock: () => 0 });

  queue.offer(change(1));
  await vi.waitFor(() => expect(queue.failingSince).toBeDefined());
  queue.offer(change(2));
  isDown = false;
  await queue.settled();
  queue.offer(change(3));
  await queue.settled();

  expect(heard).toEqual(['gap', 3]);
  expect(queue.failingSince).toBeUndefined();
});
