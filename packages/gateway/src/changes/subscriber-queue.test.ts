import { expect, test } from 'vitest';
import { silentLog } from '../std/log.ts';
import { SubscriberQueue } from './subscriber-queue.ts';

const change = (position: number) => ({ position, topic: 'a', id: `c${position}`, data: undefined, time: 0 });

function collect({ held }: { held: boolean }) {
  const heard: (number | 'gap')[] = [];
  const queue = new SubscriberQueue(
    ['a'],
    { change: ({ position }) => void heard.push(position), gap: () => void heard.push('gap') },
    { after: 0, held, log: silentLog },
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
