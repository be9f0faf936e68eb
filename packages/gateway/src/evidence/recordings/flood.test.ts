import { beforeEach, expect, test } from 'vitest';
import { Flood } from './flood.ts';

let now = 0;
let flood: Flood;
beforeEach(() => {
  now = 0;
  flood = new Flood(() => now);
});

test('much within a second is a flood until a second after its end', () => {
  for (let piece = 0; piece < 40; piece += 1) {
    now += 10;
    flood.printed(64 * 1024);
  }
  expect(flood.isOn).toBe(true);

  now += 1_001;
  expect(flood.isOn).toBe(false);
});

test('as much over many seconds is none', () => {
  for (let piece = 0; piece < 400; piece += 1) {
    now += 100;
    flood.printed(64 * 1024);
  }
  expect(flood.isOn).toBe(false);
});

test('who waits for its end waits no longer than they say, and not at all for none', async () => {
  flood.printed(4 * 1024 * 1024);
  const waited = flood.over(500, () => false);
  now += 500;
  await waited;
  expect(flood.isOn).toBe(true);

  now += 1_000;
  await flood.over(60_000, () => false);
});
