/** The keys that sign who somebody is, for applications: the newest, and those before it until nothing they signed counts any more. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { readSecret, writeSecret } from '../../platform/secrets/secret-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { Secret } from '../../platform/std/secret.ts';
import type { Db } from '../../platform/storage/tables.ts';

export const SECRET_NAME = 'application identity key';
/** Beside the newest, so that a gateway from before rotation still finds the key it looks for. */
const EARLIER_NAME = 'application identity keys before';

/** How long a token counts. */
export const TOKEN_MS = 10 * 60_000;
/** How long applications may keep the public keys. A new key signs only when everybody has had to ask again. */
export const KEYS_MAX_AGE_MS = 5 * 60_000;
/** For gateways that hear late of it, and for clocks that do not agree. */
const SLACK_MS = 60_000;

const earlierKeys = z.object({
  /** From when on the newest signs; until then the first of the earlier ones does. */
  signsFrom: z.number(),
  earlier: z.array(z.object({ pem: z.string(), leaves: z.number() })),
});

export interface PublicJwk {
  kty: string;
  crv: string;
  x: string;
  y: string;
  use: 'sig';
  alg: 'ES256';
  kid: string;
}

export interface IdentityKey {
  key: KeyObject;
  jwk: PublicJwk;
  /** From when on it signs; 0 when it always did. */
  from: number;
  /** From when on nobody needs it; undefined for the newest. */
  leaves: number | undefined;
}

export function newIdentityKey(): Secret {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Secret(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
}

/** The newest first. */
export async function readIdentityKeys(db: Db, box: SecretBox): Promise<IdentityKey[]> {
  const newest = await readSecret(db, box, SECRET_NAME);
  if (!newest) return [];
  const { signsFrom, earlier } = await readEarlier(db, box);
  return [toKey(newest.reveal(), signsFrom, undefined), ...earlier.map(({ pem, leaves }) => toKey(pem, 0, leaves))];
}

export interface Rotation {
  now: number;
  /** The keys before are in wrong hands: nothing they signed counts from now on. */
  atOnce: boolean;
}

/** Makes a new key. It signs when applications have had to ask for the keys again, or at once. */
export async function rotateIdentityKey(db: Db, box: SecretBox, { now, atOnce }: Rotation): Promise<void> {
  const newest = await readSecret(db, box, SECRET_NAME);
  const before = await readEarlier(db, box);
  if (!atOnce && before.signsFrom > now) {
    const when = new Date(before.signsFrom).toISOString();
    throw new AppError('conflict', `a new key was made already and signs from ${when} on; --now replaces it at once`);
  }
  const signsFrom = atOnce ? now : now + KEYS_MAX_AGE_MS + SLACK_MS;
  const leaves = signsFrom + TOKEN_MS + SLACK_MS;
  const earlier = atOnce
    ? []
    : [...(newest ? [{ pem: newest.reveal(), leaves }] : []), ...before.earlier.filter((key) => key.leaves > now)];
  await writeSecret(db, box, { name: SECRET_NAME, value: newIdentityKey(), now });
  const kept = new Secret(JSON.stringify({ signsFrom, earlier }));
  await writeSecret(db, box, { name: EARLIER_NAME, value: kept, now });
}

async function readEarlier(db: Db, box: SecretBox): Promise<z.output<typeof earlierKeys>> {
  const text = await readSecret(db, box, EARLIER_NAME);
  return text ? earlierKeys.parse(JSON.parse(text.reveal())) : { signsFrom: 0, earlier: [] };
}

function toKey(pem: string, from: number, leaves: number | undefined): IdentityKey {
  const key = createPrivateKey(pem);
  const { kty = '', crv = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  // RFC 7638: the same key has the same id wherever it is computed.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  return { key, jwk: { kty, crv, x, y, use: 'sig', alg: 'ES256', kid }, from, leaves };
}
