/** Answers who somebody is to providers, and links and unlinks them. */

import { SAYS_WHEN } from '@gatehouse/contract/identity/connectors/begin-path';
import type { IdentityItem, identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { OK } from '@gatehouse/contract/wire/ack';
import { refuseTakeover } from '../../../access/escalation.ts';
import { requireReach } from '../../../access/reach.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../../platform/http/call.ts';
import { contextOf } from '../../../platform/http/context-of.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import { ownUser, requirePerson } from '../../account/own-account.ts';
import { requireStillSignedIn } from '../../sign-in/still-signed-in.ts';
import { requireRecentFactor } from '../../step-up/recent-proof.ts';
import { holdUsers } from '../../stores/administrators.ts';
import { isDoubted } from '../../stores/linked-by.ts';
import { findSignIn } from '../../stores/sign-in-store.ts';
import { findUser, type User } from '../../stores/user-store.ts';
import { type ConnectorDeps, openConnector } from '../connector-deps.ts';
import { isLastWithOwnWay } from '../links/last-administrator.ts';
import { linkIdentity, unlinkIdentity } from '../links/link-identity.ts';
import { refuseOwnLink } from '../links/link-proven.ts';
import { listOwnKeys } from '../links/own-keys.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { providerOf } from '../providers/providers.ts';
import { beginAttempt, rememberBrowser } from '../sign-in/flow/begin-attempt.ts';
import { findConnector, type StoredConnector } from '../stores/connector-store.ts';
import { findIdentity, listIdentitiesOf, type StoredIdentity } from '../stores/identity-store.ts';
import { refuseProvidersGift, refuseWayThrough } from './gift-of.ts';

export function identityHandlers(deps: ConnectorDeps): Handlers<typeof identityRoutes> {
  const { db, access } = deps;
  const userOf = async (on: Db, actor: Actor, verb: 'read' | 'update', name: string): Promise<User> =>
    requireReach(access, { actor, verb, kind: 'user', name }, await findUser(on, name));
  const identitiesOf = async (user: string) => (await listIdentitiesOf(db, user)).map(toItem);

  return {
    own: ({ actor }) => identitiesOf(actor.username),

    async signOut({ actor }) {
      const { through } = (await findSignIn(db, actor.signInId)) ?? {};
      const stored = through && (await findConnector(db, through.connector));
      if (!stored?.enabled) return {};
      const connector = openConnector(deps, stored);
      // A provider that does not answer keeps nobody from signing out here.
      const url = await providerOf(stored.kind)
        .signOutUrl?.(deps.asking(connector), connector)
        .catch(() => undefined);
      return url === undefined
        ? {}
        : { connector: stored.name, display: connector.document.spec.display ?? stored.name, url };
    },

    async ownKeys({ actor, query: { connector } }) {
      const user = await ownUser(db, actor);
      const signIn = await findSignIn(db, actor.signInId);
      if (!signIn) throw notFound('sign-in', actor.signInId);
      return {
        keys: await listOwnKeys(deps, db, { user, signIn, connector }),
        isLastAdministrator: await isLastWithOwnWay(deps, db, user),
      };
    },

    async linkOwn({ actor, body: { connector: name, keep }, exchange }) {
      requirePerson(actor);
      if (actor.signInKind !== 'browser') throw new AppError('denied', 'link your account in the browser');
      await requireRecentFactor(deps, actor);
      const stored = await findConnector(db, name);
      if (!stored?.enabled) throw notFound('connector', name);
      await refuseOwnLink(db, actor.username, stored).catch((error: unknown) => {
        throw error instanceof ProviderError ? new AppError('conflict', error.message, { cause: error }) : error;
      });
      return beginAttempt(deps, {
        connector: openConnector(deps, stored),
        revision: stored.revision,
        purpose: 'prove',
        who: actor,
        path: '',
        keep,
        // Whoever they last were over there need not be who they mean to be here, and nothing would tell them.
        asksWho: true,
        // Nor need it be who sits here: over there the browser may have been left open by somebody else.
        isFresh: SAYS_WHEN[stored.kind],
        address: exchange.address,
        browserHash: rememberBrowser(exchange),
      });
    },

    async unlinkOwn({ actor, params: { connector }, exchange }) {
      requirePerson(actor);
      await requireRecentFactor(deps, actor);
      await unlink(connector, { actor, exchange }, async (tx) => {
        await holdUsers(tx);
        const own = await findUser(tx, actor.username);
        if (!own) throw notFound('user', actor.username);
        return own;
      });
      return OK;
    },

    async ofUser({ actor, params: { username } }) {
      return identitiesOf((await userOf(db, actor, 'read', username)).name);
    },

    async link({ actor, params: { username }, body: { connector, subject }, exchange }) {
      const { name } = await userOf(db, actor, 'update', username);
      if (!actor.isOwner) await requireRecentFactor(deps, actor);
      const made = await db.transaction().execute(async (tx) => {
        if (!actor.isOwner) await requireStillSignedIn(tx, actor, deps.now());
        // Whoever names the subject decides who signs in as them.
        await refuseAccount(tx, actor, name);
        if (name === actor.username) await refuseOwnAgain(tx, actor, { connector, subject });
        const stored = await findConnector(tx, connector);
        if (stored) refuseWayThrough(access, actor, name, stored);
        const linkedBy = stored && answersFor(actor, stored) ? ('editor' as const) : ('other' as const);
        const link = { user: name, connector, subject, issuer: '', name: '', linkedBy };
        return linkIdentity(deps, tx, link, { by: actor.username, context: contextOf(actor, exchange) });
      });
      return toItem(made);
    },

    async unlink({ actor, params: { username, connector }, exchange }) {
      const { name } = await userOf(db, actor, 'update', username);
      if (!actor.isOwner) await requireRecentFactor(deps, actor);
      await unlink(connector, { actor, exchange }, (tx) => refuseAccount(tx, actor, name));
      return OK;
    },
  };

  /** Their word counts for nothing where others chose who speaks of the subject. A token that may do less than its owner has not their word. */
  function answersFor(actor: Actor, { isVouched }: StoredConnector): boolean {
    return isVouched && access.mayEditRoles(actor) && !actor.isNarrowed;
  }

  /** Throws where they hold what the actor could not give, or could by any of their providers. */
  async function refuseAccount(tx: Tx, actor: Actor, name: string): Promise<User> {
    // What is asked about must not change before it is written.
    await holdUsers(tx);
    const user = await userOf(tx, actor, 'update', name);
    refuseTakeover(access, actor, user);
    await refuseProvidersGift(tx, { access, actor }, user);
    return user;
  }

  async function unlink(
    connector: string,
    { actor, exchange }: { actor: Actor; exchange: Exchange },
    find: (tx: Tx) => Promise<User>,
  ): Promise<void> {
    await db.transaction().execute(async (tx) => {
      const user = await find(tx);
      if (user.name === actor.username) refuseOwnUnlink(user, connector);
      // Otherwise whoever helps users would make roles out of what the provider gave, and nobody would be asked about them again.
      const keepsRoles = access.mayEditRoles(actor);
      const by = { by: actor.username, keepsRoles, context: contextOf(actor, exchange) };
      await unlinkIdentity(deps, tx, { user, connector }, by);
    });
  }
}

/** By whichever call: who may edit users is asked about by their provider as everybody is. */
function refuseOwnUnlink({ authType, passwordHash, givenBy }: User, connector: string): void {
  // Without a password or a passkey it is the only way in, and nobody else may open it again.
  if (authType !== 'local' && passwordHash === undefined)
    throw new AppError('conflict', `'${connector}' is how you sign in: set a password first, or ask an administrator`);
  // Unlinked, nobody would ask again whether they are still who the roles were given to.
  if (givenBy === connector)
    throw new AppError('conflict', `your roles come from '${connector}': ask an administrator to unlink you`);
}

/** By their own word their provider would be unheard again, as who helps users can have it for others: they prove it under Account. */
async function refuseOwnAgain(
  tx: Tx,
  { username }: Actor,
  { connector, subject }: { connector: string; subject: string },
): Promise<void> {
  const held = await findIdentity(tx, connector, subject);
  if (held?.user !== username) return;
  throw new AppError(
    'conflict',
    `you are '${subject}' of '${connector}' already: link it again under Account, or ask an administrator`,
  );
}

function toItem({
  kind,
  connector,
  subject,
  name,
  created,
  confirmed,
  nextRecheck,
  trouble,
  issuer,
  linkedBy,
}: StoredIdentity): IdentityItem {
  return {
    kind,
    connector,
    subject,
    name,
    created: new Date(created).toISOString(),
    // One that was linked by its subject has not been heard of yet.
    ...(issuer === '' ? {} : { confirmed: new Date(confirmed).toISOString() }),
    ...(nextRecheck === undefined ? {} : { nextRecheck: new Date(nextRecheck).toISOString() }),
    ...(trouble === '' ? {} : { trouble }),
    ...(isDoubted({ linkedBy }) ? { isDoubted: true } : {}),
  };
}
