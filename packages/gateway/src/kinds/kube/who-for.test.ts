import { expect, test } from 'vitest';
import { bindAccess } from '../../access/bind-access.ts';
import { compileRole } from '../../access/compile-role.ts';
import { decide } from '../../access/decide.ts';
import { parseRole } from '../../access/document/role-document.ts';
import { givesAsked, givesNames, whoFor } from './who-for.ts';

const PROD = { env: 'prod' };

function access(specs: Record<string, object>, username = 'ann') {
  const roles = Object.entries(specs).map(([name, spec]) =>
    compileRole(parseRole(JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec })).document),
  );
  return bindAccess(roles, { username, traits: {} });
}

const giving = (users: string[], groups: string[], deny: object = {}) =>
  access({
    one: { allow: { kubernetes_labels: PROD, kubernetes_users: users, kubernetes_groups: groups }, deny },
    elsewhere: {
      allow: { kubernetes_labels: { env: 'dev' }, kubernetes_users: ['dev'], kubernetes_groups: ['dev'] },
    },
  });
const asking = (user: string | undefined, ...groups: string[]) => ({ user, groups });

test.each([
  ['the person where no user is named', [], 'ann'],
  ['the one that is named', ['robot'], 'robot'],
  ['the person where they are among several', ['robot', 'ann'], 'ann'],
  ['the person where any may be asked for', ['*'], 'ann'],
  ['the one that is named beside a star', ['*', 'robot'], 'robot'],
])('the user is %s', (_, users, expected) => {
  expect(whoFor(giving(users, ['view', 'edit']), PROD)).toMatchObject({ user: expected, groups: ['edit', 'view'] });
});

test('of several none is guessed, and the list is told', () => {
  expect(() => whoFor(giving(['robot', 'root'], []), PROD)).toThrow('choose one with --as: robot, root');
});

test('what is asked for is chosen from what roles give', () => {
  const several = giving(['robot', 'root'], ['view', 'edit']);

  expect(whoFor(several, PROD, asking('root', 'view'))).toMatchObject({ user: 'root', groups: ['view'] });
  expect(whoFor(giving([], ['view']), PROD, asking('ann'))).toMatchObject({ user: 'ann', groups: ['view'] });
  expect(() => whoFor(several, PROD, asking('dev'))).toThrow("the Kubernetes user 'dev': here they give robot, root");
  expect(() => whoFor(several, PROD, asking('ann'))).toThrow("'ann'");
  expect(() => whoFor(several, PROD, asking('root', 'view', 'dev'))).toThrow("the Kubernetes group 'dev'");
  expect(() => whoFor(giving([], []), PROD, asking(undefined, 'view'))).toThrow('they give none here');
  expect(() => whoFor(giving([], ['view']), PROD, asking('bob'))).toThrow(
    "the Kubernetes user 'bob': here they give ann",
  );
});

test('a star lets names be asked for, gives none, and never means what clusters keep for themselves', () => {
  const any = giving(['*'], ['*']);

  expect(whoFor(any, PROD)).toEqual({ user: 'ann', groups: [], decided: { user: 'ann', groups: [] } });
  expect(whoFor(any, PROD, asking('bob', 'ops'))).toMatchObject({ user: 'bob', groups: ['ops'] });
  for (const name of ['system:masters', 'system:admin', '*']) {
    expect(() => whoFor(any, PROD, asking(undefined, name))).toThrow(`'${name}'`);
    expect(() => whoFor(any, PROD, asking(name))).toThrow(`'${name}'`);
  }
  expect(whoFor(giving([], ['system:masters']), PROD).groups).toEqual(['system:masters']);
});

test('the decision reads a star as it is read here', () => {
  const asked = (groups: string[], user?: string) =>
    decide(giving(['*'], ['*', 'system:nodes']), {
      ...{ type: 'connect', kind: 'kube', resource: { name: 'prod', labels: PROD }, groups },
      ...(user === undefined ? {} : { user }),
    }).allowed;

  expect(asked(['ops'], 'bob')).toBe(true);
  expect(asked(['system:nodes'])).toBe(true);
  expect(asked(['system:masters'])).toBe(false);
  expect(asked([], 'system:admin')).toBe(false);
});

