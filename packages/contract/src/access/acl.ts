/** Acl groups, verbs and the feature flags they give. The console hides and the gateway refuses by the same function. */
import { z } from 'zod';
import { type KindAclGroups, type KindFlags, rows } from '../kinds/kinds.ts';
import type { Verb } from '../wire/route.ts';

const OTHER_GROUPS = {
  authConnectors: 'auth_connector',
  trustedClusters: 'trusted_cluster',
  roles: 'role',
  recordedSessions: 'session',
  activeSessions: 'ssh_session',
  events: 'event',
  users: 'user',
  tokens: 'token',
  accessRequests: 'access_request',
  billing: 'billing',
  db: 'db',
  connectionDiagnostic: 'connection_diagnostic',
  license: 'license',
  download: 'download',
  /** Ours, beside the reference's groups. */
  locks: 'lock',
  dbApprovals: 'db_approval',
} as const;
/** Acl group on the wire → the resource kind that role rules name. */
export const ACL_GROUPS = {
  ...OTHER_GROUPS,
  ...(Object.fromEntries(rows.map(({ acl, rules }) => [acl, rules[0]])) as KindAclGroups),
} as const;
export type AclGroup = keyof typeof ACL_GROUPS;

export const aclGroups: readonly AclGroup[] = Object.keys(ACL_GROUPS) as AclGroup[];

export type Grants = Record<Verb, boolean>;
export type Acl = Record<AclGroup, Grants> & {
  clipboardSharingEnabled: boolean;
  desktopSessionRecordingEnabled: boolean;
  directorySharingEnabled: boolean;
};

const grants = z.object({
  list: z.boolean(),
  read: z.boolean(),
  edit: z.boolean(),
  create: z.boolean(),
  remove: z.boolean(),
});

/** On the wire the three booleans have no `Enabled` suffix, and an absent one means true; an absent group grants nothing. */
export const wireAcl = z.record(z.string(), z.union([grants, z.boolean()])).transform((wire): Acl => {
  const flag = (name: string) => wire[name] !== false;
  const groups = aclGroups.map((group) => {
    const given = wire[group];
    return [group, typeof given === 'object' ? given : noGrants()];
  });
  return {
    ...(Object.fromEntries(groups) as Record<AclGroup, Grants>),
    clipboardSharingEnabled: flag('clipboard'),
    desktopSessionRecordingEnabled: flag('desktopSessionRecording'),
    directorySharingEnabled: flag('directorySharing'),
  };
});

/** The acl as it travels. */
export function encodeAcl(acl: Acl): z.input<typeof wireAcl> {
  return {
    ...Object.fromEntries(aclGroups.map((group) => [group, acl[group]])),
    clipboard: acl.clipboardSharingEnabled,
    desktopSessionRecording: acl.desktopSessionRecordingEnabled,
    directorySharing: acl.directorySharingEnabled,
  };
}

export function noGrants(): Grants {
  return { list: false, read: false, edit: false, create: false, remove: false };
}

export function emptyAcl(): Acl {
  return {
    ...(Object.fromEntries(aclGroups.map((group) => [group, noGrants()])) as Record<AclGroup, Grants>),
    clipboardSharingEnabled: true,
    desktopSessionRecordingEnabled: true,
    directorySharingEnabled: true,
  };
}

const OTHER_FLAGS = {
  audit: 'events',
  recordings: 'recordedSessions',
  authConnector: 'authConnectors',
  roles: 'roles',
  trustedClusters: 'trustedClusters',
  users: 'users',
  billing: 'billing',
  activeSessions: 'activeSessions',
  accessRequests: 'accessRequests',
  locks: 'locks',
} as const satisfies Record<string, AclGroup>;
/** The group whose `list` gives a flag. */
export const FLAG_NEEDS_LIST = {
  ...OTHER_FLAGS,
  ...(Object.fromEntries(rows.map(({ flag, acl }) => [flag, acl])) as KindFlags),
} as const;

export type FeatureFlag = keyof typeof FLAG_NEEDS_LIST | 'newAccessRequest' | 'downloadCenter' | 'discover';
export type FeatureFlags = Record<FeatureFlag, boolean>;

/** The flags of specification §6. Without a loaded user all are false. */
export function featureFlags(
  acl: Acl | undefined,
  page: { isDashboard: boolean } = { isDashboard: false },
): FeatureFlags {
  const has = (group: AclGroup, verb: Verb) => acl?.[group][verb] ?? false;
  const byList = Object.entries(FLAG_NEEDS_LIST).map(([flag, group]) => [flag, has(group, 'list')]);
  const listsAgents = rows.some(
    ({ acl: group, listSuffices }) =>
      has(group as AclGroup, 'list') && (listSuffices || has(group as AclGroup, 'read')),
  );
  return {
    ...(Object.fromEntries(byList) as Record<keyof typeof FLAG_NEEDS_LIST, boolean>),
    newAccessRequest: has('accessRequests', 'create'),
    downloadCenter: page.isDashboard && (has('license', 'read') || has('download', 'list')),
    discover: has('tokens', 'create') || listsAgents,
  };
}
