/** Answers the calls that list users and invite new ones. */

import type { userRoutes } from '@gatehouse/contract/identity/users/users';
import { refuseExcess, requireGivenRoles } from '../../access/escalation.ts';
import { mayReach } from '../../access/reach.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { refuseFormerName } from '../account/former-names.ts';
import { linkFor } from '../account/link-for.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { requireStillSignedIn } from '../sign-in/still-signed-in.ts';
import { inviteUser } from './invite-user.ts';
import { listKnownUsers } from './known-users.ts';
import { notesOn } from './role-notes.ts';
import { refuseTakenName } from './user-names.ts';

export function userHandlers(parts: IdentityDeps): Handlers<typeof userRoutes> {
  const { db } = parts;
  return {
    list: ({ actor }) => listKnownUsers(parts, actor),

    async invite({ actor, body, exchange }) {
      const object = { kind: 'user', name: body.name };
      parts.access.require(actor, { type: 'verb', resource: 'user', verb: 'create', object });
      requireGivenRoles(parts.access, actor, body.roles);
      refuseExcess(parts.access, actor, body);
      const isKnown = (other: string) => mayReach(parts.access, actor, 'list', 'user', other);
      const ttlMs = body.ttlSeconds * 1000;
      const { tokenId, expires } = await db.transaction().execute(async (tx) => {
        if (!actor.isOwner) await requireStillSignedIn(tx, actor, parts.now());
        await refuseTakenName(tx, body.name, isKnown);
        await refuseFormerName(tx, { access: parts.access, actor }, body.name);
        return await inviteUser(tx, parts, { ...body, ttlMs, actor, address: exchange.address, isKnown });
      });
      const inviteUrl = linkFor(parts.settings, { tokenId, type: 'invite' });
      return { name: body.name, inviteUrl, expires: new Date(expires).toISOString(), ...notesOn(parts.access, body) };
    },
  };
}
