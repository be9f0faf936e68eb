import { expect, test } from 'vitest';
import { bindAccess } from '../../access/bind-access.ts';
import type { AccessControl } from '../../access/create-access.ts';
import { explainAccess } from './explain-access.ts';

const subject = { username: 'ines', roles: ['auditor'], traits: {} };
const action = { type: 'join', session: { kind: 'ssh', ownerRoles: ['access'] }, mode: 'observer' } as const;

function explained(canJoinSessions: boolean) {
  const access = {
    canJoinSessions,
    of: () => bindAccess([], { username: 'ines', traits: {} }),
    lockFor: () => undefined,
    role: () => undefined,
    roleNames: () => [],
  } as unknown as AccessControl;
  return explainAccess(access, { subject, action, readsRoles: true, readsLock: () => false, now: 0 });
}

test('who may not watch is told of the rule that is missing', () => {
  const { allowed, sentence } = explained(true);

  expect([allowed, sentence]).toEqual([false, expect.stringContaining('no role allows it')]);
});

test('where nobody may join sessions, no role is said to change that', () => {
  const { allowed, sentence, change, rolesThatWould } = explained(false);

  expect(allowed).toBe(false);
  expect(sentence).toContain('canJoinSessions is false');
  expect([change, rolesThatWould]).toEqual([[], []]);
});
