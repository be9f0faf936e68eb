import { beforeEach, expect, test } from 'vitest';
import { OutputRate } from './output-rate.ts';

let now = 0;
let outputRate: OutputRate;
beforeEach(() => {
  now = 0;
  outputRate = new OutputRate(() => now);
});

test('much within a second is a flood until a second after its end', () => {
  for (let piece = 0; piece < 40; piece += 1) {
    now += 10;
    outputRate.printed(64 * 1024);
  }
  expect(outputRate.isOn).toBe(true);

  now += 1_001;
  expect(outputRate.isOn).toBe(false);
});

test('as much over many seconds is none', () => {
  for (let piece = 0; piece < 400; piece += 1) {
    now += 100;
    outputRate.printed(64 * 1024);
  }
  expect(outputRate.isOn).toBe(false);
});

test('who waits for its end waits no longer than they say, and not at all for none', async () => {
  outputRate.printed(4 * 1024 * 1024);
  const waited = outputRate.over(500, () => false);
  now += 500;
  await waited;
  expect(outputRate.isOn).toBe(true);

  now += 1_000;
  await outputRate.over(60_000, () => false);
});
