/** The keys of one purpose that sign SSH certificates: made by the first gateway that asks, and changed with an overlap. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
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
  AUTHORITY_TOPIC,
  type AuthorityPurpose,
  beginLeaving,
  insertAuthority,
  isAuthorityOf,
  listAuthorities,
  readAuthorityKey,
  removeLeft,
  type StoredAuthority,
} from './authority-store.ts';

export type LoadedAuthority = StoredAuthority & { key: KeyObject };

export interface AuthorityKeys {
  /** The one that signs first, then those that leave. The first call makes one. */
  inForce(): Promise<LoadedAuthority[]>;
  /** A new key signs from now on; those before stay beside it for the overlap. Call `refresh` after the commit. */
  rotate(tx: Tx, overlapMs: number): Promise<StoredAuthority>;
  refresh(): void;
  close(): void;
}

export interface AuthorityKeyDeps {
  db: Db;
  secrets: SecretBox;
  feed: Pick<ChangeFeed, 'subscribe'>;
  audit: Audit;
  log: Log;
  now: () => number;
}

/** sshd gives six tries by default, and each certificate it does not take is one. */
const MAX_LEAVING = 2;
const SWEEP_EVERY_MS = 60_000;
/** Those of servers are older than purposes. */
const WORDS: Record<AuthorityPurpose, { lock: string; made: string; key: string; trustedBy: string }> = {
  target: { lock: 'ssh authorities', made: 'ssh-authority.made', key: 'SSH authority', trustedBy: 'servers' },
  person: {
    ...{ lock: 'ssh authorities of people', made: 'ssh-authority.person.made' },
    ...{ key: 'SSH authority of people', trustedBy: 'the SSH door' },
  },
  host: {
    ...{ lock: 'ssh authorities of hosts', made: 'ssh-authority.host.made' },
    ...{ key: 'SSH authority of hosts', trustedBy: 'programs' },
  },
};

export function createAuthorityKeys(
  { db, secrets, feed, audit, log, now }: AuthorityKeyDeps,
  purpose: AuthorityPurpose,
): AuthorityKeys {
  const words = WORDS[purpose];
  let held: Promise<LoadedAuthority[]> | undefined;
  const refresh = () => {
    held = undefined;
  };
  const subscription = feed.subscribe([AUTHORITY_TOPIC], { change: refresh, gap: refresh });
  const sweep = () =>
    db
      .transaction()
      .execute((tx) => removeLeft(tx, now()))
      .then((gone) => {
        if (gone > 0) log.info({ gone }, 'SSH authorities left');
      })
      .catch((error: unknown) => log.warn({ error }, 'SSH authorities that left cannot be deleted'));
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS).unref();

  async function load(): Promise<LoadedAuthority[]> {
    const stored = await listAuthorities(db, purpose, now());
    const hasOne = stored.some(({ leaves }) => leaves === undefined);
    // One of an older version, or of a restored store, would go without a word later.
    if (hasOne && (await readMeta(db, words.made)) === undefined) await writeMetaOnce(db, words.made, String(now()));
    const all = hasOne ? stored : await makeFirst();
    const loaded = await Promise.all(
      all.map(async (authority): Promise<LoadedAuthority[]> => {
        const pem = await readAuthorityKey(db, secrets, authority.id);
        if (!pem) {
          log.error(
            { authority: authority.id, purpose },
            'the private key of an SSH authority is gone: what trusts it may refuse people',
          );
          return [];
        }
        const key = createPrivateKey(pem.reveal());
        // A row whose public half was exchanged would have servers trust somebody else.
        if (!isAuthorityOf(authority, key))
          throw new Error(`the SSH authority ${authority.id} does not fit its private key`);
        return [{ ...authority, key }];
      }),
    );
    return loaded.flat();
  }

  async function makeFirst(): Promise<StoredAuthority[]> {
    return await db.transaction().execute(async (tx) => {
      await holdLock(tx, words.lock, 'alone');
      const stored = await listAuthorities(tx, purpose, now());
      if (stored.some(({ leaves }) => leaves === undefined)) return stored;
      const wasMade = (await readMeta(tx, words.made)) !== undefined;
      await writeMetaOnce(tx, words.made, String(now()));
      const made = [await insertAuthority(tx, secrets, { purpose, now: now() }), ...stored];
      if (!wasMade) return made;
      // The one before is trusted somewhere; whoever reads this learns why everybody is refused there.
      log.error(
        { purpose },
        'an SSH authority is gone from the store; a new one is made, which nobody who trusted it knows yet',
      );
      await audit.emit(tx, trustedKeyLost, { key: words.key, trusted_by: words.trustedBy });
      return made;
    });
  }

  async function inForce(): Promise<LoadedAuthority[]> {
    held ??= load().catch((error: unknown) => {
      refresh();
      throw error;
    });
    return (await held).filter(({ leaves }) => leaves === undefined || leaves > now());
  }

  return {
    inForce,

    async rotate(tx, overlapMs) {
      await holdLock(tx, words.lock, 'alone');
      const leaving = (await listAuthorities(tx, purpose, now())).filter(({ leaves }) => leaves !== undefined);
      if (overlapMs > 0 && leaving.length >= MAX_LEAVING) {
        const last = new Date(Math.max(...leaving.map(({ leaves = 0 }) => leaves))).toISOString();
        throw new AppError(
          'conflict',
          `${leaving.length} earlier authorities are still leaving, the last until ${last}: wait, or rotate without an overlap`,
        );
      }
      await beginLeaving(tx, purpose, now() + overlapMs);
      await removeLeft(tx, now());
      return await insertAuthority(tx, secrets, { purpose, now: now() });
    },

    refresh,
    close() {
      clearInterval(timer);
      subscription.close();
    },
  };
}
