/** Makes a user together with the link that lets them in. */
import { resetTokenCreated } from '@gatehouse/contract/audit/account-events';
import { inviteMadeLocally, userCreated } from '@gatehouse/contract/audit/user-events';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { makerOf } from '../account/link-maker.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { isLocalActor } from '../sign-in/local-actor.ts';
import { insertUser, type Traits } from '../stores/user-store.ts';
import { createUserToken } from '../stores/user-token-store.ts';
import { refuseTakenName } from './user-names.ts';

interface Invitation {
  name: string;
  roles: readonly string[];
  traits: Traits;
  ttlMs?: number | undefined;
  actor: Pick<Actor, 'username' | 'signInId' | 'isNarrowed'>;
  address?: string;
  /** Who may be named to the actor. */
  isKnown?: (other: string) => boolean;
}

/** Makes the user and the invite token in the caller's transaction. */
export async function inviteUser(
  tx: Tx,
  { now, audit }: Pick<IdentityDeps, 'now' | 'audit'>,
  { name, roles, traits, ttlMs, actor, address, isKnown = () => true }: Invitation,
): Promise<{ tokenId: string; expires: number }> {
  await refuseTakenName(tx, name, isKnown);
  const createdBy = actor.username;
  await insertUser(tx, { name, roles, traits, created: now(), createdBy });
  const ttl = ttlMs === undefined ? {} : { ttlMs };
  const token = await createUserToken(tx, { type: 'invite', user: name, ...makerOf(actor), now: now(), ...ttl });
  await publish(tx, { topic: 'user', id: name });

  const context = { signInId: actor.signInId, ...(address === undefined ? {} : { address }) };
  const expires = new Date(token.expires).toISOString();
  await audit.emit(tx, userCreated, { user: createdBy, name, roles: [...roles], connector: 'local' }, context);
  if (isLocalActor(actor)) {
    await audit.emit(tx, inviteMadeLocally, { user: createdBy, name, expires, type: 'invite' }, context);
  } else {
    await audit.emit(tx, resetTokenCreated, { user: createdBy, name, expires }, context);
  }
  return token;
}
