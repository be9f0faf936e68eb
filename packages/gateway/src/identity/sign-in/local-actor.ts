/** Whoever may open the gateway's local socket: the owner of the machine's account it runs under, who could edit the store by hand anyway. */
import { LOCAL_ACTOR } from '@gatehouse/contract/identity/own-actors';
import { ownerAcl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';

export function localActor(): Actor {
  return {
    username: LOCAL_ACTOR,
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
  return username === LOCAL_ACTOR;
}
