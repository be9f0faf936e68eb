/** What every answer about access is made from, and who may ask about whom. */
import type { AccessControl, Subject } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { findPerson } from '../stores/people.ts';

export interface AccessQueryDeps {
  db: Db;
  access: AccessControl;
  now: () => number;
  clusterName: string;
}

export function mayReadRoles(access: AccessControl, actor: Actor): boolean {
  return access.decide(actor, { type: 'verb', resource: 'role', verb: 'read' }).allowed;
}

/** Everybody may ask about themselves; about others it takes read on users and roles, and of a token that may do less than its owner the owner is another. */
export async function subjectAskedAbout({ db, access }: AccessQueryDeps, actor: Actor, name: string): Promise<Subject> {
  if (name === actor.username && !actor.isNarrowed) return { username: name, roles: actor.roles, traits: actor.traits };
  access.require(actor, { type: 'verb', resource: 'role', verb: 'read' });
  const user = await findPerson(db, name);
  const object = { kind: 'user', name };
  if (!user || !access.decide(actor, { type: 'verb', resource: 'user', verb: 'read', object }).allowed)
    throw notFound('user', name);
  return { username: name, roles: user.roles, traits: user.traits };
}

/** Somebody who is only asked about, as if they had signed in. */
export function asActor(access: AccessControl, subject: Subject): Actor {
  return { ...subject, signInId: '', signInKind: 'browser', authType: 'local', acl: access.aclOf(subject) };
}
