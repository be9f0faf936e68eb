/** Makes a user what its document says. Nobody gives more than they hold. */

import { userCreated, userUpdated } from '@gatehouse/contract/audit/user-events';
import { newUserName } from '@gatehouse/contract/identity/users/users';
import { shapeOfName } from '../../access/document/role-name.ts';
import { refuseExcess, refuseUnlisted } from '../../access/escalation.ts';
import { mayReach } from '../../access/reach.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import { refuseFormerName } from '../account/former-names.ts';
import { findUser, insertUser, listUserNames, type Traits, updateUser } from '../stores/user-store.ts';
import { refuseProvided } from '../users/refuse-provided.ts';
import { looksTaken, refuseReservedName } from '../users/user-names.ts';
import { revisionOf } from '../users/user-revision.ts';
import { type ApplyDeps, type Outcome, outcome, requireRevision, UNCHANGED } from './apply-deps.ts';
import { storedTraits, userText } from './document-texts.ts';
import type { ReadDocument } from './read-document.ts';

/** What one apply needs to know of all users and roles, read once. */
export interface UserNames {
  roles: ReadonlySet<string>;
  /** Shape of a name → the name. */
  shapes: Map<string, string>;
}

export async function readUserNames({ tx }: ApplyDeps, roles: ReadonlySet<string>): Promise<UserNames> {
  return { roles, shapes: new Map((await listUserNames(tx)).map((name) => [shapeOfName(name), name])) };
}

export async function applyUser(
  parts: ApplyDeps,
  { name, user: { spec }, revision }: Extract<ReadDocument, { kind: 'user' }>,
  names: UserNames,
): Promise<Outcome> {
  const { tx, actor, access, audit, now, context } = parts;
  const roles = spec.roles.toSorted();
  const traits = storedTraits(spec.traits);
  const held = await findUser(tx, name);
  requireUserReach(parts, name, held !== undefined);
  refuseUnlisted(access, actor, roles);
  requireKnown(names, roles);
  refuseExcess(access, actor, { name, roles, traits }, held);
  if (held) refuseProvided(held, { roles, traits });
  requireRevision(`user '${name}'`, revision, held && revisionOf(held));
  const after = userText({ name, roles, traits });
  if (!held) {
    refuseTaken(names, name, (other) => mayReach(access, actor, 'list', 'user', other));
    await refuseFormerName(tx, parts, name);
    await insertUser(tx, { name, roles, traits, created: now, createdBy: actor.username });
    await publish(tx, { topic: 'user', id: name });
    const fields = { user: actor.username, name, roles, connector: 'local', after: { roles, traits } };
    await audit.emit(tx, userCreated, fields, context);
    return outcome(`user/${name}`, undefined, after);
  }
  const before = userText(held);
  if (before === after) return UNCHANGED;
  await updateUser(tx, name, { roles, traits });
  await publish(tx, { topic: 'user', id: name });
  const was = { roles: [...held.roles], traits: copyOf(held.traits) };
  const fields = { user: actor.username, name, roles, connector: held.authType, before: was, after: { roles, traits } };
  await audit.emit(tx, userUpdated, fields, context);
  return outcome(`user/${name}`, before, after);
}

/** Whoever may neither make nor change users of this name hears the same, whether there is one or not. */
function requireUserReach({ access, actor }: ApplyDeps, name: string, isHeld: boolean): void {
  const mayChange = mayReach(access, actor, 'update', 'user', name);
  const mayMake = mayReach(access, actor, 'create', 'user', name);
  if (isHeld ? mayChange : mayMake) return;
  const { edit, create } = actor.acl.users;
  if (!edit && !create) throw deniedTo('edit');
  if (isHeld || !mayChange) throw notFound('user', name);
  throw deniedTo('create');
}

function deniedTo(verb: string): AppError {
  return new AppError('denied', `access denied: none of your roles allows '${verb}' on 'users'`);
}

/** Of the roles there are once the documents of roles are applied. */
function requireKnown({ roles: known }: UserNames, roles: readonly string[]): void {
  const unknown = roles.find((role) => !known.has(role));
  if (unknown !== undefined) throw new AppError('bad_request', `role '${unknown}' does not exist`);
}

function refuseTaken({ shapes }: UserNames, name: string, isKnown: (other: string) => boolean): void {
  parseInput(newUserName, name, 'metadata.name');
  refuseReservedName(name);
  const shape = shapeOfName(name);
  const other = shapes.get(shape);
  if (other !== undefined) throw looksTaken(name, isKnown(other) ? other : undefined);
  shapes.set(shape, name);
}

function copyOf(traits: Traits): Record<string, string[]> {
  return Object.fromEntries(Object.entries(traits).map(([trait, values]) => [trait, [...values]]));
}
