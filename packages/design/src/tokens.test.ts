import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { POPOVER_MARGIN_PX } from './popover-margin.ts';
import { DELAY_MS } from './use-delay.ts';

const css = readFileSync(`${import.meta.dirname}/tokens.css`, 'utf8');

/** The first declaration counts; later ones are for small windows and less motion. */
function token(name: string): string {
  const value = new RegExp(`--${name}:\\s*([^;]+);`).exec(css)?.[1];
  if (value === undefined) throw new Error(`tokens.css has no --${name}`);
  return value.trim();
}

test.each([
  ['btn-s', '24px'],
  ['btn-m', '32px'],
  ['btn-l', '40px'],
  ['ib-s', '24px'],
  ['ib-m', '32px'],
  ['ib-l', '48px'],
  ['status-card', '540px'],
  ['popover-margin', `${POPOVER_MARGIN_PX}px`],
  ['z-modal', '1200'],
  ['t-slide', '500ms'],
  ['spin-none', `${DELAY_MS.none}ms`],
  ['spin-short', `${DELAY_MS.short}ms`],
  ['spin-long', `${DELAY_MS.long}ms`],
])('--%s is %s, as specified', (name, value) => {
  expect(token(name)).toBe(value);
});

test('popovers keep 16 px and spinners wait 0, 400 and 600 ms', () => {
  expect(POPOVER_MARGIN_PX).toBe(16);
  expect(DELAY_MS).toEqual({ none: 0, short: 400, long: 600 });
});

type Theme = 'light' | 'dark';

function channels(name: string, theme: Theme): number[] {
  const value = token(name);
  const pair = /^light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)$/.exec(value);
  const hex = pair ? pair[theme === 'light' ? 1 : 2] : value;
  if (!hex || !/^#[0-9a-f]{6}$/.test(hex)) throw new Error(`--${name} is not a plain colour: ${value}`);
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16) / 255);
}

/** WCAG 2.2, "relative luminance" and "contrast ratio". */
function luminance(name: string, theme: Theme): number {
  const [red = 0, green = 0, blue = 0] = channels(name, theme).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(a: string, b: string, theme: Theme): number {
  const [low = 0, high = 0] = [luminance(a, theme), luminance(b, theme)].toSorted((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const TEXT_PAIRS = `
  text on surface-1, surface-2, surface-3, surface-4, surface-pop, brand-soft, brand-soft-2, ok-soft, warn-soft, bad-soft, info-soft
  text-muted on canvas, surface-1, surface-2, surface-3, surface-4, surface-pop, brand-soft, info-soft
  text-faint on canvas, surface-1, surface-2, surface-3, surface-pop
  on-brand on brand, brand-hover, brand-press, bad-solid, bad-solid-hover
  brand-text on surface-1, surface-2, surface-pop, brand-soft, brand-soft-2, info-soft, warn-soft, bad-soft
  ok-text on surface-1, surface-pop, ok-soft, term-bg
  warn-text on surface-1, surface-pop, warn-soft
  bad-text on surface-1, surface-4, surface-pop, bad-soft
  info-text on surface-1, surface-pop, info-soft
  term-text on term-bg, mark, term-select
  term-dim on term-bg
  term-red on term-bg
  term-green on term-bg
  term-yellow on term-bg
  term-blue on term-bg
  term-magenta on term-bg
  term-cyan on term-bg
  term-white on term-bg
  on-mark-current on mark-current`;
const LINE_PAIRS = `
  border-control on surface-1, surface-pop
  focus on surface-1, surface-2, surface-pop
  ok on surface-1
  warn on surface-1
  bad on surface-1
  info on surface-1
  data-selected on surface-1`;

function pairs(list: string, needed: number): [string, string, number][] {
  return list
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [fore = '', grounds = ''] = line.trim().split(' on ');
      return grounds.split(', ').map((ground): [string, string, number] => [fore, ground, needed]);
    });
}

test.each([...pairs(TEXT_PAIRS, 4.5), ...pairs(LINE_PAIRS, 3)])(
  '%s on %s has a contrast of %d in both themes',
  (fore, ground, needed) => {
    expect(contrast(fore, ground, 'dark')).toBeGreaterThanOrEqual(needed);
    expect(contrast(fore, ground, 'light')).toBeGreaterThanOrEqual(needed);
  },
);

test('the formula gives the ratio known for black on white', () => {
  expect(contrast('text', 'surface-1', 'light')).toBeCloseTo(17.65, 1);
});
