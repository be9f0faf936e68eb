/** What is remembered of sound: by person and desktop, bounded, and nothing where the storage holds something else. */
import { expect, test } from 'vitest';
import { soundMemory } from './sound-memory.ts';

function openStorage(before?: string) {
  let text: string | null = before ?? null;
  return {
    getItem: () => text,
    setItem: (_: string, value: string) => {
      text = value;
    },
    size: () => text?.length ?? 0,
  };
}

test('sound is on again for the same person at the same desktop, and for nobody and nothing else', () => {
  const storage = openStorage();
  const ann = { user: 'ann', clusterId: 'one', name: 'desk' };
  soundMemory(storage, ann).remember(true);
  expect(soundMemory(storage, ann).wasOn()).toBe(true);
  for (const other of [{ user: 'bob' }, { clusterId: 'two' }, { name: 'desk-2' }])
    expect(soundMemory(storage, { ...ann, ...other }).wasOn()).toBe(false);
  soundMemory(storage, ann).remember(false);
  expect(soundMemory(storage, ann).wasOn()).toBe(false);
});

test('what is remembered does not grow without end, and what is no list is none', () => {
  const storage = openStorage('{"not":"a list"}');
  const at = (number: number) => soundMemory(storage, { user: 'ann', clusterId: 'one', name: `desk-${number}` });
  expect(at(0).wasOn()).toBe(false);
  for (let number = 0; number < 300; number += 1) at(number).remember(true);
  expect([at(0).wasOn(), at(299).wasOn()]).toEqual([false, true]);
  expect(storage.size()).toBeLessThan(5_000);
});
