/** Answers the calls that read, make, change and delete users. Nobody gives more than they hold, and somebody is always left to put things right. */
import { userCreated, userDeleted, userUpdated } from '@gatehouse/contract/audit/user-events';
import { TRAITS } from '@gatehouse/contract/identity/users/traits';
import type { UserRecord, userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { OK } from '@gatehouse/contract/wire/ack';
import { refuseEscalation, refuseExcess, requireGivenRoles } from '../../access/escalation.ts';
import { mayReach, requireReach } from '../../access/reach.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { refuseFormerName } from '../account/former-names.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { holdUsers, keepingAnAdministrator } from '../stores/administrators.ts';
import { endSignInsOf } from '../stores/sign-in-store.ts';
import { deleteUser, findUser, insertUser, type Traits, type User, updateUser } from '../stores/user-store.ts';
import { formerConnector } from './known-users.ts';
import { refuseProvided } from './refuse-provided.ts';
import { notesOn } from './role-notes.ts';
import { refuseTakenName } from './user-names.ts';
import { revisionOf } from './user-revision.ts';

export function userRecordHandlers(deps: IdentityDeps): Handlers<typeof userRecordRoutes> {
  const { db, now, audit, access } = deps;
  const requireUser = (actor: Actor, verb: 'read' | 'update' | 'delete', user: User | undefined, name: string): User =>
    requireReach(access, { actor, verb, kind: 'user', name }, user);

  return {
    async get({ actor, params: { username } }) {
      return toRecord(requireUser(actor, 'read', await findUser(db, username), username));
    },

    async create({ actor, body: { name, roles, traits }, exchange }) {
      access.require(actor, { type: 'verb', resource: 'user', verb: 'create', object: { kind: 'user', name } });
      requireGivenRoles(access, actor, roles);
      refuseExcess(access, actor, { name, roles, traits });
      return db.transaction().execute(async (tx) => {
        await refuseTakenName(tx, name, (other) => mayReach(access, actor, 'list', 'user', other));
        await refuseFormerName(tx, { access, actor }, name);
        await insertUser(tx, { name, roles, traits, created: now(), createdBy: actor.username });
        await publish(tx, { topic: 'user', id: name });
        const fields = { user: actor.username, name, roles, connector: 'local', after: { roles, traits } };
        await audit.emit(tx, userCreated, fields, contextOf(actor, exchange));
        return { ...toRecord((await findUser(tx, name))!), ...notesOn(access, { name, roles, traits }) };
      });
    },

    async update({ actor, body: { name, roles, traits: given, revision }, exchange }) {
      requireGivenRoles(access, actor, roles);
      return db.transaction().execute(async (tx) => {
        await holdUsers(tx);
        const user = requireUser(actor, 'update', await findUser(tx, name), name);
        const traits = mergeTraits(user.traits, given);
        refuseProvided(user, { roles, traits });
        refuseExcess(access, actor, { name, roles, traits }, user);
        if (revision !== undefined && revision !== revisionOf(user)) {
          throw new AppError(
            'compare_failed',
            `user '${name}' was changed by somebody else meanwhile: look at it again`,
          );
        }
        const givenBy = user.authType === 'local' ? undefined : user.givenBy;
        await keepingAnAdministrator(tx, { now: now(), what: `user '${name}'` }, () =>
          updateUser(tx, name, { roles, traits, givenBy }),
        );
        await publish(tx, { topic: 'user', id: name });
        const before = { roles: [...user.roles], traits: mergeTraits(user.traits, {}) };
        const fields = {
          user: actor.username,
          name,
          roles,
          connector: user.authType,
          before,
          after: { roles, traits },
        };
        await audit.emit(tx, userUpdated, fields, contextOf(actor, exchange));
        return { ...toRecord({ ...user, roles, traits, givenBy }), ...notesOn(access, { name, roles, traits }) };
      });
    },

    async remove({ actor, params: { username }, exchange }) {
      if (username === actor.username) throw new AppError('bad_request', 'you cannot delete yourself');
      await db.transaction().execute(async (tx) => {
        await holdUsers(tx);
        const user = requireUser(actor, 'delete', await findUser(tx, username), username);
        refuseEscalation(access, actor, user.roles);
        // What they hold now is not what their provider may give them when they come next.
        await deps.refuseProvidersGift(tx, actor, user);
        await keepingAnAdministrator(tx, { now: now(), what: `user '${username}'` }, () => removeUser(tx, username));
        const before = { roles: [...user.roles], traits: mergeTraits(user.traits, {}) };
        await audit.emit(tx, userDeleted, { user: actor.username, name: username, before }, contextOf(actor, exchange));
      });
      return OK;
    },
  };

  /** A user of the same name made later must not find the old one's sign-ins and tokens working. */
  async function removeUser(tx: Tx, name: string): Promise<void> {
    await endSignInsOf(tx, name, 'user_deleted', { now: now() });
    await deleteUser(tx, name, now());
    await publish(tx, { topic: 'user', id: name });
  }
}

function toRecord(user: User): UserRecord {
  const known = TRAITS.filter((trait) => (user.traits[trait]?.length ?? 0) > 0);
  return {
    name: user.name,
    roles: user.roles.toSorted(),
    authType: user.authType,
    ...formerConnector(user),
    traits: Object.fromEntries(known.map((trait) => [trait, [...user.traits[trait]!]])),
    revision: revisionOf(user),
  };
}

function mergeTraits(held: Traits, given: Traits): Record<string, string[]> {
  const merged = Object.entries({ ...held, ...given }).filter(([, values]) => values.length > 0);
  return Object.fromEntries(merged.map(([trait, values]) => [trait, [...new Set(values)]]));
}
