import { expect, test } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

test('what was set longest ago makes room for what is new', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('c', 3);

  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
  ]);
});

test('an entry that is only changed keeps its place, and one that is deleted and set again is the newest', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3);
  map.set('c', 4);
  expect([...map.keys()]).toEqual(['b', 'c']);

  map.delete('b');
  map.set('b', 5).set('d', 6);
  expect([...map.keys()]).toEqual(['b', 'd']);
});
