import { expect, test } from 'vitest';
import { tellEvent } from './tell-event.ts';

test('an event is told in one line', () => {
  expect(tellEvent({ code: 'T1000I', user: 'ann', success: true, method: 'passwordless' }).message).toBe(
    'ann signed in with a passkey',
  );
  expect(tellEvent({ code: 'T1000W', user: 'ann', success: false, error: 'wrong password' }).message).toBe(
    'a sign-in as ann failed: wrong password',
  );
  expect(tellEvent({ code: 'GH102W', user: 'ann', failures: 5, until: '2026-01-01T00:20:00.000Z' }).message).toBe(
    'ann is locked until 2026-01-01T00:20:00.000Z after 5 failed sign-ins',
  );
});

test.each([
  [
    'a session with a cluster',
    { code: 'T2000I', kubernetes_cluster: 'prod-eu', server_hostname: 'agent' },
    'kube prod-eu',
  ],
  ['a session with a node', { code: 'T2000I', server_hostname: 'web-1', server_id: 'id-1' }, 'node web-1'],
  ['a node without a name', { code: 'T2000I', server_id: 'id-1' }, 'node id-1'],
  ['a desktop without a name', { code: 'TDP02I', desktop_addr: '10.0.0.9:3389' }, 'desktop 10.0.0.9:3389'],
  ['a denial, whatever was denied', { code: 'GH301W', resource_kind: 'db', resource_name: 'orders' }, 'db orders'],
  ['nothing in particular', { code: 'TBL00I', user: 'ann' }, ''],
])('an event is about %s', (_, raw, expected) => {
  const { kind, name } = tellEvent(raw).subject;

  expect(`${kind} ${name}`.trim()).toBe(expected);
});

test('the user of a trusted device is found inside its object', () => {
  const raw = { code: 'TV001I', user: { user: 'ann' }, status: { success: false, error: 'no such device' } };

  expect(tellEvent(raw)).toMatchObject({ user: 'ann', message: 'ann could not register the device: no such device' });
});

test.each([
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.2Z', ' after 0 s'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:59Z', ' after 59 s'],
  ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z', ' after 1 h 0 min'],
  ['2026-01-01T00:00:00Z', '2026-01-02T03:04:05Z', ' after 27 h 4 min'],
  ['2026-01-01T00:00:00Z', '2025-12-31T00:00:00Z', ''],
  ['yesterday', '2026-01-01T00:00:00Z', ''],
  [undefined, undefined, ''],
])('a session from %s to %s lasted%s', (start, stop, told) => {
  expect(
    tellEvent({ code: 'TDP01I', user: 'ann', desktop_name: 'win-1', session_start: start, session_stop: stop }).message,
  ).toBe(`ann left the desktop win-1${told}`);
});

test.each([
  ['-local-', "somebody on the gateway's machine"],
  ['-first-start-', 'the first start'],
  ['-upgrade-', 'a new version of Gatehouse'],
  ['ann', 'ann'],
])('%s is told as %s, and found by the name of the log', (user, who) => {
  const told = tellEvent({ code: 'T1002I', event: 'user.create', user, name: 'bo', roles: ['access'] });

  expect(told).toMatchObject({ user, who });
  expect(told.message.startsWith(`${who} `)).toBe(true);
});

test.each([
  { code: 'T1000W', event: 'user.login', success: false },
  { code: 'T3007W', event: 'auth', success: false },
  { code: 'GH102W', event: 'user.lockout', failures: 5 },
  { code: 'T1009W', event: 'recovery_code.used', success: false },
])('a stranger who types the name of ours is not taken for us: $event', (raw) => {
  const told = tellEvent({ ...raw, user: '-local-' });

  expect(told.who).toBe('-local-');
  expect(told.message).toContain('-local-');
});

test.each([
  ['gateway', 'the gateway started with version 1'],
  ['gateway-0123456789ab', 'gateway-0123456789ab started with version 1'],
  ['gate-1', 'the gateway gate-1 started with version 1'],
])('the gateway %s is called so once', (gateway, message) => {
  expect(tellEvent({ code: 'GH340I', event: 'gateway.start', gateway, version: '1' }).message).toBe(message);
});

test('a long list is counted instead of told', () => {
  const roles = Array.from({ length: 11 }, (_, at) => `r${at}`);

  expect(tellEvent({ code: 'T5004I', user: 'ann', resource_type: 'db', search_as_roles: roles }).message).toBe(
    'ann looked for resources of the type db to ask for, with the roles r0, r1, r2, r3, r4, r5, r6, r7 and 3 more',
  );
});

test('what a provider ended is told as it was', () => {
  const told = (fields: object) =>
    tellEvent({ code: 'GH152I', name: 'ann', connector: 'okta', reason: 'gone there', ...fields }).message;

  expect(told({ sign_ins: 1 })).toBe('1 sign-in of ann through the connector okta ended: gone there');
  expect(told({ sign_ins: 2, taken_back: true })).toBe(
    '2 sign-ins of ann through the connector okta ended, and what it gave them was taken back: gone there',
  );
  expect(told({ sign_ins: 2, all_ways: true })).toBe(
    '2 sign-ins of ann ended, which is all, also those not through the connector okta: gone there',
  );
  expect(told({ sign_ins: 0, taken_back: true })).toBe('what the connector okta gave ann was taken back: gone there');
});
