/** The key by which the SSH door is known: one for all gateways, certified for each name that programs dial. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mintCertificate } from '../../../platform/crypto/ssh/certificate.ts';
import { ed25519Blob, fingerprint } from '../../../platform/crypto/ssh/public-key.ts';
import { readOrMakeSecret } from '../../../platform/secrets/secret-store.ts';
import { Secret } from '../../../platform/std/secret.ts';
import { type AuthorityKeyDeps, createAuthorityKeys } from './create-authority-keys.ts';
import { EARLY_MS } from './create-ssh-authorities.ts';

export interface DoorHostKey {
  key(): Promise<KeyObject>;
  fingerprint(): Promise<string>;
  /** For one connection, under the name that was dialled. */
  certify(names: readonly string[]): Promise<Buffer>;
  /** Public keys of those that certify it: what `known_hosts` is told. */
  authorities(): Promise<string[]>;
  close(): void;
}

const NAME = 'ssh door host key';
/** Connections last long, and their keys are exchanged anew now and then. */
const TTL_MS = 7 * 24 * 3_600_000;

export function createDoorHostKey(deps: AuthorityKeyDeps): DoorHostKey {
  const { db, secrets, log, now } = deps;
  const keys = createAuthorityKeys(deps, 'host');
  let held: Promise<KeyObject> | undefined;

  async function load(): Promise<KeyObject> {
    const make = () =>
      new Secret(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    const onLost = () => log.error({}, 'the host key of the SSH door is gone from the store; a new one is made');
    return createPrivateKey((await readOrMakeSecret(db, secrets, { name: NAME, make, now: now(), onLost })).reveal());
  }

  const key = () => {
    held ??= load().catch((error: unknown) => {
      held = undefined;
      throw error;
    });
    return held;
  };

  return {
    key,
    fingerprint: async () => fingerprint(ed25519Blob(await key())),
    async certify(names) {
      const [signing] = await keys.inForce();
      if (!signing) throw new Error('there is no SSH authority of hosts');
      return mintCertificate(signing.key, {
        ...{ kind: 'host', subject: await key(), keyId: names.join(','), principals: names },
        ...{ validAfter: now() - EARLY_MS, validBefore: now() + TTL_MS },
      });
    },
    authorities: async () => (await keys.inForce()).map(({ publicKey }) => publicKey),
    close: keys.close,
  };
}
