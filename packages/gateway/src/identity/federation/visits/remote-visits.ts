/** Lets people of roots in: by a passport, with what the role map gives them. */
import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { clusterRefused, federationKeyRotated } from '@gatehouse/contract/audit/trusted-cluster-events';
import { newUserName } from '@gatehouse/contract/identity/users/users';
import type { Passport } from '@gatehouse/contract/reach/trusted-clusters/passport';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { RemoteVisit } from '../../../platform/http/relayed-door.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import type { Log } from '../../../platform/std/log.ts';
import { createOncePer } from '../../../platform/std/throttle.ts';
import { isUniqueViolation } from '../../../platform/storage/errors.ts';
import { holdLock } from '../../../platform/storage/named-lock.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import { type RemoteName, remoteName } from '../../stores/remote-name.ts';
import { findRemoteUsers, type RemoteUser } from '../../stores/remote-user-store.ts';
import type { SignInCache } from '../../stores/sign-in-cache.ts';
import { isAlive } from '../../stores/sign-in-store.ts';
import type { KeptRows } from '../kept-rows.ts';
import { keyFingerprintOf, publicKeyOf } from '../key/key-fingerprint.ts';
import { pick } from '../passport/passport-for.ts';
import { PassportRefused, readPassport } from '../passport/passports.ts';
import { createUsedByRoot } from '../passport/used-passports.ts';
import { findTrust, setRootKeys } from '../stores/trusted-cluster-store.ts';
import { type KnownTrust, knownTrust, mapLock } from '../trusts/known-trust.ts';
import { wantedTraits } from '../trusts/wanted-traits.ts';
import { keepVisit } from './keep-visit.ts';
import { visitId } from './visit-id.ts';

export interface RemoteVisits {
  /** Who comes through the tunnel of that trust; throws an `AppError` where nobody is let in. */
  admit(passport: string, trust: string): Promise<RemoteVisit>;
  /** The root has said what somebody holds, at that second of its clock: passports from before do not count for that. */
  heard(who: RemoteName, at: number): void;
}

export interface VisitDeps {
  db: Db;
  audit: Audit;
  access: Pick<AccessControl, 'role' | 'lockOn' | 'askedTraits'>;
  cache: SignInCache;
  trusts: KeptRows<KnownTrust>;
  ownId: string;
  gatewayId: string;
  clusterName: string;
  /** Told of each sign-in of a root by which somebody came, now and again. */
  came(trust: string, sid: string): void;
  log: Log;
  now: () => number;
}

/** What was written down this lately is not written again for every call. */
const KEEP_EVERY_MS = 30_000;
const MAX_KEPT = 20_000;
const TELL_EVERY_MS = 60_000;
const MAX_KEYS = 1_000;

