/** The first administrator: on a store without users, a link for whoever started the gateway. There is no default password. */
import { userInfo } from 'node:os';
import { resetTokenCreated } from '@gatehouse/contract/audit/account-events';
import { FIRST_START_ACTOR } from '@gatehouse/contract/identity/own-actors';
import type { Db } from '../../platform/storage/tables.ts';
import { linkFor } from '../account/link-for.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { findUser, hasCredentials, hasUsers } from '../stores/user-store.ts';
import { createUserToken, TOKEN_TTL } from '../stores/user-token-store.ts';
import { inviteUser } from './invite-user.ts';

export const FIRST_ADMIN_NAME = 'admin';
const FIRST_ADMIN_ROLES = ['access', 'auditor', 'editor'] as const;

export interface FirstAdminInvite {
  name: string;
  inviteUrl: string;
  expires: string;
}

/** Nothing as soon as somebody has credentials. Until then every start makes a new link and the one before stops working. */
export async function firstAdminInvite(parts: IdentityDeps): Promise<FirstAdminInvite | undefined> {
  const ttlMs = TOKEN_TTL.invite.maxMs;
  const actor = { username: FIRST_START_ACTOR, signInId: '' };
  const token = await parts.db.transaction().execute(async (tx) => {
    if (!(await hasUsers(tx))) {
      // The account that runs the gateway: without a login, the first server could be seen and not opened.
      const traits = { logins: [userInfo().username] };
      return inviteUser(tx, parts, { name: FIRST_ADMIN_NAME, roles: FIRST_ADMIN_ROLES, traits, ttlMs, actor });
    }
    const first = await findUser(tx, FIRST_ADMIN_NAME);
    if (first?.createdBy !== FIRST_START_ACTOR || (await hasCredentials(tx))) return undefined;
    const fresh = {
      type: 'invite',
      user: FIRST_ADMIN_NAME,
      createdBy: FIRST_START_ACTOR,
      now: parts.now(),
      ttlMs,
    } as const;
    const made = await createUserToken(tx, fresh);
    const expires = new Date(made.expires).toISOString();
    await parts.audit.emit(tx, resetTokenCreated, { user: FIRST_START_ACTOR, name: FIRST_ADMIN_NAME, expires });
    return made;
  });
  if (!token) return undefined;
  return {
    name: FIRST_ADMIN_NAME,
    inviteUrl: linkFor(parts.settings, { tokenId: token.tokenId, type: 'invite' }),
    expires: new Date(token.expires).toISOString(),
  };
}

/** Whether nobody could sign in yet. Once somebody has credentials it is over for good: what the page says must never tell when accounts come and go. */
export function createUnclaimed(db: Db): () => Promise<boolean> {
  let isClaimed = false;
  return async () => {
    if (isClaimed) return false;
    // A store that does not answer says nothing, and must not keep the page from being shown.
    const found = await hasCredentials(db).catch(() => undefined);
    isClaimed = found === true;
    return found === false;
  };
}
