/** Says of somebody who calls what a leaf is to know. */
import { PASSPORT_CHARACTERS, passport } from '@gatehouse/contract/reach/trusted-clusters/passport';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { readRemoteName } from '../../stores/remote-name.ts';
import type { SignInCache } from '../../stores/sign-in-cache.ts';
import type { User } from '../../stores/user-store.ts';
import type { FederationKeys } from '../key/federation-keys.ts';
import type { StoredLeaf } from '../stores/remote-cluster-store.ts';
import { writePassport } from './passports.ts';

export interface PassportDeps {
  ownId: string;
  keys: Pick<FederationKeys, 'sign'>;
  cache: Pick<SignInCache, 'signIn'>;
  now: () => number;
}

/** Throws an `AppError` for whoever is known to this cluster alone. */
export async function passportFor(
  { ownId, keys, cache, now }: PassportDeps,
  actor: Actor,
  leaf: Pick<StoredLeaf, 'id' | 'name' | 'wants'>,
  gateway: string,
): Promise<string> {
  if (actor.isOwner)
    throw new AppError(
      'denied',
      `on the gateway's own machine only its own cluster is open: sign in with 'gatehouse login' to reach '${leaf.name}'`,
    );
  if (readRemoteName(actor.username))
    throw new AppError('denied', 'whom another cluster vouches for is vouched for nowhere else');
  // What a token may not do is written in words of this cluster, and the leaf does not know them.
  if (actor.isNarrowed)
    throw new AppError('denied', `a token that may do less than its owner opens nothing in other clusters`);
  const live = await cache.signIn(actor.signInId);
  if (!live) throw new AppError('not_signed_in', 'you are not signed in, or your sign-in has ended');
  const { mfaAt, expires } = live.signIn;
  // Of one reading: the number must not be that of a change that the rest does not know of.
  const { roles, version } = live.user;
  const { traits, isPassed } = toldTo(leaf.wants, live.user);
  const text = await writePassport(
    {
      iss: ownId,
      aud: leaf.id,
      gateway,
      sub: actor.username,
      sid: actor.signInId,
      roles: [...roles],
      version,
      traits,
      authType: actor.authType,
      kind: actor.signInKind,
      ...(mfaAt === undefined ? {} : { mfa_at: Math.floor(mfaAt / 1000) }),
      addr: actor.address ?? '',
      until: Math.floor(expires / 1000),
    },
    { now: now(), sign: keys.sign },
  );
  if (text.length <= PASSPORT_CHARACTERS && isPassed) return text;
  throw new AppError(
    'too_large',
    `you hold more roles, or more values of traits, than '${leaf.name}' can be told of (${roles.length} roles): an administrator of your cluster can give you fewer, or one of '${leaf.name}' ask for fewer traits`,
  );
}

interface ToldFacts {
  wants: readonly string[];
  traits: Record<string, string[]>;
  isPassed: boolean;
}

/** By the reading of a user that it was worked out for: one that has changed is read anew, and so is a leaf that wants something else. */
const known = new WeakMap<User, ToldFacts>();

function toldTo(wants: readonly string[], user: User): ToldFacts {
  const last = known.get(user);
  if (last?.wants === wants) return last;
  const traits = pick(user.traits, wants);
  const told = { wants, traits, isPassed: isPassable({ roles: user.roles, traits }) };
  known.set(user, told);
  return told;
}

const facts = passport.pick({ roles: true, traits: true });
/** Of what goes with every passport: ids, times, an address, and the signature. */
const OTHER_CHARACTERS = 1_500;

/** Whether what somebody holds can be told to another cluster at all. */
export function isPassable(held: Pick<Actor, 'roles' | 'traits'>): boolean {
  if (!facts.safeParse(held).success) return false;
  const bytes = Buffer.byteLength(JSON.stringify([held.roles, held.traits]));
  return (bytes * 4) / 3 + OTHER_CHARACTERS <= PASSPORT_CHARACTERS;
}

/** Those the leaf asked for, and no others: what else is known of somebody is no business of theirs. */
export function pick(traits: Actor['traits'], wanted: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    wanted.flatMap((name) => (Object.hasOwn(traits, name) ? [[name, [...traits[name]!]] as const] : [])),
  );
}
