/** The roles every cluster has from its first start, as the acl they give. */
import { type Acl, type AclGroup, aclGroups, emptyAcl, VERBS, type Verb } from '@gatehouse/contract/access';

type Rules = Partial<Record<AclGroup, readonly Verb[]>>;

/** What is listed only to be used: holders see it and connect, and manage nothing. */
const USES: Rules = {
  nodes: ['list', 'read'],
  appServers: ['list', 'read'],
  kubeServers: ['list', 'read'],
  dbServers: ['list', 'read'],
  db: ['list', 'read'],
  desktops: ['list', 'read'],
  activeSessions: ['list', 'read'],
};

/** Groups that belong to a hosted service, which this is not. */
const NEVER: ReadonlySet<AclGroup> = new Set(['billing', 'license', 'download']);

export const READY_MADE_ROLES: Record<string, Rules> = {
  access: USES,
  editor: Object.fromEntries(aclGroups.filter((group) => !NEVER.has(group)).map((group) => [group, VERBS])),
  auditor: { recordedSessions: ['list', 'read'], events: ['list', 'read'], activeSessions: ['list', 'read'] },
};

/** The acl of a set of roles: a verb is held when any of them gives it. */
export function aclOfRoles(roles: readonly string[]): Acl {
  const acl = emptyAcl();
  for (const role of roles) {
    for (const [group, verbs] of Object.entries(READY_MADE_ROLES[role] ?? {})) {
      for (const verb of verbs) acl[group as AclGroup][verb] = true;
    }
  }
  return acl;
}
