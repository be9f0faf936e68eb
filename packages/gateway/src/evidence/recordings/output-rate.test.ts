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

test('who waits for its end waits no longer than they say', async () => {
  outputRate.printed(4 * 1024 * 1024);
  let isOver = false;
  const waited = outputRate
    .over(500, () => false)
    .then(() => {
      isOver = true;
    });
  await Promise.resolve();
  expect(isOver).toBe(false);
  now += 500;
  await waited;

  expect(outputRate.isOn).toBe(true);
});

test('nobody waits where little is printed, nor who has given up', async () => {
  const atOnce = async (isGivenUp: boolean) => {
    const later = new Promise((resolve) => setImmediate(resolve, 'later'));
    return await Promise.race([outputRate.over(60_000, () => isGivenUp).then(() => 'at once'), later]);
  };

  expect(await atOnce(false)).toBe('at once');
  outputRate.printed(4 * 1024 * 1024);
  expect(await atOnce(true)).toBe('at once');
  expect(await atOnce(false)).toBe('later');
});

test('what is printed at one gateway makes nobody wait at another', () => {
  outputRate.printed(4 * 1024 * 1024);

  expect(new OutputRate(() => now).isOn).toBe(false);
});
