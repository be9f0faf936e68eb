import { expect, test } from 'vitest';
import { planBenchmarks } from './bench-plan.mjs';

const KNOWN = [
  { name: 'terminal', takesWords: true },
  { name: 'tunnel', takesWords: false },
];

test('without words every benchmark runs', () => {
  expect(planBenchmarks([], KNOWN)).toEqual({
    runs: [
      { name: 'terminal', words: [] },
      { name: 'tunnel', words: [] },
    ],
  });
});

test('words behind a benchmark are for it', () => {
  expect(planBenchmarks(['tunnel', 'terminal', 'throughput', 'echo'], KNOWN)).toEqual({
    runs: [
      { name: 'tunnel', words: [] },
      { name: 'terminal', words: ['throughput', 'echo'] },
    ],
  });
});

test.each([
  [['throughput'], 'no benchmark is called throughput; there are: terminal, tunnel'],
  [['throughput', 'terminal'], 'no benchmark is called throughput; there are: terminal, tunnel'],
  [['tunnel', 'fast'], 'no benchmark is called fast, and tunnel takes no words; there are: terminal, tunnel'],
])('%j is refused', (words, refused) => {
  expect(planBenchmarks(words, KNOWN)).toEqual({ refused });
});
