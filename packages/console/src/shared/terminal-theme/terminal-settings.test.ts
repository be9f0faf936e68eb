import { expect, test } from 'vitest';
import { readSettings, scrollbackChoices } from './terminal-settings.ts';

test('the gateway says how far back terminals scroll, until somebody chooses', () => {
  expect(readSettings(undefined).scrollback).toBe(1_000);
  expect(readSettings(undefined, 4_000).scrollback).toBe(4_000);
  expect(readSettings('{"fontSize":15}', 4_000)).toMatchObject({ fontSize: 15, scrollback: 4_000 });
  expect(readSettings('{"scrollback":10000}', 4_000).scrollback).toBe(10_000);
  expect(readSettings('{"scrollback":"many"}', 4_000).scrollback).toBe(4_000);
});

test('what is so is always among what can be chosen', () => {
  expect(scrollbackChoices(4_000, 10_000)).toEqual([1_000, 4_000, 10_000, 50_000]);
});
