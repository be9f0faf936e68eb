import { type Acl, emptyAcl, featureFlags } from '@gatehouse/contract/access/acl';
import { expect, test } from 'vitest';
import { fullAcl } from '../../testing/fake-gateway.ts';
import en from '../platform/i18n/en/shell.json';
import { groupEntries, missingFlag, NAVIGATION, startPage, visibleEntries } from './navigation.ts';
import { isBuilt } from './screens.ts';

const everything = () => true;
const label = (entry: { label: string }) => {
  const texts: Record<string, unknown> = en;
  return (texts[entry.label.replace('shell.', '')] as string[])[0];
};

function aclWith(group: keyof Acl, grants: Partial<Record<string, boolean>>): Acl {
  const acl = emptyAcl();
  Object.assign(acl[group] as object, grants);
  return acl;
}

test('a user who may list everything sees every entry in the specified order and sections', () => {
  const groups = groupEntries(visibleEntries(featureFlags(fullAcl()), everything));

  const shown = groups.map(({ heading, sections }) => ({
    heading,
    sections: sections.map(({ section, entries }) => [section, ...entries.map(label)]),
  }));
  expect(shown).toEqual([
    {
      heading: 'resources',
      sections: [[undefined, 'Servers', 'Applications', 'Kubernetes', 'Databases', 'Desktops', 'Active Sessions']],
    },
    {
      heading: 'management',
      sections: [
        ['access', 'Users', 'Roles', 'Auth Connectors', 'Enroll New Resource', 'Locks'],
        ['activity', 'Session Recordings', 'Audit Log'],
        ['clusters', 'Manage Clusters', 'Trusted Clusters'],
      ],
    },
  ]);
});

test('the top menu holds account settings and help for everybody, then our own settings', () => {
  const entries = visibleEntries(featureFlags(undefined), everything);

  expect(entries.map(label)).toEqual(['Account Settings', 'Help & Support', 'Settings']);
});

test.each([
  ['nodes', ['Servers', 'Enroll New Resource']],
  ['appServers', ['Applications']],
  ['kubeServers', ['Kubernetes']],
  ['dbServers', ['Databases']],
  ['desktops', ['Desktops']],
  ['activeSessions', ['Active Sessions']],
  ['users', ['Users']],
  ['roles', ['Roles']],
  ['authConnectors', ['Auth Connectors']],
  ['recordedSessions', ['Session Recordings']],
  ['events', ['Audit Log']],
  ['trustedClusters', ['Manage Clusters', 'Trusted Clusters']],
] as const)('listing %s alone shows %j', (group, expected) => {
  const entries = visibleEntries(featureFlags(aclWith(group, { list: true })), everything);

  expect(entries.filter((entry) => entry.category !== 'top-menu').map(label)).toEqual(expected);
});

test('creating tokens is enough to enroll', () => {
  const entries = visibleEntries(featureFlags(aclWith('tokens', { create: true })), everything);

  expect(entries.map(label)).toContain('Enroll New Resource');
});

test('an entry whose screen is not built is not shown, whatever the flags say', () => {
  const shown = visibleEntries(featureFlags(fullAcl())).map((entry) => entry.page);

  expect(shown).toEqual(NAVIGATION.map((entry) => entry.page).filter(isBuilt));
});

test('the root leads to the first resource the user has, and to help when there is none', () => {
  expect(startPage(featureFlags(fullAcl()), everything)).toBe('nodes');
  expect(startPage(featureFlags(aclWith('desktops', { list: true })), everything)).toBe('desktops');
  expect(startPage(featureFlags(aclWith('users', { list: true })), everything)).toBe('support');
  expect(startPage(featureFlags(fullAcl()), () => false)).toBe('support');
});

test('a page is refused without its flag and open when it needs none', () => {
  expect(missingFlag('users', featureFlags(emptyAcl()))).toBe('users');
  expect(missingFlag('locks', featureFlags(emptyAcl()))).toBe('locks');
  expect(missingFlag('users', featureFlags(aclWith('users', { list: true })))).toBeUndefined();
  expect(missingFlag('settings', featureFlags(emptyAcl()))).toBeUndefined();
});

test('no two entries share a key', () => {
  const keys = NAVIGATION.map((entry) => entry.key);

  expect(new Set(keys).size).toBe(keys.length);
});