test('denied names are nobody, the person too', () => {
  expect(
    whoFor(
      giving(['robot', 'root'], ['a', 'b'], { kubernetes_users: ['ro?t', 'root'], kubernetes_groups: ['b'] }),
      PROD,
    ),
  ).toMatchObject({ user: 'robot', groups: ['a'] });
  expect(() => whoFor(giving([], [], { kubernetes_users: ['ann'] }), PROD)).toThrow("the Kubernetes user 'ann'");
  expect(() => whoFor(giving(['*'], [], { kubernetes_users: ['*'] }), PROD)).toThrow("the Kubernetes user 'ann'");
});

test('an account whose name clusters keep for themselves is nobody there', () => {
  const named = access({ one: { allow: { kubernetes_labels: PROD } } }, 'system:admin');

  expect(() => whoFor(named, PROD)).toThrow("the Kubernetes user 'system:admin'");
});

test('only roles whose rules allow the objects give names, and what others deny still holds', () => {
  const held = access({
    reader: { allow: { kubernetes_labels: PROD, kubernetes_groups: ['view'] } },
    keeper: { allow: { kubernetes_labels: PROD, kubernetes_groups: ['edit', 'admin'] } },
    never: { deny: { kubernetes_groups: ['admin'] } },
  });

  expect(whoFor(held, PROD).groups).toEqual(['edit', 'view']);
  expect(whoFor(held, PROD, undefined, { roles: ['reader'] }).groups).toEqual(['view']);
  expect(whoFor(held, PROD, undefined, { roles: ['keeper'] }).groups).toEqual(['edit']);
  expect(() => whoFor(held, PROD, asking(undefined, 'edit'), { roles: ['reader'] })).toThrow("'edit'");
});

test('where each role allows a part, only what all of them give is had, or one that is asked for', () => {
  const held = access({
    reader: { allow: { kubernetes_labels: PROD, kubernetes_groups: ['view', 'all'] } },
    keeper: { allow: { kubernetes_labels: PROD, kubernetes_groups: ['edit', 'all'] } },
    robot: { allow: { kubernetes_labels: PROD, kubernetes_users: ['robot'], kubernetes_groups: ['*'] } },
  });
  const parted = (...roles: string[]) => ({ roles, isParted: true });

  expect(whoFor(held, PROD, undefined, parted('reader', 'keeper'))).toMatchObject({ user: 'ann', groups: ['all'] });
  expect(() => whoFor(held, PROD, asking(undefined, 'edit'), parted('reader', 'keeper'))).toThrow("'edit'");
  expect(() => whoFor(held, PROD, undefined, parted('reader', 'robot'))).toThrow('choose one with --as: robot');
  expect(givesAsked(held, PROD, asking('ann', 'edit'), 'keeper')).toBe(true);
  expect(givesAsked(held, PROD, asking('ann', 'edit'), 'reader')).toBe(false);
  expect(givesAsked(held, PROD, asking('ann', 'edit'), 'robot')).toBe(false);
});

test('a role that names nobody to be there is told apart from one that does', () => {
  const held = access({
    bare: { allow: { kubernetes_labels: PROD } },
    star: { allow: { kubernetes_labels: PROD, kubernetes_groups: ['*'] } },
    group: { allow: { kubernetes_labels: PROD, kubernetes_groups: ['view'] } },
    user: { allow: { kubernetes_labels: PROD, kubernetes_users: ['robot'] } },
    lost: { allow: { kubernetes_labels: PROD, kubernetes_groups: ['gone'] }, deny: { kubernetes_groups: ['gone'] } },
  });

  const naming = ['bare', 'star', 'group', 'user', 'lost'].filter((role) => givesNames(held, PROD, role));
  expect(naming).toEqual(['group', 'user']);
});
