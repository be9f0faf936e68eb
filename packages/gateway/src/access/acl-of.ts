/** The acl of the user context: a true flag means that some rule may allow it; conditions are not looked at. */

import { ACL_GROUPS, type Acl, aclGroups, emptyAcl } from '@gatehouse/contract/access/acl';
import type { RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import { VERBS, type Verb } from '@gatehouse/contract/wire/route';
import type { Access } from './bind-access.ts';
import { covers } from './decide.ts';
import { sessionOptions } from './session-options.ts';

export const RULE_VERB_OF: Record<Verb, RuleVerb> = {
  list: 'list',
  read: 'read',
  edit: 'update',
  create: 'create',
  remove: 'delete',
};

export function aclOf(access: Access): Acl {
  const acl = emptyAcl();
  for (const group of aclGroups) {
    // A hosted service bills; this is none.
    if (group === 'billing') continue;
    for (const verb of VERBS) acl[group][verb] = mayEver(access, ACL_GROUPS[group], RULE_VERB_OF[verb]);
  }
  const { clipboard, directorySharing, recordDesktop } = sessionOptions(access);
  return {
    ...acl,
    clipboardSharingEnabled: clipboard,
    directorySharingEnabled: directorySharing,
    desktopSessionRecordingEnabled: recordDesktop,
  };
}

/** Allowed for at least some object, as far as can be told without one. */
export function mayEver({ roles }: Access, resource: string, verb: RuleVerb): boolean {
  const denied = roles.some(({ deny }) => deny.rules.some((rule) => !rule.where && covers(rule, resource, verb)));
  return !denied && roles.some(({ allow }) => allow.rules.some((rule) => covers(rule, resource, verb)));
}

/** Allowed for every object: no condition stands in between. */
export function mayAlways({ roles }: Access, resource: string, verb: RuleVerb): boolean {
  const denied = roles.some(({ deny }) => deny.rules.some((rule) => covers(rule, resource, verb)));
  return !denied && roles.some(({ allow }) => allow.rules.some((rule) => !rule.where && covers(rule, resource, verb)));
}
