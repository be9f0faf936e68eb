/** Whether somebody is left who can sign in and put things right. */
import { mayAlways } from '../../access/acl-of.ts';
import { type Access, bindAccess } from '../../access/bind-access.ts';
import { type CompiledRole, compileRole } from '../../access/compile-role.ts';
import { parseRole } from '../../access/document/role-document.ts';
import { listLocks } from '../../access/lock-store.ts';
import { listRoles } from '../../access/role-store.ts';
import { templateTraits } from '../../access/user-traits.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { holdLock } from '../../platform/storage/named-lock.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import type { LinkedBy } from './linked-by.ts';
import { listUsers, type User } from './user-store.ts';

/** Until the transaction ends nobody else, on this gateway or another, changes users or roles: before what is decided on is read. */
export async function holdUsers(tx: Tx): Promise<void> {
  await holdLock(tx, 'administrators', 'alone');
}

/** Runs a change of users or roles, and undoes it when it took the last way back in. Where there was none before, it may. */
export async function keepingAnAdministrator<T>(
  tx: Tx,
  { now, what }: { now: number; what: string },
  change: () => Promise<T>,
): Promise<T> {
  // Two changes at once would each count on what the other takes away.
  await holdUsers(tx);
  const before = await hasAdministrator(tx, now);
  const result = await change();
  if (before && !(await hasAdministrator(tx, now))) {
    throw new AppError(
      'conflict',
      `${what} is the last way in: without it nobody who can sign in may edit users and roles; give somebody else these rights first`,
    );
  }
  return result;
}

/** Administrators are those who may change every role and every user: with that, anything else can be had again. */
export async function hasAdministrator(db: Db, now: number): Promise<boolean> {
  return isAnyAdministrator(db, now, await namesAbleToSignIn(db, { throughProviders: true }));
}

/** Whether somebody else is one with a way of their own in: while a provider is away, nobody comes through it. */
export async function hasAdministratorBeside(db: Db, now: number, name: string): Promise<boolean> {
  const able = await namesAbleToSignIn(db, { throughProviders: false });
  return isAnyAdministrator(db, now, new Set([...able].filter((each) => each !== name)));
}

async function isAnyAdministrator(db: Db, now: number, able: ReadonlySet<string>): Promise<boolean> {
  const locked = (await listLocks(db, now)).map(({ target }) => target);
  const isLocked = ({ name, roles }: User) =>
    locked.some((target) =>
      target.kind === 'user' ? target.name === name : target.kind === 'role' && roles.includes(target.name),
    );
  const contents = new Map((await listRoles(db)).map(({ name, content }) => [name, content]));
  const compiled = new Map<string, CompiledRole | undefined>();
  const role = (name: string) => {
    if (!compiled.has(name)) compiled.set(name, compileStored(contents.get(name)));
    return compiled.get(name);
  };
  return (await listUsers(db))
    .filter((user) => able.has(user.name) && !isLocked(user))
    .some((user) => isAdministrator(accessWith(user, role)));
}

function compileStored(content: string | undefined): CompiledRole | undefined {
  if (content === undefined) return undefined;
  try {
    return compileRole(parseRole(content, 'stored').document);
  } catch {
    // It denies everything until it is put right; either way it makes nobody an administrator.
    return undefined;
  }
}

export function isAdministrator(access: Access): boolean {
  return mayAlways(access, 'role', 'update') && mayAlways(access, 'user', 'update');
}

function accessWith({ name, roles, traits }: User, role: (name: string) => CompiledRole | undefined): Access {
  const held = roles.map(role).filter((each) => each !== undefined && each.expires === undefined) as CompiledRole[];
  return bindAccess(held, { username: name, traits: templateTraits(traits) });
}

/** By password, by a key alone, or through a provider. */
async function namesAbleToSignIn(
  db: Db,
  { throughProviders }: { throughProviders: boolean },
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('user')
    .select('name')
    .where((builder) =>
      builder.or([
        builder('password_hash', 'is not', null),
        ...(throughProviders
          ? [
              builder.exists(
                builder
                  .selectFrom('user_identity')
                  .innerJoin('connector', 'connector.name', 'user_identity.connector')
                  .select('subject')
                  .whereRef('user_identity.user', '=', 'user.name')
                  .where('connector.enabled', '=', 1)
                  // Whoever got new credentials has a way of their own in; through this one nobody comes.
                  .where('user_identity.linked_by', '!=', 'doubted' satisfies LinkedBy),
              ),
            ]
          : []),
        builder.exists(
          builder
            .selectFrom('mfa_device')
            .select('id')
            .whereRef('mfa_device.user', '=', 'user.name')
            .where('usage', '=', 'passwordless'),
        ),
      ]),
    )
    .execute();
  return new Set(rows.map(({ name }) => name));
}
