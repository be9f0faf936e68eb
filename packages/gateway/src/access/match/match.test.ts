import { SOON_MS } from '@gatehouse/testkit/soon';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PatternError, parsePattern } from './pattern.ts';
import { parseTemplate, TemplateError } from './template.ts';

test.each([
  ['prod', 'prod', true],
  ['prod', 'Prod', false],
  ['prod', 'prod-1', false],
  ['prod*', 'prod-1', true],
  ['*-db-*', 'a-db-1', true],
  ['*-db-*', 'a-d-1', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['*', '', true],
  ['p.d', 'pod', false],
  ['^p.d$', 'pod', true],
  ['^(dev|stage)-[0-9]+$', 'stage-12', true],
  ['^dev$', 'dev\n', false],
  ['^a|b$', 'xb', false],
])('the pattern %s and the value %s', (pattern, value, matches) => {
  expect(parsePattern(pattern).matches(value)).toBe(matches);
});

test('a pattern with stars agrees with its regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  const values = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
  fc.assert(
    fc.property(letters, values, (pattern, value) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
      expect(parsePattern(pattern).matches(value)).toBe(expression.test(value));
    }),
    { numRuns: 500 },
  );
});

test('an expression that makes others backtrack for ever ends at once', () => {
  const began = performance.now();

  expect(parsePattern('^(a+)+$').matches(`${'a'.repeat(20_000)}b`)).toBe(false);
  expect(parsePattern(`${'a*'.repeat(200)}b`).matches('a'.repeat(1000))).toBe(false);
  expect(performance.now() - began).toBeLessThan(SOON_MS);
});

test.each(['^(a{1000}){1000}$', '^(?=a)$', '^\\1$', `^${'a'.repeat(600)}$`])('%s is refused', (text) => {
  expect(() => parsePattern(text)).toThrow(PatternError);
});

const traits = {
  logins: ['ann', 'root'],
  groups: ['dev', 'ops'],
  email: ['ann@example.org', 'not an address', '@x'],
  'http://claims/x': ['y'],
  stars: ['*', '^.*$'],
  'external.logins': ['provided'],
  'external.db_users': ['app'],
};

test.each([
  ['{{internal.logins}}', ['ann', 'root']],
  ['{{ external.groups }}', ['dev', 'ops']],
  ['{{external.logins}}', ['provided']],
  ['{{external["logins"]}}', ['provided']],
  ['{{external["external.logins"]}}', []],
  ['{{email.local(external.logins)}}', []],
  ['{{internal.db_users}}', []],
  ['{{external.db_users}}', ['app']],
  ['{{external.databaseUsers}}', []],
  ['team-{{external.groups}}-x', ['team-dev-x', 'team-ops-x']],
  ['{{external["http://claims/x"]}}', ['y']],
  ['{{email.local(external.email)}}', ['ann']],
  ['{{regexp.replace(external.email, "^(\\\\w+)@example.org$", "u-$1")}}', ['u-ann']],
  [`{{regexp.replace(external.groups, "^d(.*)$", "$\{1}")}}`, ['ev']],
  ['{{external.absent}}', []],
  ['{{external.constructor}}', []],
])('the template %s gives %j', (text, values) => {
  expect(parseTemplate(text)?.expand(traits)).toEqual(values);
});

test('text without a template is none', () => {
  expect(parseTemplate('root')).toBeUndefined();
});

test.each([
  '{{internal.logins',
  'internal.logins}}',
  '{{a}}{{b}}',
  '{{internal.nothing}}',
  '{{process.env}}',
  '{{constructor.constructor("return 1")()}}',
  '{{external.a + external.b}}',
  '{{regexp.replace(external.a, "(", "")}}',
  '{{regexp.replace(external.a, "a", "$3")}}',
  '{{regexp.replace(external.a, a, b)}}',
  '{{#each external.a}}',
  '{{}}',
])('%s is refused', (text) => {
  expect(() => parseTemplate(text)).toThrow(/./);
  try {
    parseTemplate(text);
  } catch (error) {
    expect(error instanceof TemplateError || error instanceof PatternError).toBe(true);
  }
});

test('arbitrary text in a template never does more than be refused, in little time', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (inner) => {
      const began = performance.now();
      try {
        parseTemplate(`{{${inner}}}`)?.expand(traits);
      } catch (error) {
        expect(error instanceof TemplateError || error instanceof PatternError).toBe(true);
      }
      expect(performance.now() - began).toBeLessThan(SOON_MS);
    }),
  );
});

test('a template gives at most some hundred values, none of them long or with control characters', () => {
  const many = { x: [...Array.from({ length: 10_000 }, (_, index) => `v${index}`)], y: ['a'.repeat(5000), 'a\nb', ''] };

  expect(parseTemplate('{{external.x}}')?.expand(many)).toHaveLength(500);
  expect(parseTemplate('{{external.y}}')?.expand(many)).toEqual([]);
});
