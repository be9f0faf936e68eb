import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { expressionSize } from './expression-size.ts';
import { PatternError, parsePattern } from './pattern.ts';

test('what repeats is counted as often as it is written out, wherever it hides', () => {
  expect(expressionSize('a{1000}'.repeat(3))).toBe(3000);
  expect(expressionSize('(ab){10}')).toBe(40);
  expect(expressionSize('((a{10}){10}){10}')).toBeGreaterThan(1000);
  // Looks like a class, and is none.
  expect(expressionSize('\\Q[\\E(ab){500}]')).toBeGreaterThan(1000);
  expect(expressionSize('\\[(ab){500}]')).toBeGreaterThan(1000);
  expect(expressionSize('[]a](ab){500}')).toBeGreaterThan(1000);
  expect(expressionSize('[[:alpha:]](ab){500}')).toBeGreaterThan(1000);
});

test('what only looks like a repetition is none', () => {
  expect(expressionSize('[a{1000}]')).toBe(1);
  expect(expressionSize('\\x{1000}\\pL\\p{Greek}')).toBe(4);
  expect(expressionSize('a{b}')).toBe(4);
});

test('no expression is much larger than it was said to be', () => {
  const atom = fc.constantFrom(
    'a',
    '.',
    '[a-z]',
    '[^]a]',
    '[[:alpha:]{9}]',
    '\\d',
    '\\pL',
    '\\x{1000}',
    '\\Q[{\\E',
    '\\[',
  );
  const text = fc.letrec<{ part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      atom,
      fc.tuple(tie('part'), tie('part')).map(([one, two]) => `${one}${two}`),
      fc.tuple(tie('part'), tie('part')).map(([one, two]) => `(?:${one}|${two})`),
      fc
        .tuple(tie('part'), fc.constantFrom('*', '+?', '{3}', '{2,}', '{0,7}', '{1,4}?'))
        .map(([part, often]) => `(${part})${often}`),
    ),
  })).part;

  fc.assert(
    fc.property(text, (expression) => {
      const real = RE2JS.compile(expression).programSize();
      expect(real).toBeLessThanOrEqual(3 * expressionSize(expression) + 20);
    }),
    { numRuns: 300 },
  );
});

test('an expression that would be a huge program is refused before it is one', () => {
  const spent = () => process.threadCpuUsage().user;
  const whole = spent();
  RE2JS.compile(`^${'a{1000}'.repeat(70)}$`);
  const one = spent() - whole;
  const before = spent();
  for (let at = 0; at < 50; at++) {
    expect(() => parsePattern(`^${at}${'a{1000}'.repeat(70)}$`)).toThrow(PatternError);
    expect(() => parsePattern(`^${at}(${'b'.repeat(480)}){1000}$`)).toThrow(PatternError);
  }
  // A hundred of them for what a few would take to compile.
  expect((spent() - before) / one).toBeLessThan(20);
  for (const usual of ['^[a-z0-9-]{1,253}$', '^(?i:web-[0-9]{1,3}\\.)+example$', '^.{500}$'])
    expect(parsePattern(usual).type).toBe('expression');
});
