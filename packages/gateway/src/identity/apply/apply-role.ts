/** Makes a role what its document says. */

import { ACL_GROUPS } from '@gatehouse/contract/access/acl';
import { roleCreated, roleUpdated } from '@gatehouse/contract/audit/role-events';
import type { Verb } from '@gatehouse/contract/wire/route';
import { mayAlways, RULE_VERB_OF } from '../../access/acl-of.ts';
import { looksTaken, mayListRole } from '../../access/role-reach.ts';
import { findLookAlike, findRole, insertRole, updateRole } from '../../access/role-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { type ApplyDeps, type Outcome, outcome, requireRevision, UNCHANGED } from './apply-deps.ts';
import type { ReadDocument } from './read-document.ts';
import { bareText } from './split-documents.ts';

export async function applyRole(
  parts: ApplyDeps,
  { name, content, revision }: Extract<ReadDocument, { kind: 'role' }>,
): Promise<Outcome> {
  const { tx, actor, access, audit, now, context } = parts;
  const held = await findRole(tx, name);
  // Asked before anything is compared: "unchanged" would tell what is in it.
  requireFull(parts, held ? 'edit' : 'create');
  requireRevision(`role '${name}'`, revision, held?.revision);
  const change = { name, content, by: actor.username, now };
  if (!held) {
    const other = await findLookAlike(tx, name);
    if (other) throw looksTaken(name, mayListRole(access, actor, other) ? other.name : undefined);
    await insertRole(tx, change);
    await audit.emit(tx, roleCreated, { user: actor.username, name, after: content }, context);
    return outcome(`role/${name}`, undefined, content);
  }
  const before = bareText(held.content);
  if (before === bareText(content)) return UNCHANGED;
  if (!(await updateRole(tx, change, held.revision))) requireRevision(`role '${name}'`, '', held.revision);
  const fields = { user: actor.username, name, before: held.content, after: content };
  await audit.emit(tx, roleUpdated, fields, context);
  return outcome(`role/${name}`, before, content);
}

/** A right under a condition could be used to write a role that has none. */
function requireFull({ access, actor }: ApplyDeps, verb: Verb): void {
  if (actor.acl.roles[verb] && (actor.isOwner || mayAlways(access.of(actor), ACL_GROUPS.roles, RULE_VERB_OF[verb])))
    return;
  // Told by the verb, whoever has neither would learn whether there is such a role.
  const isNeither = !actor.acl.roles.edit && !actor.acl.roles.create;
  throw new AppError('denied', `access denied: none of your roles allows '${isNeither ? 'edit' : verb}' on every role`);
}
