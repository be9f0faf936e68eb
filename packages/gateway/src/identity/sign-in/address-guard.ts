/** Refuses sign-ins away from the address they are tied to, in the same words at every door, and tells the log. */
import { signInElsewhere } from '@gatehouse/contract/audit/sign-in-events';
import type { AccessControl } from '../../access/create-access.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import type { Log } from '../../platform/std/log.ts';
import { createOncePer } from '../../platform/std/throttle.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { LiveSignIn, SignInCache } from '../stores/sign-in-cache.ts';
import { tieSignIn } from '../stores/sign-in-store.ts';
import { findUser } from '../stores/user-store.ts';
import { isElsewhere, isPinned, OTHER_ADDRESS } from './tied-address.ts';

export interface AddressGuard {
  /** Throws unless the sign-in may be used from there. What was never used is tied by it. */
  require(live: LiveSignIn, used: { address: string; door: string }): Promise<void>;
  /** The same by the id, for what is shown without its secrets: a code, a cookie of an application. */
  requireById(signInId: string, used: { address: string; door: string }): Promise<void>;
  /** For what was proven or asked for at one address by somebody who is not signed in yet. */
  requireSame(user: string, tiedTo: string | undefined, used: { address: string; door: string }): Promise<void>;
  isElsewhere(live: LiveSignIn, address: string): boolean;
}

interface GuardDeps {
  db: Db;
  now: () => number;
  audit: Audit;
  access: Pick<AccessControl, 'of'>;
  cache: SignInCache;
  log: Log;
}

/** Somebody who polls from elsewhere is one event in so long, not thousands. */
const REPEAT_MS = 60_000;

export function createAddressGuard({ db, now, audit, access, cache, log }: GuardDeps): AddressGuard {
  const isNews = createOncePer(REPEAT_MS, now);

  async function refuse(
    who: { user: string; tiedTo: string; signIn?: LiveSignIn['signIn'] },
    { address, door }: { address: string; door: string },
  ): Promise<never> {
    const { user, tiedTo, signIn } = who;
    if (isNews(`${signIn?.id ?? user} ${clientKey(address)} ${door}`)) {
      const fields = {
        user,
        ...(signIn ? { sign_in_kind: signIn.kind } : {}),
        tied_to: tiedTo,
        door,
        'addr.remote': address,
      };
      await db
        .transaction()
        .execute((tx) => audit.emit(tx, signInElsewhere, fields, signIn ? { signInId: signIn.id } : {}))
        .catch((error: unknown) => log.error({ error }, 'a sign-in that was refused elsewhere could not be told'));
    }
    throw new AppError('not_signed_in', OTHER_ADDRESS, { fields: { reason: 'other_address' } });
  }

  const isPinnedUser = ({ user: { name: username, roles, traits } }: LiveSignIn) =>
    isPinned(access, { username, roles, traits });

  const require: AddressGuard['require'] = async (live, used) => {
    let { signIn } = live;
    // Also while nothing pins: a role that does so later counts for what exists.
    if (signIn.tiedTo === undefined && used.address !== '') {
      await tieSignIn(db, signIn.id, used.address);
      cache.dropSignIn(signIn.id);
      signIn = (await cache.signIn(signIn.id))?.signIn ?? signIn;
    }
    const { tiedTo } = signIn;
    if (tiedTo === undefined || !isElsewhere(signIn, used.address) || !isPinnedUser(live)) return;
    await refuse({ user: live.user.name, tiedTo, signIn }, used);
  };

  return {
    require,
    async requireById(signInId, used) {
      const live = signInId === '' ? undefined : await cache.signIn(signInId);
      if (live) await require(live, used);
    },
    async requireSame(name, tiedTo, used) {
      if (tiedTo === undefined || tiedTo === clientKey(used.address)) return;
      const user = await findUser(db, name);
      if (!user || !isPinned(access, { username: user.name, roles: user.roles, traits: user.traits })) return;
      await refuse({ user: name, tiedTo }, used);
    },
    isElsewhere: (live, address) => isElsewhere(live.signIn, address) && isPinnedUser(live),
  };
}
