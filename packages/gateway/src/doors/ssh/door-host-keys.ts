/** By which the door proves who it is: its certificate for the name that was dialled, and its plain key for who knows no certificates. */
import { type KeyObject, sign } from 'node:crypto';
import type { Connection } from 'ssh2';
import type { DoorHostKey } from '../../identity/authorities/ssh/door-host-key.ts';
import { ED25519_CERTIFICATE } from '../../platform/crypto/ssh/certificate.ts';
import { ED25519, ed25519Blob } from '../../platform/crypto/ssh/public-key.ts';
import { parsedKey } from '../../platform/crypto/ssh/ssh2/parsed-key.ts';

/** What of ssh2 is reached into; the tests with real clients fail when a version has it otherwise. */
interface Inside {
  _protocol: { _kex: { negotiated: { serverHostKey: string } } };
}

export interface DoorKeys {
  key: KeyObject;
  certificate: Buffer;
}

export async function doorKeys(
  hostKey: Pick<DoorHostKey, 'key' | 'certify'>,
  names: readonly string[],
): Promise<DoorKeys> {
  return { key: await hostKey.key(), certificate: await hostKey.certify(names) };
}

/** `connection`: the one it is shown on, known by the time something is signed. */
export function shownKeys({ key, certificate }: DoorKeys, connection: () => Connection | undefined): object[] {
  const certified = parsedKey({
    type: ED25519_CERTIFICATE,
    blob: certificate,
    sign(data) {
      // What is hashed is the certificate; what signs, and says so in the signature, is the plain key in it.
      const inside = connection() as unknown as Inside | undefined;
      if (inside) inside._protocol._kex.negotiated.serverHostKey = ED25519;
      return sign(null, data, key);
    },
  });
  const plain = parsedKey({ type: ED25519, blob: ed25519Blob(key), sign: (data) => sign(null, data, key) });
  return [{ key: certified }, { key: plain }];
}
