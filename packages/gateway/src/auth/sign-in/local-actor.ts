/** Whoever may open the gateway's local socket: the owner of the machine's account it runs under, who could edit the store by hand anyway. */
import { aclGroups, emptyAcl, VERBS } from '@gatehouse/contract/access';
import type { Actor } from '../../access/actor.ts';

/** No user can have this name: names do not begin with a dash. */
export const LOCAL_NAME = '-local-';

export function localActor(): Actor {
  const acl = emptyAcl();
  for (const group of aclGroups) for (const verb of VERBS) acl[group][verb] = true;
  return {
    username: LOCAL_NAME,
    signInId: '',
    signInKind: 'cli',
    roles: [],
    traits: {},
    authType: 'local',
    acl,
  };
}

export function isLocalActor({ username }: Pick<Actor, 'username'>): boolean {
  return username === LOCAL_NAME;
}
