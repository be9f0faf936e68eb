import { expect, test } from 'vitest';
import { compileRoleMap, givenByMap, wrongWithMap } from './role-map.ts';

const anything = () => true;

test.each([
  ['by its name', [{ remote: 'dev', local: ['access'] }], ['dev'], ['access']],
  ['by a star', [{ remote: 'dev-*', local: ['access'] }], ['dev-web'], ['access']],
  ['by an expression, with what it caught', [{ remote: '^dev-(.+)$', local: ['team-$1'] }], ['dev-web'], ['team-web']],
  [
    'by several entries, once each',
    [
      { remote: '*', local: ['viewer'] },
      { remote: 'dev', local: ['access', 'viewer'] },
    ],
    ['dev', 'ops'],
    ['access', 'viewer'],
  ],
  ['and not by what only begins so', [{ remote: 'dev', local: ['access'] }], ['dev-web', 'Dev'], []],
  ['nor by an expression that holds a part of it', [{ remote: '^dev$', local: ['access'] }], ['dev-web'], []],
])('a role of the root is found %s', (_, map, remote, local) => {
  expect(compileRoleMap(map)(remote, anything)).toEqual(local);
});

test('what a capture makes up counts only where there is such a role', () => {
  const map = compileRoleMap([{ remote: '^(.*)$', local: ['$1'] }]);

  expect(map(['editor', 'nothing'], (role) => role === 'editor')).toEqual(['editor']);
});

test('a map with roles that are not there, groups that are not there or no expression is refused, each with its place', () => {
  const wrong = wrongWithMap(
    [
      { remote: 'dev', local: ['access', 'gone'] },
      { remote: 'dev-*', local: ['team-$1'] },
      { remote: '^dev-(.*)$', local: ['team-$2'] },
      { remote: '^dev-($', local: ['access'] },
      { remote: '^(a{1000}){1000}$', local: ['access'] },
      { remote: '^dev-', local: ['access'] },
      { remote: 'dev$', local: ['access'] },
    ],
    (role) => role === 'access',
  );

  expect(wrong.map(({ path }) => path.join('.'))).toEqual([
    '0.local.1',
    '1.remote',
    '2.remote',
    '3.remote',
    '4.remote',
    '5.remote',
    '6.remote',
  ]);
  expect(wrong[5]!.message).toContain('between ^ and $');
  expect(wrong[0]!.message).toContain("'gone'");
});

test('what a map can give is told apart from what the words of the root make up', () => {
  const given = givenByMap([
    { remote: 'dev', local: ['access', 'viewer'] },
    { remote: '^(.*)$', local: ['$1'] },
  ]);

  expect(given).toEqual({ roles: [['access', 'viewer'], []], composed: ['$1'] });
});
