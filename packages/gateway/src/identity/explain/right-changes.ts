/** Calls of the API that users gain and lose by a change of roles. */

import { type Acl, type AclGroup, aclGroups } from '@gatehouse/contract/access/acl';
import { VERBS, type Verb } from '@gatehouse/contract/wire/route';
import { aclOf } from '../../access/acl-of.ts';
import type { Access } from '../../access/bind-access.ts';
import type { AffectedUser } from './what-if.ts';

export interface RightChange {
  user: string;
  gained: { group: AclGroup; verb: Verb }[];
  lost: { group: AclGroup; verb: Verb }[];
}

export function rightChanges(users: readonly AffectedUser[]): RightChange[] {
  const known = new Map<string, Acl>();
  const acl = (access: Access): Acl => {
    const key = aclKey(access);
    const made = known.get(key) ?? aclOf(access);
    known.set(key, made);
    return made;
  };
  const numbers = new Map<unknown, number>();
  const numberOf = (thing: unknown) => {
    if (!numbers.has(thing)) numbers.set(thing, numbers.size);
    return numbers.get(thing);
  };
  /** Rules differ between holders of the same roles only by what their conditions made of the user. */
  function aclKey({ roles }: Access): string {
    const rules = (role: Access['roles'][number], side: 'allow' | 'deny') =>
      role[side].rules.map(({ clause, where }) => `${clause.path}${where ? '?' : ''}`).join();
    return roles.map((role) => `${numberOf(role.role)} ${rules(role, 'allow')} ${rules(role, 'deny')}`).join('|');
  }
  return users.flatMap(({ user, before, after }) => {
    const [was, becomes] = [acl(before), acl(after)];
    if (was === becomes) return [];
    const gained = rightsOnlyIn(becomes, was);
    const lost = rightsOnlyIn(was, becomes);
    return gained.length + lost.length > 0 ? [{ user, gained, lost }] : [];
  });
}

function rightsOnlyIn(here: Acl, there: Acl): { group: AclGroup; verb: Verb }[] {
  return aclGroups.flatMap((group) =>
    VERBS.filter((verb) => here[group][verb] && !there[group][verb]).map((verb) => ({ group, verb })),
  );
}
