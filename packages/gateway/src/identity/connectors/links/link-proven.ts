/** Whoever is signed in links themselves, by proving to be somebody at a provider in the same browser. */
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import { holdUsers, keepingAnAdministrator } from '../../stores/administrators.ts';
import { isDoubted } from '../../stores/linked-by.ts';
import { findSignIn, isAlive, type SignIn } from '../../stores/sign-in-store.ts';
import { findUser, type User } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { type Attempt, finishAttempt } from '../stores/attempt-store.ts';
import { findConnector, type StoredConnector } from '../stores/connector-store.ts';
import { deleteIdentity, listIdentitiesOf } from '../stores/identity-store.ts';
import type { Proof } from '../stores/proof.ts';
import { tellEnded } from './end-identities.ts';
import { endKeys } from './end-keys.ts';
import { linkIdentity } from './link-identity.ts';
import { nextRecheck } from './next-recheck.ts';
import { stayingOf } from './own-keys.ts';
import { tellLink } from './tell-link.ts';
import { withdrawFrom } from './withdraw.ts';

/** The link, and the end of every key that they did not say to be theirs, in one transaction: between the two somebody could use one. */
export async function linkProven(
  deps: ConnectorDeps,
  { attempt, kept, assertion, connector: opened }: Proof,
): Promise<void> {
  const { db, now } = deps;
  await db.transaction().execute(async (tx) => {
    if (!(await finishAttempt(tx, attempt, now())))
      throw new ProviderError('redirect', 'the answer of the provider was used before');
    // Before it is asked whether they are still signed in: who hands the account to somebody else ends that, and holds them too.
    await holdUsers(tx);
    const { user, signIn } = await whoBegan(tx, attempt, now());
    const { connector, revision } = attempt;
    const stored = await findConnector(tx, connector);
    if (!stored?.enabled || stored.revision !== revision)
      throw new ProviderError('settings', `connector '${connector}' was changed meanwhile: begin again`);
    await refuseOwnLink(tx, user.name, stored);
    const { subject, issuer, username, tokens } = assertion;
    const isDropped = await dropDoubted(deps, tx, user.name, { connector, subject });
    const what = `what '${user.name}' did not keep`;
    await keepingAnAdministrator(tx, { now: now(), what }, async () => {
      const linkedBy = 'self' as const;
      const answer = { tokens, nextRecheck: nextRecheck(opened, tokens, now()) };
      const link = { user: user.name, connector, subject, issuer, name: username, linkedBy, answer };
      await linkIdentity(deps, tx, link, { by: user.name, context: { signInId: signIn.id } });
      // What it gave, nobody would be asked about again.
      if (isDropped) await withdrawFrom(deps, tx, connector, user);
      await beginAnew(deps, tx, { user, signIn, connector, subject }, kept.keep ?? []);
    });
  });
}

async function whoBegan(tx: Tx, attempt: Attempt, now: number): Promise<{ user: User; signIn: SignIn }> {
  const signIn = attempt.signInId === undefined ? undefined : await findSignIn(tx, attempt.signInId);
  const user = attempt.user === undefined ? undefined : await findUser(tx, attempt.user);
  if (!signIn || !user || !isAlive(signIn, now) || signIn.user !== user.name)
    throw new ProviderError('user', 'whoever began the link is not signed in any more');
  return { user, signIn };
}

/** Whoever made the account, or had it before, may have left a key in it, and would have what the provider gives. */
async function beginAnew(
  deps: ConnectorDeps,
  tx: Tx,
  { user, signIn, connector, subject }: { user: User; signIn: SignIn; connector: string; subject: string },
  keep: readonly string[],
): Promise<void> {
  const ended = await endKeys(deps, tx, user.name, await stayingOf(deps, tx, { user, signIn, connector }, keep));
  // Nobody is asked any more whether they are still who it was given to.
  for (const link of ended.links) await withdrawFrom(deps, tx, link.connector, user);
  const what = [...(ended.signIns > 0 ? ['other sign-ins'] : []), ...ended.what].join(', ');
  await tellEnded(tx, deps.audit, {
    connector,
    subject,
    reason: `they linked themselves, and what they did not say to be theirs ended: ${what}`,
    ended: what === '' ? [] : [{ user: user.name, count: ended.signIns, isAll: true }],
  });
}

/** Of whoever had the account before: it is in the way of who has it now. */
async function dropDoubted(
  { audit }: Pick<ConnectorDeps, 'audit'>,
  tx: Tx,
  user: string,
  { connector, subject: own }: { connector: string; subject: string },
): Promise<boolean> {
  const there = (await listIdentitiesOf(tx, user)).filter((each) => each.connector === connector && isDoubted(each));
  const dropped = there.filter((each) => each.subject !== own);
  for (const { subject } of dropped) {
    await deleteIdentity(tx, connector, subject);
    await tellLink(tx, audit, { user, name: user, connector, subject, action: 'unlinked' }, {});
  }
  return dropped.length > 0;
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
