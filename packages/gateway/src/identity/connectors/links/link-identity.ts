/** Links a user to somebody at a provider: by an administrator who names the subject, or by the user who proves both. */
import { identityLinked } from '@gatehouse/contract/audit/connector-events';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { EventContext } from '../../../platform/audit/event-draft.ts';
import { publish } from '../../../platform/change-feed/publish.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import { holdUsers, keepingAnAdministrator } from '../../stores/administrators.ts';
import { forgetFormerOf } from '../../stores/former-identity-store.ts';
import type { LinkedBy } from '../../stores/linked-by.ts';
import { findSignIn, isAlive } from '../../stores/sign-in-store.ts';
import { disownRoles, findUser, type User } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { finishAttempt } from '../stores/attempt-store.ts';
import { findConnector, type StoredConnector } from '../stores/connector-store.ts';
import {
  deleteIdentity,
  findIdentity,
  keepIdentity,
  listIdentitiesOf,
  type StoredIdentity,
  vouchFor,
} from '../stores/identity-store.ts';
import type { Proof } from '../stores/proof.ts';
import { endIdentity, tellEnded, withTaken } from './end-identities.ts';
import { withdrawFrom } from './withdraw.ts';

type LinkDeps = Pick<ConnectorDeps, 'audit' | 'secrets' | 'now'>;

interface Link {
  user: string;
  connector: string;
  subject: string;
  /** Empty until the provider is heard. */
  issuer: string;
  /** What the provider calls them. */
  name: string;
  linkedBy: LinkedBy;
}

export async function linkIdentity(
  { audit, secrets, now }: LinkDeps,
  tx: Tx,
  link: Link,
  { by, context }: { by: string; context: EventContext },
): Promise<StoredIdentity> {
  const { user, connector, subject } = link;
  await holdUsers(tx);
  const stored = await findConnector(tx, connector);
  if (!stored) throw notFound('connector', connector);
  if (!(await findUser(tx, user))) throw notFound('user', user);
  const held = await findIdentity(tx, connector, subject);
  if (held && held.user !== user)
    throw new AppError('conflict', `'${subject}' of '${connector}' is '${held.user}' already: unlink that first`);
  // Linked anew, they would lose what rechecks ask with, and nobody would hear that they are gone.
  if (held && held.issuer !== '') {
    if (link.linkedBy === 'editor') await vouchFor(tx, held);
    return held;
  }
  const other = (await listIdentitiesOf(tx, user)).find(
    (each) => each.connector === connector && each.subject !== subject,
  );
  if (other)
    throw new AppError('conflict', `'${user}' is '${other.subject}' of '${connector}' already: unlink that first`);
  // Whoever is meant by this link has the account from now on, not who a deleted connector left behind.
  await forgetFormerOf(tx, user);
  await keepIdentity(tx, secrets, {
    ...link,
    kind: stored.kind,
    claims: held?.claims ?? new Map(),
    now: now(),
    nextRecheck: undefined,
    tokens: undefined,
  });
  await publish(tx, { topic: 'user', id: user });
  await tellLink(tx, audit, { user: by, name: user, connector, subject, action: 'linked' }, context);
  return (await findIdentity(tx, connector, subject))!;
}

/** `keepsRoles`: what the connector gave is theirs from now on, by the word of whoever unlinks. Otherwise it goes with the link. */
export async function unlinkIdentity(
  deps: Pick<ConnectorDeps, 'access' | 'audit' | 'now'>,
  tx: Tx,
  { user, connector }: { user: User; connector: string },
  { by, keepsRoles, context }: { by: string; keepsRoles: boolean; context: EventContext },
): Promise<void> {
  const { audit, now } = deps;
  const held = (await listIdentitiesOf(tx, user.name)).find((each) => each.connector === connector);
  if (!held) throw new AppError('not_found', `'${user.name}' is nobody at '${connector}'`);
  const { subject } = held;
  await keepingAnAdministrator(tx, { now: now(), what: `the link of '${user.name}' to '${connector}'` }, async () => {
    const ended = await endIdentity(tx, { connector, subject }, now());
    await deleteIdentity(tx, connector, subject);
    if (keepsRoles) await disownRoles(tx, user.name, connector);
    const isTaken = !keepsRoles && (await withdrawFrom(deps, tx, connector, user)) === 'withdrawn';
    await tellEnded(tx, audit, {
      connector,
      subject,
      reason: 'it was unlinked',
      ended: isTaken ? withTaken(ended, [user.name]) : ended,
    });
  });
  await publish(tx, { topic: 'user', id: user.name });
  await tellLink(tx, audit, { user: by, name: user.name, connector, subject, action: 'unlinked' }, context);
}

/** Somebody signed in here has just been somebody there, in the same browser. */
export async function linkProven(deps: ConnectorDeps, { attempt, assertion }: Proof): Promise<void> {
  const { db, now } = deps;
  await db.transaction().execute(async (tx) => {
    if (!(await finishAttempt(tx, attempt, now())))
      throw new ProviderError('redirect', 'the answer of the provider was used before');
    // Before it is asked whether they are still signed in: who hands the account to somebody else ends that, and holds them too.
    await holdUsers(tx);
    const signIn = attempt.signInId === undefined ? undefined : await findSignIn(tx, attempt.signInId);
    if (!signIn || !isAlive(signIn, now()) || signIn.user !== attempt.user)
      throw new ProviderError('user', 'whoever began the link is not signed in any more');
    const { subject, issuer, username } = assertion;
    const stored = await findConnector(tx, attempt.connector);
    if (!stored?.enabled || stored.revision !== attempt.revision)
      throw new ProviderError('settings', `connector '${attempt.connector}' was changed meanwhile: begin again`);
    await refuseOwnLink(tx, signIn.user, stored);
    const link = {
      user: signIn.user,
      connector: attempt.connector,
      subject,
      issuer,
      name: username,
      linkedBy: 'self' as const,
    };
    await linkIdentity(deps, tx, link, { by: signIn.user, context: { signInId: signIn.id } });
  });
}

/** Somebody else could come by this link, or by another one that they have, and would be them. Throws `ProviderError`. */
export async function refuseOwnLink(
  db: Db,
  user: string,
  { name: connector, isVouched }: Pick<StoredConnector, 'name' | 'isVouched'>,
): Promise<void> {
  if (!isVouched)
    throw new ProviderError(
      'user',
      `'${connector}' was written by somebody who may not edit roles, and could say at its provider that they are '${user}': let somebody who may edit roles save it first`,
    );
  const others = (await listIdentitiesOf(db, user)).filter((each) => each.connector !== connector);
  const unknown = others.find(({ linkedBy }) => linkedBy === 'other')?.connector;
  if (unknown === undefined) return;
  throw new ProviderError(
    'user',
    `somebody linked '${user}' to '${unknown}' who need not be them: unlink that first, or let somebody who may edit roles link it again`,
  );
}

export async function tellLink(
  tx: Tx,
  audit: Audit,
  fields: { user: string; name: string; connector: string; subject: string; action: 'linked' | 'unlinked' },
  context: EventContext,
): Promise<void> {
  await audit.emit(tx, identityLinked, fields, context);
}
