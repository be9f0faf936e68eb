/** The gateway as an authority for databases: three, each for one purpose, which follow each other with an overlap. */
import type { KeyObject } from 'node:crypto';
import { trustedKeyLost } from '@gatehouse/contract/audit/gateway-events';
import { DB_PURPOSES, type DbPurpose } from '@gatehouse/contract/identity/db-authorities';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { ChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import type { Pair } from '../../../platform/crypto/x509/keys.ts';
import { mintFor, mintPair, type NewLeaf } from '../../../platform/crypto/x509/mint.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { readMeta, writeMetaOnce } from '../../../platform/storage/meta.ts';
import { holdLock } from '../../../platform/storage/named-lock.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import {
  beginLeaving,
  DB_AUTHORITY_TOPIC,
  insertDbAuthority,
  listDbAuthorities,
  makeDbAuthority,
  readPair,
  removeLeft,
  type StoredDbAuthority,
  signingOne,
  VOUCHES,
} from './db-authority-store.ts';

/** Whom it is for is said by the purpose. */
export type WantedLeaf = Omit<NewLeaf, 'vouches' | 'now'>;

export interface Rotation {
  purpose: DbPurpose;
  /** Until the new one signs: for servers to learn of it. */
  announceMs: number;
  /** From then on, until those before it are gone. */
  overlapMs: number;
}

export interface DbAuthorities {
  /** Those in force; the first call makes one for each purpose. */
  list(): Promise<StoredDbAuthority[]>;
  /** Certificates of those in force for a purpose, as PEM: announced, signing and leaving. */
  trusted(purpose: DbPurpose): Promise<string[]>;
  /** With a key made here. */
  mint(purpose: DbPurpose, wanted: WantedLeaf): Promise<Pair>;
  /** For a key whose other half somebody else has. */
  mintFor(purpose: DbPurpose, publicKey: KeyObject, wanted: WantedLeaf): Promise<string>;
  /** Call `refresh` after the commit. */
  rotate(rotation: Rotation): Promise<(tx: Tx) => Promise<StoredDbAuthority>>;
  refresh(): void;
  close(): void;
}

export interface DbAuthorityDeps {
  db: Db;
  secrets: SecretBox;
  feed: Pick<ChangeFeed, 'subscribe'>;
  audit: Audit;
  clusterName: string;
  log: Log;
  now: () => number;
}

const SWEEP_EVERY_MS = 60_000;
const MAX_LEAVING = 2;
const LOCK = 'db authorities';
const madeMark = (purpose: DbPurpose) => `db-authority.made ${purpose}`;

type LoadedAuthority = StoredDbAuthority & { pair: Pair };

export function createDbAuthorities(deps: DbAuthorityDeps): DbAuthorities {
  const { db, secrets, feed, audit, clusterName, log, now } = deps;
  let held: Promise<LoadedAuthority[]> | undefined;
  const refresh = () => {
    held = undefined;
  };
  const subscription = feed.subscribe([DB_AUTHORITY_TOPIC], { change: refresh, gap: refresh });
  const sweep = () =>
    db
      .transaction()
      .execute((tx) => removeLeft(tx, now()))
      .then((gone) => {
        if (gone > 0) log.info({ gone }, 'authorities of databases left');
      })
      .catch((error: unknown) => log.warn({ error }, 'authorities of databases that left cannot be deleted'));
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS).unref();

  async function load(): Promise<LoadedAuthority[]> {
    let stored = await listDbAuthorities(db, now());
    for (const purpose of DB_PURPOSES) if (!signingOne(stored, purpose, now())) stored = await makeFirst(purpose);
    const loaded = await Promise.all(
      stored.map(async (authority): Promise<LoadedAuthority[]> => {
        const pair = await readPair(db, secrets, authority);
        if (pair) return [{ ...authority, pair }];
        log.error({ authority: authority.id }, 'the private key of an authority of databases is gone');
        return [];
      }),
    );
    return loaded.flat();
  }

  async function makeFirst(purpose: DbPurpose): Promise<StoredDbAuthority[]> {
    const made = await makeDbAuthority(purpose, clusterName, now());
    return await db.transaction().execute(async (tx) => {
      await holdLock(tx, LOCK, 'alone');
      const stored = await listDbAuthorities(tx, now());
      if (signingOne(stored, purpose, now())) return stored;
      const wasMade = (await readMeta(tx, madeMark(purpose))) !== undefined;
      await writeMetaOnce(tx, madeMark(purpose), String(now()));
      await insertDbAuthority(tx, secrets, made, { now: now(), signs: now() });
      if (wasMade) {
        // Databases trust the one before; whoever reads this learns why they refuse everybody.
        log.error({ purpose }, 'an authority of databases is gone from the store; a new one is made');
        await audit.emit(tx, trustedKeyLost, { key: `authority ${purpose}`, trusted_by: 'databases' });
      }
      return await listDbAuthorities(tx, now());
    });
  }

  async function inForce(): Promise<LoadedAuthority[]> {
    held ??= load().catch((error: unknown) => {
      refresh();
      throw error;
    });
    return (await held).filter(({ leaves }) => leaves === undefined || leaves > now());
  }

  async function signing(purpose: DbPurpose): Promise<Pair> {
    const one = signingOne(await inForce(), purpose, now());
    if (one) return one.pair;
    refresh();
    throw new AppError('internal', `the private key of the authority '${purpose}' is gone: rotate it`);
  }

  return {
    list: async () => (await inForce()).map(({ pair: _, ...authority }) => authority),

    trusted: async (purpose) =>
      (await inForce()).filter((each) => each.purpose === purpose).map(({ certificate }) => certificate),

    mint: async (purpose, wanted) =>
      await mintPair(await signing(purpose), { ...wanted, vouches: VOUCHES[purpose], now: now() }),

    mintFor: async (purpose, publicKey, wanted) =>
      await mintFor(await signing(purpose), publicKey, { ...wanted, vouches: VOUCHES[purpose], now: now() }),

    async rotate({ purpose, announceMs, overlapMs }) {
      // There is one before it, whose leaving others are told of.
      await inForce();
      const made = await makeDbAuthority(purpose, clusterName, now());
      return async (tx) => {
        await holdLock(tx, LOCK, 'alone');
        const all = (await listDbAuthorities(tx, now())).filter((each) => each.purpose === purpose);
        refuseTooMany(all, { announceMs, overlapMs }, now());
        const signs = now() + announceMs;
        await beginLeaving(tx, purpose, signs + overlapMs);
        await removeLeft(tx, now());
        return await insertDbAuthority(tx, secrets, made, { now: now(), signs });
      };
    },

    refresh,
    close() {
      clearInterval(timer);
      subscription.close();
    },
  };
}

function refuseTooMany(
  all: readonly StoredDbAuthority[],
  { announceMs, overlapMs }: Pick<Rotation, 'announceMs' | 'overlapMs'>,
  now: number,
): void {
  const announced = all.find(({ signs }) => signs > now);
  if (announced && announceMs > 0)
    throw new AppError(
      'conflict',
      `a new one is announced already and signs from ${new Date(announced.signs).toISOString()} on: wait for it, or rotate without announcing`,
    );
  const leaving = all.filter(({ leaves, signs }) => leaves !== undefined && signs <= now);
  if (announceMs + overlapMs === 0 || leaving.length < MAX_LEAVING) return;
  const last = new Date(Math.max(...leaving.map(({ leaves = 0 }) => leaves))).toISOString();
  throw new AppError(
    'conflict',
    `${leaving.length} earlier authorities are still leaving, the last until ${last}: wait, or rotate without an overlap`,
  );
}
