/** Says to applications, signed, who is there: an ES256 JWT, and the keys to check it by. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { trustedKeyLost } from '@gatehouse/contract/audit/gateway-events';
import type { Audit } from '../audit/emit.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { readOrMakeSecret } from '../secrets/secret-store.ts';
import type { Log } from '../std/log.ts';
import { Secret } from '../std/secret.ts';
import type { Db } from '../storage/tables.ts';

export interface IdentityTokens {
  sign(claims: Record<string, unknown>): string;
  keys(): PublicJwk[];
}

export interface PublicJwk {
  kty: string;
  crv: string;
  x: string;
  y: string;
  use: 'sig';
  alg: 'ES256';
  kid: string;
}

const SECRET_NAME = 'application identity key';

export interface IdentityTokenDeps {
  db: Db;
  box: SecretBox;
  audit: Audit;
  log: Log;
  now: () => number;
}

export async function openIdentityTokens({ db, box, audit, log, now }: IdentityTokenDeps): Promise<IdentityTokens> {
  const pem = await db.transaction().execute(async (tx) => {
    let isLost = false;
    const onLost = () => {
      isLost = true;
    };
    const held = await readOrMakeSecret(tx, box, { name: SECRET_NAME, make: newKey, now: now(), onLost });
    if (isLost) {
      log.error({}, 'the key that applications know people by is gone; a new one signs from now on');
      await audit.emit(tx, trustedKeyLost, { key: SECRET_NAME, trusted_by: 'applications' });
    }
    return held;
  });
  const key = createPrivateKey(pem.reveal());
  const jwk = toJwk(key);
  const header = encode({ alg: 'ES256', typ: 'JWT', kid: jwk.kid });
  return {
    sign(claims) {
      const text = `${header}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
      return `${text}.${signature.toString('base64url')}`;
    },
    keys: () => [jwk],
  };
}

function newKey(): Secret {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Secret(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
}

function toJwk(key: KeyObject): PublicJwk {
  const { kty = '', crv = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  // RFC 7638: the same key has the same id wherever it is computed.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  return { kty, crv, x, y, use: 'sig', alg: 'ES256', kid };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
