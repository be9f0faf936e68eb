/** The gateway as an authority for servers: mints the short-lived certificates by which it signs in to them. */
import { generateKeyPairSync } from 'node:crypto';
import { certificateIssued } from '@gatehouse/contract/audit/gateway-events';
import { osLogin } from '@gatehouse/contract/kinds/node/node-spec';
import { mintCertificate, type SshCredential } from '../../../platform/crypto/ssh/certificate.ts';
import { fingerprint, parsePublicKey } from '../../../platform/crypto/ssh/public-key.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import type { StoredAuthority } from './authority-store.ts';
import { type AuthorityKeyDeps, createAuthorityKeys } from './create-authority-keys.ts';
import { plainWord } from './plain-word.ts';

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

/** Clocks differ: a server a little behind must not find the certificate too new. */
export const EARLY_MS = 60_000;
const MAX_TTL_MS = 24 * 3_600_000;

export function createSshAuthorities(deps: AuthorityKeyDeps): SshAuthorities {
  const { db, audit, now } = deps;
  const keys = createAuthorityKeys(deps, 'target');
  return {
    list: async () => (await keys.inForce()).map(({ key: _, ...authority }) => authority),

    async mint({ login, user, session, sourceAddresses = [], ttlMs, permits = ['permit-pty'], server }) {
      if (!osLogin.safeParse(login).success) throw new AppError('bad_request', `'${login}' is no login name`);
      if (!(ttlMs > 0 && ttlMs <= MAX_TTL_MS)) throw new Error(`a certificate for ${ttlMs} ms is not minted`);
      const authorities = await keys.inForce();
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

    rotate: keys.rotate,
    refresh: keys.refresh,
    close: keys.close,
  };
}
