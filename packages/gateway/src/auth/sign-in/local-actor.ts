/** Whoever may open the gateway's local socket: the owner of the machine's account it runs under, who could edit the store by hand anyway. */
import type { Actor } from '../../access/actor.ts';
import { ownerAcl } from '../../access/create-access.ts';

/** No user can have this name: names do not begin with a dash. */
export const LOCAL_NAME = '-local-';

export function localActor(): Actor {
  return {
    username: LOCAL_NAME,
    signInId: '',
    signInKind: 'cli',
    roles: [],
    traits: {},
    authType: 'local',
    acl: ownerAcl(),
    isOwner: true,
  };
}

export function isLocalActor({ username }: Pick<Actor, 'username'>): boolean {
  return username === LOCAL_NAME;
}
