/** The gateway as an authority for SSH: mints short-lived user certificates, and changes its keys with an overlap. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { certificateIssued, trustedKeyLost } from '@gatehouse/contract/audit/gateway-events';
import { osLogin } from '@gatehouse/contract/kinds/node/node-spec';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { ChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import { mintCertificate, type SshCredential } from '../../../platform/crypto/ssh/certificate.ts';
import { fingerprint, parsePublicKey } from '../../../platform/crypto/ssh/public-key.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { readMeta, writeMetaOnce } from '../../../platform/storage/meta.ts';
import { holdLock } from '../../../platform/storage/named-lock.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import {
  AUTHORITY_TOPIC,
  beginLeaving,
  insertAuthority,
  isAuthorityOf,
  listAuthorities,
  readAuthorityKey,
  removeLeft,
  type StoredAuthority,
} from './authority-store.ts';

export interface WantedCredential {
  /** The only account it opens. */
  login: string;
  /** Who, and for which session: what the server's own log shows as key id. */
  user: string;
  session: string;
  /** Addresses the server may see it come from; anywhere when left out. */
  sourceAddresses?: readonly string[] | undefined;
  ttlMs: number;
  /** What the session may do beside running commands; a terminal unless told. */
  permits?: readonly string[];
  /** For the log of ours. */
  server?: { id: string; name: string };
}

export interface SshAuthorities {
  /** Those servers must trust now; the first call makes one. */
  list(): Promise<StoredAuthority[]>;
  mint(wanted: WantedCredential): Promise<SshCredential>;
  /** A new key signs from now on; those before stay beside it for the overlap. Call `refresh` after the commit. */
  rotate(tx: Tx, overlapMs: number): Promise<StoredAuthority>;
  refresh(): void;
  close(): void;
}

export interface SshAuthorityDeps {
  db: Db;
  secrets: SecretBox;
  feed: Pick<ChangeFeed, 'subscribe'>;
  audit: Audit;
  log: Log;
  now: () => number;
}

/** Clocks differ: a server a little behind must not find the certificate too new. */
const EARLY_MS = 60_000;
const MAX_TTL_MS = 24 * 3_600_000;
/** sshd gives six tries by default, and each certificate it does not take is one. */
const MAX_LEAVING = 2;
const SWEEP_EVERY_MS = 60_000;
const LOCK = 'ssh authorities';
const MADE = 'ssh-authority.made';

type LoadedAuthority = StoredAuthority & { key: KeyObject };

export function createSshAuthorities({ db, secrets, feed, audit, log, now }: SshAuthorityDeps): SshAuthorities {
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
    const stored = await listAuthorities(db, now());
    const hasOne = stored.some(({ leaves }) => leaves === undefined);
    // One of an older version, or of a restored store, would go without a word later.
    if (hasOne && (await readMeta(db, MADE)) === undefined) await writeMetaOnce(db, MADE, String(now()));
    const all = hasOne ? stored : await makeFirst();
    const loaded = await Promise.all(
      all.map(async (authority): Promise<LoadedAuthority[]> => {
        const pem = await readAuthorityKey(db, secrets, authority.id);
        if (!pem) {
          log.error(
            { authority: authority.id },
            'the private key of an SSH authority is gone: servers may refuse people',
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
      await holdLock(tx, LOCK, 'alone');
      const stored = await listAuthorities(tx, now());
      if (stored.some(({ leaves }) => leaves === undefined)) return stored;
      const wasMade = (await readMeta(tx, MADE)) !== undefined;
      await writeMetaOnce(tx, MADE, String(now()));
      const made = [await insertAuthority(tx, secrets, now()), ...stored];
      if (!wasMade) return made;
      // Servers trust the one before; whoever reads this learns why they refuse everybody.
      log.error({}, 'the SSH authority is gone from the store; a new one is made, which no server trusts yet');
      await audit.emit(tx, trustedKeyLost, { key: 'SSH authority', trusted_by: 'servers' });
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
    list: async () => (await inForce()).map(({ key: _, ...authority }) => authority),

    async mint({ login, user, session, sourceAddresses = [], ttlMs, permits = ['permit-pty'], server }) {
      if (!osLogin.safeParse(login).success) throw new AppError('bad_request', `'${login}' is no login name`);
      if (!(ttlMs > 0 && ttlMs <= MAX_TTL_MS)) throw new Error(`a certificate for ${ttlMs} ms is not minted`);
      const authorities = await inForce();
      const { privateKey: key } = generateKeyPairSync('ed25519');
      const keyId = `user=${plainWord(user)} session=${plainWord(session)}`;
      const validBefore = now() + ttlMs;
      const certificates = authorities.map((authority) => ({
        authority: fingerprint(parsePublicKey(authority.publicKey).blob),
        blob: mintCertificate(authority.key, {
          kind: 'user',
          subject: key,
          keyId,
          principals: [login],
          validAfter: now() - EARLY_MS,
          validBefore,
          ...(sourceAddresses.length > 0 ? { criticalOptions: { 'source-address': sourceAddresses.join(',') } } : {}),
          extensions: permits,
        }),
      }));
      // Before anybody has it: one that no log knows of would be worth more than one that could not be had.
      await db.transaction().execute((tx) =>
        audit.emit(
          tx,
          certificateIssued,
          {
            cert_type: 'user',
            identity: {
              user,
              logins: [login],
              key_id: keyId,
              expires: new Date(validBefore).toISOString(),
              permits: [...permits],
              authorities: certificates.map(({ authority }) => authority),
            },
            ...{ user, login, sid: session },
            ...(server ? { server_id: server.id, server_hostname: server.name } : {}),
          },
          { sessionId: session },
        ),
      );
      return { key, certificates };
    },

    async rotate(tx, overlapMs) {
      await holdLock(tx, LOCK, 'alone');
      const leaving = (await listAuthorities(tx, now())).filter(({ leaves }) => leaves !== undefined);
      if (overlapMs > 0 && leaving.length >= MAX_LEAVING) {
        const last = new Date(Math.max(...leaving.map(({ leaves = 0 }) => leaves))).toISOString();
        throw new AppError(
          'conflict',
          `${leaving.length} earlier authorities are still leaving, the last until ${last}: wait, or rotate without an overlap`,
        );
      }
      await beginLeaving(tx, now() + overlapMs);
      await removeLeft(tx, now());
      return await insertAuthority(tx, secrets, now());
    },

    refresh,
    close() {
      clearInterval(timer);
      subscription.close();
    },
  };
}

/** One word in a server's log, whatever somebody is called. */
function plainWord(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._@+-]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
