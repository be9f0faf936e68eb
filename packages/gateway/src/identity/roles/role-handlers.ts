/** Answers the calls that list, make, change and delete roles. */

import { ACL_GROUPS } from '@gatehouse/contract/access/acl';
import type { RoleItem, roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { roleCreated, roleDeleted, roleUpdated } from '@gatehouse/contract/audit/role-events';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Verb } from '@gatehouse/contract/wire/route';
import { mayAlways, RULE_VERB_OF } from '../../access/acl-of.ts';
import { compileRole } from '../../access/compile-role.ts';
import type { AccessControl } from '../../access/create-access.ts';
import { type ParsedRole, parseRole } from '../../access/document/role-document.ts';
import { mayReach } from '../../access/reach.ts';
import { looksTaken, mayListRole } from '../../access/role-reach.ts';
import {
  deleteRole,
  findLookAlike,
  findRole,
  insertRole,
  listRoles,
  type StoredRole,
  updateRole,
} from '../../access/role-store.ts';
import { askAboutLabels } from '../../inventory/label-set-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { isUniqueViolation } from '../../platform/storage/errors.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { keepingAnAdministrator } from '../stores/administrators.ts';
import { listUsers } from '../stores/user-store.ts';

export interface RoleDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  now: () => number;
}

const MAX_HOLDERS_NAMED = 20;

export function roleHandlers({ db, access, audit, now }: RoleDeps): Handlers<typeof roleRoutes> {
  /** A right under a condition could be used to write a role that has none. */
  function requireFull(actor: Actor, verb: Verb): void {
    if (actor.isOwner || mayAlways(access.of(actor), ACL_GROUPS.roles, RULE_VERB_OF[verb])) return;
    throw new AppError(
      'denied',
      `access denied: your right to '${verb}' roles has a condition, and only a full one counts here`,
    );
  }

  return {
    async list({ actor }) {
      const roles = (await listRoles(db)).map((role) => toItem(role));
      return roles.filter((role) => mayListRole(access, actor, role));
    },

    async create({ actor, body: { content }, exchange }) {
      requireFull(actor, 'create');
      const { document, notes } = parseRole(content);
      const { name } = document.metadata;
      const stored = await db.transaction().execute(async (tx) => {
        await refuseTaken(tx, name, (other) => mayListRole(access, actor, other));
        await askAboutLabels(tx, compileRole(document).labelKeys);
        const made = await insertRole(tx, { name, content, by: actor.username, now: now() }).catch((error: unknown) => {
          throw isUniqueViolation(error) ? taken(name) : error;
        });
        await audit.emit(tx, roleCreated, { user: actor.username, name, after: content }, contextOf(actor, exchange));
        return made;
      });
      await access.refreshRole(name);
      return toItem(stored, notes);
    },

    async update({ actor, params: { name }, body: { content, revision }, exchange }) {
      requireFull(actor, 'edit');
      const { document, notes } = parseRole(content);
      requireSameName(document, name);
      const wanted = revision ?? ifMatch(exchange);
      const stored = await db.transaction().execute(async (tx) => {
        const before = await findRole(tx, name);
        if (!before) throw notFound('role', name);
        if (wanted !== undefined && wanted !== before.revision) throw overtaken(name);
        await askAboutLabels(tx, compileRole(document).labelKeys);
        const change = { name, content, by: actor.username, now: now() };
        const after = await keepingAnAdministrator(tx, { now: now(), what: `role '${name}'` }, () =>
          updateRole(tx, change, before.revision),
        );
        if (!after) throw overtaken(name);
        const fields = { user: actor.username, name, before: before.content, after: content };
        await audit.emit(tx, roleUpdated, fields, contextOf(actor, exchange));
        return after;
      });
      await access.refreshRole(name);
      return toItem(stored, notes);
    },

    async remove({ actor, params: { name }, exchange }) {
      requireFull(actor, 'remove');
      await db.transaction().execute(async (tx) => {
        const before = await findRole(tx, name);
        if (!before) throw notFound('role', name);
        await refuseHeld(tx, name, (user) => mayReach(access, actor, 'list', 'user', user));
        await keepingAnAdministrator(tx, { now: now(), what: `role '${name}'` }, () => deleteRole(tx, name));
        const fields = { user: actor.username, name, before: before.content };
        await audit.emit(tx, roleDeleted, fields, contextOf(actor, exchange));
      });
      await access.refreshRole(name);
      return OK;
    },
  };
}

function toItem({ name, content, revision }: StoredRole, notes: readonly string[] = []): RoleItem {
  return {
    id: `role:${name}`,
    kind: 'role',
    name,
    content,
    revision,
    ...(notes.length > 0 ? { notes: [...notes] } : {}),
  };
}

/** Which role it looks like is told to whoever may list that one. */
async function refuseTaken(tx: Tx, name: string, isKnown: (other: StoredRole) => boolean): Promise<void> {
  const other = await findLookAlike(tx, name);
  if (other === undefined) return;
  throw other.name === name ? taken(name) : looksTaken(name, isKnown(other) ? other.name : undefined);
}

/** Who holds it is told to whoever may know them. */
async function refuseHeld(tx: Tx, name: string, isKnown: (user: string) => boolean): Promise<void> {
  const holders = (await listUsers(tx)).filter(({ roles }) => roles.includes(name)).map((user) => user.name);
  if (holders.length === 0) return;
  const shown = holders.filter(isKnown).slice(0, MAX_HOLDERS_NAMED);
  const left = holders.length - shown.length;
  const who = [
    ...(shown.length > 0 ? [shown.join(', ')] : []),
    ...(left > 0 ? [shown.length > 0 ? `${left} more` : `${left} that you may not know`] : []),
  ].join(' and ');
  throw new AppError('conflict', `role '${name}' is held by ${who}: take it from them first`, {
    fields: { users: shown, count: holders.length },
  });
}

function requireSameName({ metadata }: ParsedRole['document'], name: string): void {
  if (metadata.name === name) return;
  throw new AppError(
    'bad_request',
    `the document is of role '${metadata.name}', not of '${name}': roles cannot be renamed`,
  );
}

function taken(name: string): AppError {
  return new AppError('conflict', `role '${name}' exists already`);
}

function overtaken(name: string): AppError {
  return new AppError(
    'compare_failed',
    `role '${name}' was changed by somebody else meanwhile: look at their version first`,
  );
}

function ifMatch(exchange: Exchange): string | undefined {
  return exchange.header('if-match')?.replaceAll('"', '').trim();
}
