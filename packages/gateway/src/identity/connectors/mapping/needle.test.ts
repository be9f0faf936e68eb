import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePattern } from '../../../access/match/pattern.ts';
import { needleFinder, needleOfExpression, needleOfStars } from './needle.ts';

test.each([
  ['^team-(.*)-eu$', 'team-'],
  ['^(a|b)-ops$', '-ops'],
  ['^.*-admins$', '-admins'],
  ['^cn=[a-z]+,ou=people$', ',ou=people'],
  ['^ab+c?d$', 'a'],
  ['^dev|ops$', ''],
  ['^(?i)dev$', ''],
  ['^(?i:dev)$', ''],
  ['^\\pNames$', ''],
  ['^\\x41dmins$', ''],
  ['^\\Qa*b\\E$', ''],
  ['^[[:alpha:]]dev$', ''],
  ['^[^]abc]+$', ''],
  ['^[]abc]+$', ''],
  ['^\\d+-dev$', '-dev'],
  ['^a\\.dev$', 'dev'],
  ['^x{2}dev$', 'dev'],
])('whatever %s matches holds %j', (value, needle) => expect(needleOfExpression(value)).toBe(needle));

test('of a pattern with stars the longest part is looked for', () => {
  expect([needleOfStars('a-*-team-*'), needleOfStars('*')]).toEqual(['-team-', '']);
});

test('what an expression matches always holds its needle', () => {
  const part = fc.constantFrom(
    'a',
    'b',
    'ab',
    'a?',
    'b*',
    'a+',
    '(ab)',
    '(a|b)',
    '(a)?',
    '[ab]',
    '.',
    'a{2}',
    'b{0,1}',
    '\\w',
    '(?:ab)*',
    '|',
  );
  const values = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), values, (parts, value) => {
      const written = `^${parts.join('')}$`;
      if (parsePattern(written).matches(value)) expect(value).toContain(needleOfExpression(written));
    }),
    { numRuns: 2000 },
  );
});

test('a needle is found in a text exactly where it stands in it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '\n'), maxLength: 30 });
  fc.assert(
    fc.property(text, text, (hay, needle) => {
      expect(needleFinder(hay)(needle)).toBe(hay.includes(needle));
      expect(needleFinder(`${hay}${needle}`)(needle)).toBe(true);
    }),
  );
});
