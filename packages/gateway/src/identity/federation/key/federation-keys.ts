/** The key by which other clusters know this one: made by the first gateway that asks, changed with an overlap. */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { trustedKeyLost } from '@gatehouse/contract/audit/gateway-events';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { ChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { readMeta, writeMetaOnce } from '../../../platform/storage/meta.ts';
import { holdLock } from '../../../platform/storage/named-lock.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import {
  deleteKeys,
  FEDERATION_KEY_TOPIC,
  insertKey,
  listKeys,
  publicHalf,
  readPrivateHalf,
  type StoredKey,
} from './key-store.ts';

export interface FederationKeys {
  /** The one that signs, and the one that will. The first call makes one. */
  now(): Promise<KeysNow>;
  /** By the current key. */
  sign(data: Buffer): Promise<Buffer>;
  /** By the one that will sign; undefined where none is announced. */
  signByNext(data: Buffer): Promise<Buffer | undefined>;
  /** Announces a new key that signs once the overlap is over. Call `refresh` after the commit. */
  rotate(tx: Tx, overlapMs: number): Promise<StoredKey>;
  refresh(): void;
  /** After a key has come, gone, or begun to sign. */
  onChange(listener: () => void): () => void;
  close(): void;
}

export interface KeysNow {
  current: StoredKey;
  next: StoredKey | undefined;
}

export interface FederationKeyDeps {
  db: Db;
  secrets: SecretBox;
  feed: Pick<ChangeFeed, 'subscribe'>;
  audit: Audit;
  log: Log;
  now: () => number;
}

const LOCK = 'federation keys';
const MADE = 'federation-key.made';
const SWEEP_EVERY_MS = 60_000;

type LoadedKey = StoredKey & { key: KeyObject };

export function createFederationKeys({ db, secrets, feed, audit, log, now }: FederationKeyDeps): FederationKeys {
  let held: Promise<LoadedKey[]> | undefined;
  const listeners = new Set<() => void>();
  const refresh = () => {
    held = undefined;
    for (const listener of listeners) listener();
  };
  const subscription = feed.subscribe([FEDERATION_KEY_TOPIC], { change: refresh, gap: refresh });
  const sweep = () =>
    db
      .transaction()
      .execute(async (tx) => await deleteKeys(tx, former(await listKeys(tx), now())))
      .catch((error: unknown) => log.warn({ error }, 'former federation keys cannot be deleted'));
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS).unref();

  async function load(): Promise<LoadedKey[]> {
    const stored = await listKeys(db);
    return await Promise.all((stored.length > 0 ? stored : await makeFirst()).map(withPrivateHalf));
  }

  async function withPrivateHalf(stored: StoredKey): Promise<LoadedKey> {
    const pem = await readPrivateHalf(db, secrets, stored.id);
    if (!pem) throw new AppError('internal', 'the private half of the federation key is gone: rotate the key');
    const key = createPrivateKey(pem.reveal());
    // A row whose public half was exchanged would have other clusters trust somebody else.
    if (publicHalf(key) !== stored.publicKey)
      throw new Error(`the federation key ${stored.id} does not fit its private half`);
    return { ...stored, key };
  }

  async function makeFirst(): Promise<StoredKey[]> {
    return await db.transaction().execute(async (tx) => {
      await holdLock(tx, LOCK, 'alone');
      const stored = await listKeys(tx);
      if (stored.length > 0) return stored;
      const wasMade = (await readMeta(tx, MADE)) !== undefined;
      await writeMetaOnce(tx, MADE, String(now()));
      const made = await insertKey(tx, secrets, { now: now(), signsFrom: now() });
      if (!wasMade) return [made];
      log.error({}, 'the federation key is gone from the store; a new one is made, which no other cluster knows yet');
      await audit.emit(tx, trustedKeyLost, { key: 'federation key', trusted_by: 'other clusters' });
      return [made];
    });
  }

  async function loaded(): Promise<LoadedKey[]> {
    held ??= load().catch((error: unknown) => {
      held = undefined;
      throw error;
    });
    return await held;
  }

  return {
    async now() {
      const { current, next } = atTime(await loaded(), now());
      return { current: bare(current), next: next && bare(next) };
    },

    async sign(data) {
      return sign(null, data, atTime(await loaded(), now()).current.key);
    },

    async signByNext(data) {
      const { next } = atTime(await loaded(), now());
      return next && sign(null, data, next.key);
    },

    async rotate(tx, overlapMs) {
      await holdLock(tx, LOCK, 'alone');
      const stored = await listKeys(tx);
      const { next } = stored.length === 0 ? { next: undefined } : atTime(stored, now());
      if (next && overlapMs > 0)
        throw new AppError(
          'conflict',
          `a new key was announced already and signs from ${new Date(next.signsFrom).toISOString()}: wait, or rotate without an overlap`,
        );
      await deleteKeys(tx, next ? [next.id] : []);
      const made = await insertKey(tx, secrets, { now: now(), signsFrom: now() + overlapMs });
      await deleteKeys(tx, former([...stored, made], now()));
      return made;
    },

    refresh,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      clearInterval(timer);
      subscription.close();
    },
  };
}

function bare({ id, publicKey, created, signsFrom }: StoredKey): StoredKey {
  return { id, publicKey, created, signsFrom };
}

/** Before the first one's time, which a clock that went back makes, the first counts. */
function atTime<K extends StoredKey>(keys: readonly K[], now: number): { current: K; next: K | undefined } {
  const begun = keys.filter(({ signsFrom }) => signsFrom <= now);
  const current = begun.at(-1) ?? keys[0]!;
  return { current, next: keys[keys.indexOf(current) + 1] };
}

/** Those in whose place another one signs. */
function former(keys: readonly StoredKey[], now: number): string[] {
  if (keys.length === 0) return [];
  return keys.slice(0, keys.indexOf(atTime(keys, now).current)).map(({ id }) => id);
}
