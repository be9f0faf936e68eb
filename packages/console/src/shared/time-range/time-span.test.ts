import { expect, test } from 'vitest';
import { barCount, PRESETS, presetSpan, presets, ticksOf } from './time-span.ts';

const NOW = Date.UTC(2026, 10, 14, 17, 52, 9, 418);

test.each(presets)('the preset %s covers its time up to now, in few and whole bars', (preset) => {
  const span = presetSpan(preset, NOW);

  expect(span.from).toBeLessThanOrEqual(NOW - PRESETS[preset]);
  expect(span.to).toBeGreaterThan(NOW);
  expect(barCount(span)).toBeLessThan(100);
  expect(barCount(span)).toBeGreaterThan(40);
  expect((span.to - span.from) % barCount(span)).toBe(0);
});

test('a preset stays the same until the next bar, so that what was asked ahead is found', () => {
  expect(presetSpan('24h', NOW)).toEqual(presetSpan('24h', NOW + 60_000));
  expect(presetSpan('24h', NOW)).not.toEqual(presetSpan('24h', NOW + 16 * 60_000));
});

test('ticks are few, in order and inside, and tell the day at midnight', () => {
  const ticks = ticksOf(presetSpan('24h', NOW));

  expect(ticks.length).toBeGreaterThan(4);
  expect(ticks.length).toBeLessThan(12);
  expect(ticks.every(({ place }) => place > 0 && place < 1)).toBe(true);
  expect(ticks.filter(({ shows }) => shows === 'day')).toHaveLength(1);
  expect(ticksOf({ from: NOW, to: NOW + 5_000 }).every(({ shows }) => shows === 'second')).toBe(true);
});

test.each([0, 1, 1e15])('a span of %d ms neither breaks nor floods a chart', (length) => {
  const span = { from: 0, to: length };

  expect(barCount(span)).toBeGreaterThan(0);
  expect(ticksOf(span).length).toBeLessThan(100_000);
});
