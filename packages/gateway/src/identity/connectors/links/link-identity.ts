/** Links a user to somebody at a provider, and unlinks them. */
import type { EventContext } from '../../../platform/audit/event-draft.ts';
import { publish } from '../../../platform/change-feed/publish.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { holdUsers, keepingAnAdministrator } from '../../stores/administrators.ts';
import { forgetFormerOf } from '../../stores/former-identity-store.ts';
import { isDoubted, type LinkedBy } from '../../stores/linked-by.ts';
import { disownRoles, findUser, type User } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { findConnector } from '../stores/connector-store.ts';
import {
  deleteIdentity,
  findIdentity,
  keepIdentity,
  listIdentitiesOf,
  openTokens,
  relink,
  type StoredIdentity,
} from '../stores/identity-store.ts';
import { endIdentity, tellEnded, withTaken } from './end-identities.ts';
import { tellLink } from './tell-link.ts';
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
  /** What the provider said when they proved it; nothing where somebody has only named them. */
  answer?: { tokens: string | undefined; nextRecheck: number | undefined };
}

export async function linkIdentity(
  deps: LinkDeps,
  tx: Tx,
  link: Link,
  { by, context }: { by: string; context: EventContext },
): Promise<StoredIdentity> {
  const { audit, secrets, now } = deps;
  const { user, connector, subject, answer } = link;
  await holdUsers(tx);
  const stored = await findConnector(tx, connector);
  if (!stored) throw notFound('connector', connector);
  const account = await findUser(tx, user);
  if (!account) throw notFound('user', user);
  const held = await findIdentity(tx, connector, subject);
  if (held && held.user !== user)
    throw new AppError('conflict', `'${subject}' of '${connector}' is '${held.user}' already: unlink that first`);
  // Linked anew, they would lose what rechecks ask with, and nobody would hear that they are gone. Also where the provider is unheard again.
  if (held) return await linkAgain(deps, tx, { held, link, account }, { by, context });
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
    claims: new Map(),
    now: now(),
    nextRecheck: answer?.nextRecheck,
    tokens: answer?.tokens,
  });
  await publish(tx, { topic: 'user', id: user });
  await tellLink(tx, audit, { user: by, name: user, connector, subject, action: 'linked' }, context);
  return (await findIdentity(tx, connector, subject))!;
}

/**
 * By their own proof it is theirs, whoever made it before. By the word of somebody else it is like one that was just made: the first who
 * comes has the account, and nobody keeps a key from before. Whoever may not edit roles takes nothing from a word that counts for more.
 */
async function linkAgain(
  deps: LinkDeps,
  tx: Tx,
  { held, link, account }: { held: StoredIdentity; link: Link; account: User },
  { by, context }: { by: string; context: EventContext },
): Promise<StoredIdentity> {
  const { user, connector, subject, issuer, linkedBy, answer } = link;
  const counts = isDoubted(held) || linkedBy === 'editor' || (linkedBy === 'self' && held.linkedBy === 'other');
  const after = { linkedBy: counts ? linkedBy : held.linkedBy, issuer };
  const isSame = after.linkedBy === held.linkedBy && after.issuer === held.issuer;
  if (answer) await hear(deps, tx, { held, link, account }, { ...answer, linkedBy: after.linkedBy });
  else if (!isSame) await relink(tx, held, after);
  // By a proof, or a word, of what is so already, nothing else changes.
  if (!isSame) {
    await publish(tx, { topic: 'user', id: user });
    await tellLink(tx, deps.audit, { user: by, name: user, connector, subject, action: 'linked' }, context);
  }
  return (await findIdentity(tx, connector, subject))!;
}

/** What they hold by the connector is not given anew by this, and so not confirmed: `keep` would never end for who links again and again. */
async function hear(
  { secrets, now }: LinkDeps,
  tx: Tx,
  { held, link: { connector, issuer, name }, account }: { held: StoredIdentity; link: Link; account: User },
  { tokens, nextRecheck, linkedBy }: NonNullable<Link['answer']> & { linkedBy: LinkedBy },
): Promise<void> {
  // Of another issuer, it was somebody else who was asked about.
  const before = held.issuer === '' || held.issuer === issuer ? held : undefined;
  const due = [before?.nextRecheck, nextRecheck].filter((each) => each !== undefined);
  await keepIdentity(tx, secrets, {
    ...held,
    issuer,
    name,
    linkedBy,
    now: account.givenBy === connector ? held.confirmed : now(),
    nextRecheck: due.length === 0 ? undefined : Math.min(...due),
    tokens: tokens ?? (before && openTokens(secrets, before)),
    held,
  });
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
