import { expect, test } from 'vitest';
import type { Verb } from '../wire/route.ts';
import { type AclGroup, aclGroups, emptyAcl, encodeAcl, featureFlags, wireAcl } from './acl.ts';

function aclWith(...granted: [AclGroup, Verb][]) {
  const acl = emptyAcl();
  for (const [group, verb] of granted) acl[group][verb] = true;
  return acl;
}

test('without a loaded user all flags are false', () => {
  expect(Object.values(featureFlags(undefined)).every((flag) => flag === false)).toBe(true);
});

test.each([
  ['audit', 'events'],
  ['recordings', 'recordedSessions'],
  ['authConnector', 'authConnectors'],
  ['roles', 'roles'],
  ['trustedClusters', 'trustedClusters'],
  ['users', 'users'],
  ['applications', 'appServers'],
  ['kubernetes', 'kubeServers'],
  ['billing', 'billing'],
  ['databases', 'dbServers'],
  ['desktops', 'desktops'],
  ['nodes', 'nodes'],
  ['activeSessions', 'activeSessions'],
  ['accessRequests', 'accessRequests'],
] as const)('%s needs list on %s and nothing less', (flag, group) => {
  expect(featureFlags(aclWith([group, 'list']))[flag]).toBe(true);
  expect(featureFlags(aclWith([group, 'read'], [group, 'edit'], [group, 'create'], [group, 'remove']))[flag]).toBe(
    false,
  );
});

test('a new access request needs create', () => {
  expect(featureFlags(aclWith(['accessRequests', 'create'])).newAccessRequest).toBe(true);
  expect(featureFlags(aclWith(['accessRequests', 'list'])).newAccessRequest).toBe(false);
});

test('the download center needs dashboard mode and license read or download list', () => {
  const dashboard = { isDashboard: true };
  expect(featureFlags(aclWith(['license', 'read']), dashboard).downloadCenter).toBe(true);
  expect(featureFlags(aclWith(['download', 'list']), dashboard).downloadCenter).toBe(true);
  expect(featureFlags(aclWith(['license', 'read'])).downloadCenter).toBe(false);
  expect(featureFlags(aclWith(), dashboard).downloadCenter).toBe(false);
});

test('discover needs token create, nodes list, or read and list on another kind', () => {
  expect(featureFlags(aclWith(['tokens', 'create'])).discover).toBe(true);
  expect(featureFlags(aclWith(['nodes', 'list'])).discover).toBe(true);
  for (const group of ['appServers', 'dbServers', 'kubeServers', 'desktops'] as const) {
    expect(featureFlags(aclWith([group, 'list'])).discover).toBe(false);
    expect(featureFlags(aclWith([group, 'list'], [group, 'read'])).discover).toBe(true);
  }
});

test('the three booleans travel without suffix and are true when absent', () => {
  const { clipboard: _, ...withoutClipboard } = encodeAcl({ ...emptyAcl(), directorySharingEnabled: false });

  const acl = wireAcl.parse(withoutClipboard);

  expect(acl).toMatchObject({
    clipboardSharingEnabled: true,
    desktopSessionRecordingEnabled: true,
    directorySharingEnabled: false,
  });
});

test('a group missing on the wire grants nothing', () => {
  expect(wireAcl.parse({})).toEqual(emptyAcl());
  expect(aclGroups).toHaveLength(21);
});
