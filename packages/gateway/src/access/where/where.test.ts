import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWhere, WhereError } from './parse-where.ts';
import { holds, simplifyWhere } from './simplify-where.ts';
import type { FactName } from './where-expression.ts';

const FACTS: Record<string, readonly string[]> = {
  'user.metadata.name': ['ann'],
  'user.spec.roles': ['dev', 'ops'],
  'user.spec.traits team': ['red'],
  'user.spec.traits external.logins': ['root'],
  'resource.metadata.name': ['db-1'],
  'resource.metadata.labels env': ['prod'],
  'session.participants': ['ann', 'bob'],
};
const read = (name: FactName, key?: string) => FACTS[key === undefined ? name : `${name} ${key}`] ?? [];

test.each([
  ['contains(session.participants, user.metadata.name)', true],
  ['contains(ssh_session.participants, "eve")', false],
  ['equals(user.name, "ann")', true],
  ['user.metadata.name == "ann" && resource.metadata.labels["env"] != "dev"', true],
  ['resource.metadata.labels.env == "prod"', true],
  ['resource.metadata.labels["absent"] == ""', false],
  ['resource.metadata.labels["absent"] != "x"', true],
  ['exists(resource.metadata.labels["absent"])', false],
  ['contains(user.spec.roles, "dev") && !contains(user.roles, "admin")', true],
  ['contains(user.spec.traits["team"], "red")', true],
  ['contains(user.spec.traits["external.team"], "red")', true],
  ['contains(user.spec.traits["logins"], "root")', false],
  ['contains(user.spec.traits["external.logins"], "root")', true],
  ['has_prefix(resource.metadata.name, "db-")', true],
  ['false || (true && !false)', true],
  ['true && false || true', true],
  ['"a" == "a"', true],
  ['"say \\"hi\\"" == "say \\"hi\\""', true],
])('%s is %s', (text, expected) => {
  expect(holds(parseWhere(text), read)).toBe(expected);
});

test.each([
  '',
  'equals(user.name)',
  'user.name',
  'user.name == ',
  'user.name = "a"',
  'usr.name == "a"',
  'contain(user.roles, "a")',
  'resource.metadata.labels == "a"',
  "user.name == 'a'",
  'user.name == "a" extra',
  '(true',
  'process.exit()',
  'user.name.__proto__ == "a"',
  `${'!'.repeat(50)}true`,
  `${'('.repeat(50)}true${')'.repeat(50)}`,
  Array.from({ length: 300 }, () => 'true').join('||'),
  'x'.repeat(5000),
])('%s is refused', (text) => {
  expect(() => parseWhere(text)).toThrow(WhereError);
});

test('what is not known stays, and only that', () => {
  const where = parseWhere('contains(user.roles, "dev") && (resource.metadata.name == "a" || user.name == "eve")');

  const left = simplifyWhere(where, (name, key) => (name === 'resource.metadata.name' ? undefined : read(name, key)));

  expect(left).toEqual({
    type: 'equals',
    left: { type: 'fact', name: 'resource.metadata.name' },
    right: { type: 'values', values: ['a'] },
  });
});

test('arbitrary text is a condition or a WhereError, quickly', () => {
  const pieces = fc.constantFrom(
    'user.name',
    '==',
    '"a"',
    '(',
    ')',
    '!',
    '&&',
    '||',
    'contains',
    ',',
    ' ',
    '[',
    ']',
    '\\',
    '"',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      try {
        holds(parseWhere(parts.join('')), read);
      } catch (error) {
        expect(error).toBeInstanceOf(WhereError);
      }
    }),
    { numRuns: 500 },
  );
});
