/** Places for who has proved nothing: how they are shared out, and who loses one. */
import { expect, test } from 'vitest';
import { UnprovedFew } from './unproved-few.ts';

function fill(addresses: number, each: number) {
  const few = new UnprovedFew();
  const cut: string[] = [];
  const leave = new Map<string, (() => void) | undefined>();
  for (let turn = 0; turn < each; turn++)
    for (let index = 0; index < addresses; index++) {
      const name = `10.0.0.${index}#${turn}`;
      leave.set(
        name,
        few.enter(`10.0.0.${index}`, () => cut.push(name)),
      );
    }
  return { few, cut, leave };
}

test('one address has ten places and no more', () => {
  const { few, leave } = fill(1, 10);
  expect([...leave.values()].every(Boolean)).toBe(true);
  expect(few.enter('10.0.0.0', () => {})).toBeUndefined();
  leave.get('10.0.0.0#3')?.();
  leave.get('10.0.0.0#3')?.();
  expect(few.enter('10.0.0.0', () => {})).toBeDefined();
  expect(few.enter('10.0.0.0', () => {})).toBeUndefined();
});

test('ten addresses that hold all places keep nobody else out: the oldest of one of them goes', () => {
  const { few, cut } = fill(10, 10);
  expect(few.enter('10.9.9.9', () => {})).toBeDefined();
  expect(cut).toEqual(['10.0.0.0#0']);
  expect(few.enter('10.9.9.9', () => {})).toBeDefined();
  expect(cut).toEqual(['10.0.0.0#0', '10.0.0.1#0']);
});

test('where everybody has one place nobody loses it', () => {
  const { few, cut } = fill(100, 1);
  expect(few.enter('10.9.9.9', () => {})).toBeUndefined();
  expect(cut).toEqual([]);
});

test('who has left is not cut', () => {
  const { few, cut, leave } = fill(10, 10);
  leave.get('10.0.0.0#0')?.();
  expect(few.enter('10.9.9.8', () => {})).toBeDefined();
  expect(cut).toEqual([]);
  expect(few.enter('10.9.9.9', () => {})).toBeDefined();
  expect(cut).toEqual(['10.0.0.1#0']);
});