export function createRemoteVisits(deps: VisitDeps): RemoteVisits {
  const { db, audit, access, cache, trusts, log, now } = deps;
  const usedBy = createUsedByRoot(now);
  const kept = new BoundedMap<string, { facts: string; at: number }>(MAX_KEPT);
  /** By root, and there by person: one that tells of people without end drives out its own, and nobody else's. */
  const heardAt = new Map<string, BoundedMap<string, number>>();
  const keeping = new Map<string, Promise<void>>();
  const isNews = createOncePer(TELL_EVERY_MS, now);
  const signInIds = new BoundedMap<string, string>(MAX_KEPT);
  const signInIdOf = (rootId: string, sid: string) => {
    const name = `${rootId} ${sid}`;
    const held = signInIds.get(name) ?? visitId(rootId, sid);
    signInIds.set(name, held);
    return held;
  };
  const publicKeys = new BoundedMap<string, KeyObject>(MAX_KEYS);
  const publicKey = (key: string) => {
    const held = publicKeys.get(key) ?? publicKeyOf(key);
    publicKeys.set(key, held);
    return held;
  };

  async function refuse(trust: string, reason: string): Promise<never> {
    if (isNews(`${trust} ${reason}`))
      await db
        .transaction()
        .execute((tx) => audit.emit(tx, clusterRefused, { name: trust, what: 'passport', reason }))
        .catch((error: unknown) => log.error({ error }, 'a passport that was refused could not be told'));
    throw new AppError('denied', `'${deps.clusterName}' did not take the word of your cluster: its log says why`);
  }

  /** The root signs by the key it had announced: the one before is gone. */
  async function takeNewKey(trust: KnownTrust, key: string): Promise<void> {
    await db.transaction().execute(async (tx) => {
      await setRootKeys(tx, trust.name, { rootKey: key, rootNext: undefined });
      await audit.emit(tx, federationKeyRotated, { name: trust.name, fingerprint: keyFingerprintOf(key) });
    });
    await trusts.refresh();
  }

  async function read(text: string, trust: KnownTrust): Promise<Passport> {
    const keys = [trust.rootKey, ...(trust.rootNext === undefined ? [] : [trust.rootNext])];
    try {
      const root = { id: trust.rootId, keys };
      const { claims, key } = readPassport(text, {
        ...{ root, leafId: deps.ownId, gatewayId: deps.gatewayId, now: now() },
        ...{ used: usedBy(root.id), publicKey },
      });
      if (newUserName.safeParse(claims.sub).data !== claims.sub)
        throw new PassportRefused('it names somebody whose name cannot be one');
      if (claims.addr !== '' && isIP(claims.addr) === 0)
        throw new PassportRefused('it says where somebody is by what is no address');
      if (key !== trust.rootKey) await takeNewKey(trust, key);
      return claims;
    } catch (error) {
      if (error instanceof PassportRefused) return await refuse(trust.name, error.message);
      throw error;
    }
  }

  /**
   * Maps again under the lock: what was saved since the trust was remembered would be overwritten otherwise, and whoever
   * it sends out would come back.
   */
  async function write(tx: Tx, trust: KnownTrust, signInId: string, claims: Passport): Promise<void> {
    await holdLock(tx, mapLock(trust.name), 'shared');
    const stored = await findTrust(tx, trust.name);
    if (!stored?.enabled) throw closed();
    const current = stored.revision === trust.revision ? trust : knownTrust(stored);
    const user = await userOf(tx, current, claims);
    requireWelcome(user);
    requireWelcome(await keepVisit(tx, user, signInId, claims));
  }

  /** Another gateway may write the same sign-in down in this moment: then it is there. */
  async function keep(trust: KnownTrust, signInId: string, claims: Passport): Promise<void> {
    const once = () => db.transaction().execute((tx) => write(tx, trust, signInId, claims));
    await once().catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      return once();
    });
  }

  /** A page that opens makes several calls at once: one of them writes, and the others wait for it. */
  async function keepOnce(key: string, work: () => Promise<void>): Promise<void> {
    const under = keeping.get(key) ?? work().finally(() => keeping.delete(key));
    keeping.set(key, under);
    await under;
  }

  async function userOf(
    on: Db,
    trust: KnownTrust,
    { sub, roles, traits, authType, iat, version }: Passport,
  ): Promise<RemoteUser> {
    const who = { trust: trust.name, name: sub };
    // What the root has said since counts, whatever was under way by then. Where it numbers what it says, that is held to it when it is written.
    const isOld = version === undefined && iat <= (heardAt.get(who.trust)?.get(who.name) ?? -1);
    const [known] = isOld ? await findRemoteUsers(on, [who]) : [];
    if (known) return { ...known, seen: now() };
    const mapped = trust.map(roles, (role) => access.role(role) !== undefined);
    return {
      ...who,
      remoteRoles: [...roles].sort(),
      roles: mapped,
      traits: Object.keys(traits).length === 0 ? {} : pick(traits, wantedTraits(access, trust)),
      authType,
      seen: now(),
      told: version === undefined ? undefined : { version, at: iat },
    };
  }

  function closed(): AppError {
    return new AppError('denied', `'${deps.clusterName}' does not let people of your cluster in at this time`);
  }

  function requireWelcome(user: RemoteUser): void {
    if (user.roles.length === 0)
      throw new AppError(
        'denied',
        `none of your roles is mapped in '${deps.clusterName}': its administrator decides that under Trusted Clusters`,
      );
    const lock = access.lockOn({ username: remoteName(user), roles: user.roles });
    if (lock)
      throw new AppError('denied', `you are locked in '${deps.clusterName}'${lock.message && `: ${lock.message}`}`);
  }

  return {
    async admit(text, trustName) {
      const trust = trusts.all().find(({ name }) => name === trustName);
      if (!trust?.enabled) throw closed();
      const claims = await read(text, trust);
      const user = await userOf(db, trust, claims);
      requireWelcome(user);
      const visit: RemoteVisit = {
        trust: trust.name,
        username: remoteName(user),
        signInId: signInIdOf(trust.rootId, claims.sid),
        address: claims.addr,
      };
      const { iat: _i, exp: _e, jti: _j, ...lasting } = claims;
      const facts = JSON.stringify([trust.revision, user.roles, lasting]);
      const last = kept.get(visit.signInId);
      const live =
        last?.facts === facts && now() - last.at < KEEP_EVERY_MS ? await cache.signIn(visit.signInId) : undefined;
      if (live && isAlive(live.signIn, now())) return visit;
      await keepOnce(`${visit.signInId} ${facts}`, () => keep(trust, visit.signInId, claims));
      cache.dropSignIn(visit.signInId);
      cache.dropUser(visit.username);
      kept.delete(visit.signInId);
      kept.set(visit.signInId, { facts, at: now() });
      deps.came(trust.name, claims.sid);
      return visit;
    },
    heard({ trust, name }, at) {
      const ofRoot = heardAt.get(trust) ?? new BoundedMap<string, number>(MAX_KEPT);
      heardAt.set(trust, ofRoot);
      ofRoot.delete(name);
      ofRoot.set(name, at);
    },
  };
}
