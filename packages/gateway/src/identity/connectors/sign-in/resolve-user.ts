/** Who somebody from a provider is here. By the connector and the subject alone: nobody becomes somebody by a name or an address. */
import { newUserName } from '@gatehouse/contract/identity/users/users';
import type { AccessControl } from '../../../access/create-access.ts';
import { shapeOfName } from '../../../access/document/role-name.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { findFormerUser, listFormerNames } from '../../stores/former-identity-store.ts';
import { hasKeptSessions } from '../../stores/kept-sessions.ts';
import { isDoubted } from '../../stores/linked-by.ts';
import { findUser, type User } from '../../stores/user-store.ts';
import { refuseTakenName } from '../../users/user-names.ts';
import type { Assertion, OpenConnector } from '../providers/provider.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { findIdentity, type StoredIdentity } from '../stores/identity-store.ts';

export interface ResolvedUser {
  name: string;
  /** Undefined: they would be made by this. */
  user: User | undefined;
  identity: StoredIdentity | undefined;
}

/** The name they asked for is somebody else's, or looks like it. */
export class NameConflict extends ProviderError {
  override name = 'NameConflict';
  readonly username: string;

  constructor(username: string, message: string) {
    super('user', message, { failure: 'unauthorized' });
    this.username = username;
  }
}

export async function resolveUser(
  db: Db,
  { name: connector, kind }: Pick<OpenConnector, 'name' | 'kind'>,
  assertion: Assertion,
): Promise<ResolvedUser> {
  const identity = await findIdentity(db, connector, assertion.subject);
  if (identity && isSameIssuer(identity, assertion)) {
    const user = await findUser(db, identity.user);
    if (user) return { name: user.name, user, identity };
  }
  const { issuer, subject } = assertion;
  const former = await findFormerUser(db, { connector, kind, issuer, subject });
  const returning = former === undefined ? undefined : await returnAs(db, connector, former);
  if (returning) return returning;
  const name = checkedName(assertion.username);
  const taken = await findUser(db, name);
  if (taken) throw new NameConflict(name, takenWords(taken, connector));
  await refuseTakenName(db, name, () => true).catch((error: unknown) => {
    throw error instanceof AppError ? new NameConflict(name, error.message) : error;
  });
  if (await looksFormer(db, name))
    throw new NameConflict(name, `the name '${name}' looks like that of somebody who was deleted and may return`);
  if (await hasKeptSessions(db, name)) throw new NameConflict(name, formerWords(name, connector));
  return { name, user: undefined, identity: undefined };
}

/**
 * Somebody who was deleted here comes back as who they were, while nobody else is called so. Somebody whose connector was deleted, and
 * made again, has the account it left behind, while nobody else has it: no other link, and nothing that somebody here gave it.
 */
async function returnAs(db: Db, connector: string, name: string): Promise<ResolvedUser | undefined> {
  const user = await findUser(db, name);
  if (user) {
    const isLeftBehind = user.authType === 'local' && user.givenBy === connector;
    return isLeftBehind ? { name, user, identity: undefined } : undefined;
  }
  return (await isFree(db, name)) ? { name, user: undefined, identity: undefined } : undefined;
}

/** Whoever has their very name is somebody else by that, and is looked at elsewhere; one that is only drawn alike would keep them out. */
async function looksFormer(db: Db, name: string): Promise<boolean> {
  const shape = shapeOfName(name);
  return (await listFormerNames(db)).some((former) => former !== name && shapeOfName(former) === shape);
}

async function isFree(db: Db, name: string): Promise<boolean> {
  try {
    await refuseTakenName(db, name, () => true);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** A linked one was entered before the provider was heard; its issuer is empty until then. */
function isSameIssuer({ issuer }: StoredIdentity, assertion: Assertion): boolean {
  return issuer === '' || issuer === assertion.issuer;
}

function checkedName(given: string): string {
  const parsed = newUserName.safeParse(given);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues[0]?.message ?? 'is not a name';
  throw new ProviderError('user', `'${given.slice(0, 128)}' cannot be a user's name here: it ${why}`, {
    failure: 'unauthorized',
  });
}

function takenWords({ name, authType }: User, connector: string): string {
  return authType === 'local'
    ? `'${name}' is a local account: let it be linked to '${connector}'`
    : `'${name}' is the account of somebody else who comes through a provider: let it be linked to '${connector}', or give them another name there`;
}

function formerWords(name: string, connector: string): string {
  return `sessions of somebody else who was called '${name}' are kept, and would be theirs: give them another name there, or let somebody who may edit roles make the user and link it to '${connector}'`;
}

/** Throws where the account got new credentials since they last proved to be its person: somebody else may have those. */
export function requireConfirmed({ name, identity }: Pick<ResolvedUser, 'name' | 'identity'>): void {
  if (!identity || !isDoubted(identity)) return;
  throw new ProviderError(
    'user',
    `'${name}' got new credentials since it was linked to '${identity.connector}': let them sign in with those and confirm the link under Account, or let somebody who may edit roles link it again`,
    { failure: 'unauthorized' },
  );
}

/** Throws where a lock is on them: no user is made, and nothing is told of the lock to whoever sees the page. */
export function refuseLockedUser(
  access: Pick<AccessControl, 'lockOn'>,
  username: string,
  roles: readonly string[],
): void {
  if (access.lockOn({ username, roles }) !== undefined)
    throw new ProviderError('user', `'${username}' is locked`, { failure: 'unauthorized' });
}
