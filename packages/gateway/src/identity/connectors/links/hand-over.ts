/** The first sign-in through a link that they did not make while they had the account: it is theirs from then on, and nobody else keeps a key to it. */
import type { Tx } from '../../../platform/storage/tables.ts';
import { hasAdministrator } from '../../stores/administrators.ts';
import { isDoubted, unhearEditorLinks } from '../../stores/linked-by.ts';
import type { User } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import type { StoredIdentity } from '../stores/identity-store.ts';
import { tellEnded } from './end-identities.ts';
import { endKeys } from './end-keys.ts';
import { isLastWithOwnWay, wasAdministrator } from './last-administrator.ts';

type HandOverDeps = Pick<ConnectorDeps, 'access' | 'audit' | 'now'>;

/** Who linked themselves has proven both, and the provider was heard by that; but not since the account got new credentials. */
export function isHandedOver(identity: Pick<StoredIdentity, 'issuer' | 'linkedBy'>): boolean {
  return identity.issuer === '' || isDoubted(identity);
}

/**
 * Whoever made the account, or a link to its password, would have what the provider gives. `user` as they were before it gave anything;
 * `provenDevice`: they have just answered with it. That one is theirs; whoever had the account before could have added others beside it.
 */
export async function handOver(
  deps: HandOverDeps,
  tx: Tx,
  identity: StoredIdentity,
  { user, provenDevice }: { user: User; provenDevice: string | undefined },
): Promise<void> {
  const { connector, subject } = identity;
  const keepsKeys = await isLastWithOwnWay(deps, tx, user);
  const keepsOwn = await isLastOfAll(deps, tx, user);
  const ended = await endKeys(deps, tx, user.name, {
    signIn: () => false,
    device: (id) => keepsKeys || id === provenDevice,
    password: keepsKeys,
    codes: keepsKeys,
    link: (each) => each.connector === connector || isKept(each, keepsOwn),
  });
  // A helper's word brought them here: who comes through a link that an editor made is asked for by that one again.
  if (identity.linkedBy === 'other') await unhearEditorLinks(tx, user.name);
  const what = ['what was signed in before', ...ended.what].join(', ');
  const why = isDoubted(identity) ? 'they confirmed their link by a device' : 'an administrator linked them';
  await tellEnded(tx, deps.audit, {
    connector,
    subject,
    reason: `${why}, and with their first sign-in through it ${what} ended`,
    ended: [{ user: user.name, count: ended.signIns, isAll: true }],
  });
}

/**
 * Links to other connectors are keys as well. Those stay that somebody who may edit roles made: whose sign-in made the account has only
 * its name, which people choose for themselves at some providers, and had it before the one whose name it is.
 */
function isKept({ linkedBy }: StoredIdentity, keepsOwn: boolean): boolean {
  return linkedBy === 'editor' || (keepsOwn && (linkedBy === 'self' || linkedBy === 'provider'));
}

/** Asked once what they have from now on is written: without the other link, nobody would ever be one again. */
async function isLastOfAll(deps: HandOverDeps, tx: Tx, user: User): Promise<boolean> {
  return wasAdministrator(deps.access, user) && !(await hasAdministrator(tx, deps.now()));
}
