import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import { expect, test } from 'vitest';
import { openSession } from '../../../testing/sessions/open-session.ts';
import { firstWay, fits, hasPicture, joinPath, joinWays, peopleOf, resourceAddress, whatOf } from './session-facts.ts';

const session = openSession({
  parties: [
    { user: 'bob', mode: 'observer' },
    { user: 'ann', mode: 'peer' },
    { user: 'bob', mode: 'moderator' },
  ],
});

test('a person in two windows is shown once, the owner first', () => {
  expect(peopleOf(session)).toEqual([
    { user: 'ann', mode: 'peer' },
    { user: 'bob', mode: 'moderator' },
  ]);
});

test('what one does first is to take part in one’s own, to help one that waits, else to look', () => {
  const modes = (participantModes: ActiveSession['participantModes'], more: Partial<ActiveSession> = {}) =>
    openSession({ participantModes, ...more });

  expect(firstWay(modes(['observer', 'peer']), true)).toBe('peer');
  expect(firstWay(modes(['observer', 'moderator']), false)).toBe('observer');
  expect(firstWay(modes(['observer', 'moderator'], { state: 'waiting' }), false)).toBe('moderator');
  expect(firstWay(modes(['peer']), false)).toBe('peer');
  expect(firstWay(modes([]), false)).toBe(undefined);
  expect(joinWays(modes(['observer'], { kind: 'app' }), false)).toEqual([]);
  expect(joinWays(modes(['observer'], { kind: 'k8s' }), false)).toEqual(['observer']);
  expect(joinWays(modes(['observer', 'peer'], { kind: 'desktop' }), false)).toEqual(['observer', 'peer']);
  expect(joinWays(modes(['observer', 'peer'], { kind: 'db' }), true)).toEqual([]);
  expect(joinWays(modes(['observer', 'moderator', 'peer'], { kind: 'db' }), false)).toEqual(['observer', 'moderator']);
});

test('terminals and desktops have pictures', () => {
  const kinds = ['ssh', 'k8s', 'desktop', 'app', 'db'] as const;
  expect(kinds.filter((kind) => hasPicture({ kind }))).toEqual(['ssh', 'k8s', 'desktop']);
});

test('the address of a session names the mode, unless it is one’s own', () => {
  expect(joinPath(session, 'one', 'observer', false)).toBe(
    `/web/cluster/one/console/session/${session.id}?mode=observer`,
  );
  const db = openSession({ kind: 'db', resource_name: 'shop' });
  expect(joinPath(db, 'one', 'moderator', false)).toBe(
    `/web/cluster/one/databases/shop/session/${db.id}?mode=moderator`,
  );
  expect(joinPath(session, 'one', 'peer', true)).toBe(`/web/cluster/one/console/session/${session.id}`);
  const desktop = openSession({ kind: 'desktop', resource_name: 'win-1', login: 'CORP\\ann' });
  const at = `/web/cluster/one/desktops/win-1/CORP%5Cann?sid=${desktop.id}`;
  expect(joinPath(desktop, 'one', 'observer', false)).toBe(`${at}&mode=observer`);
  expect(joinPath(desktop, 'one', 'peer', true)).toBe(at);
});

test('every word of a filter must be somewhere in it', () => {
  expect(fits(session, '')).toBe(true);
  expect(fits(session, 'BOB web')).toBe(true);
  expect(fits(session, 'bob nowhere')).toBe(false);
  const pod = openSession({ kind: 'k8s', login: '', resource_name: 'prod', resource_inside: 'shop/web-1/api' });
  expect([whatOf(pod), fits(pod, 'web-1'), fits(pod, 'web-2')]).toEqual(['prod/shop/web-1/api', true, false]);
  expect([whatOf(session), resourceAddress(session)]).toEqual(['root@web-01', '10.0.0.1']);
});
