import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createFairLine } from './fair-line.ts';

const LIMITS = {
  waiting: 8,
  waitingPerNetwork: 6,
  waitingPerClient: 3,
  waitMs: 60_000,
  refuse: () => new Error('no place'),
};

/** A line in which each waits until it is let go, one after the other. */
function openLine(limits: Partial<typeof LIMITS> = {}) {
  const line = createFairLine({ ...LIMITS, ...limits });
  const served: string[] = [];
  const refused: string[] = [];
  let go = () => {};
  const join = (name: string, client: string) =>
    line
      .run(() => {
        served.push(name);
        return new Promise<void>((resolve) => {
          go = resolve;
        });
      }, client)
      .catch(() => void refused.push(name));
  return {
    served,
    refused,
    join,
    joinAll: (count: number, name: string, client: string) =>
      Array.from({ length: count }, (_, at) => join(`${name}${at}`, client)),
    async serveAll() {
      for (let before = -1; before !== served.length; ) {
        before = served.length;
        go();
        await setImmediate();
      }
    },
  };
}

test('networks are served in turn, and so are the clients of each', async () => {
  const { joinAll, served, serveAll } = openLine();
  joinAll(1, 'first', '198.51.100.1');
  joinAll(3, 'a', '2001:db8:1:a::/64');
  joinAll(2, 'b', '2001:db8:1:b::/64');
  joinAll(2, 'other', '192.0.2.1');
  await serveAll();

  expect(served).toEqual(['first0', 'a0', 'other0', 'b0', 'other1', 'a1', 'b1', 'a2']);
});

test('in a full line the newest of the largest client of the largest network gives way to a newcomer of another', async () => {
  const { join, joinAll, refused, served, serveAll } = openLine();
  joinAll(1, 'first', '198.51.100.1');
  joinAll(3, 'a', '2001:db8:1:a::/64');
  joinAll(2, 'b', '2001:db8:1:b::/64');
  joinAll(3, 'c', '203.0.113.1');
  await setImmediate();
  expect(refused).toEqual([]);

  void join('ann', '192.0.2.1');
  void join('bob', '192.0.3.1');
  await setImmediate();

  expect(refused).toEqual(['a2', 'b1']);
  await serveAll();
  expect(served).toEqual(expect.arrayContaining(['ann', 'bob']));
});

test('where everybody has as many, whoever comes last is refused', async () => {
  const { join, refused } = openLine();
  for (let at = 0; at <= 8; at++) void join(`n${at}`, `192.${at}.0.1`);
  void join('late', '198.51.100.1');
  await setImmediate();

  expect(refused).toEqual(['late']);
});

test('many networks of one holder are served as one region, and give way as one', async () => {
  const { join, refused, served, serveAll } = openLine();
  void join('first', '198.51.100.1');
  for (let at = 1; at <= 8; at++) void join(`n${at}`, `2001:db8:${at}:1::/64`);
  void join('ann', '192.0.2.1');
  void join('bob', '203.0.113.1');
  await setImmediate();
  expect(refused).toEqual(['n8', 'n7']);
  await serveAll();

  expect(served).toEqual(['first', 'n1', 'ann', 'bob', 'n2', 'n3', 'n4', 'n5', 'n6']);
});

test('a client has so many places, and a network; a neighbour in it gets one of whoever has most there', async () => {
  const { join, joinAll, refused } = openLine();
  joinAll(1, 'first', '198.51.100.1');
  joinAll(4, 'a', '2001:db8:1:a::/64');
  await setImmediate();
  expect(refused).toEqual(['a3']);
  joinAll(3, 'b', '2001:db8:1:b::/64');
  void join('neighbour', '2001:db8:1:c::/64');
  await setImmediate();

  expect(refused).toEqual(['a3', 'b2']);
});

test('whoever is not served in time is told, and takes no place any more', async () => {
  const { join, refused, served, serveAll } = openLine({ waitMs: 10 });
  void join('first', '198.51.100.1');
  await join('late', '192.0.2.1');
  expect(refused).toEqual(['late']);
  await serveAll();
  void join('next', '192.0.2.1');
  await setImmediate();

  expect(served).toEqual(['first', 'next']);
});
