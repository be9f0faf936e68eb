/** Tokens that an OpenID provider signed: read only with a key it publishes, by an algorithm that needs no secret of ours. */
import type { JWTHeaderParameters, JWTPayload, JWTVerifyGetKey } from 'jose';
import type { ProviderMemory } from '../provider-memory.ts';
import { ALGORITHMS, type ProviderSettings } from './discover.ts';
import { SKEW_SECONDS } from './open-client.ts';

/** Older ones were stolen or kept back. */
export const MAX_AGE_SECONDS = 600;

const KEYS_MS = 5 * 60_000;
/** Strangers may send tokens with invented keys: the provider is not asked for each of them. A new key of its own waits no longer than this. */
const KEYS_AGAIN_MS = 5_000;

export interface SignedToken {
  payload: JWTPayload;
  header: JWTHeaderParameters;
}

/** Throws what the library throws: signature, algorithm, issuer, audience, `exp`, `nbf` and `iat` are checked. */
export async function readSignedToken(
  deps: { recall: ProviderMemory; now: () => number },
  { issuer, jwks_uri }: ProviderSettings,
  token: string,
  { audience, requiredClaims }: { audience: string; requiredClaims: string[] },
): Promise<SignedToken> {
  const read = async (maxAgeMs: number): Promise<SignedToken> => {
    // Keys are made ready when they are first used, by the set they are found in.
    const { jose, keys } = await deps.recall.as(jwks_uri, maxAgeMs, readKeys);
    const { payload, protectedHeader } = await jose.jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(deps.now()),
      maxTokenAge: MAX_AGE_SECONDS,
      requiredClaims,
    });
    return { payload, header: protectedHeader };
  };
  try {
    return await read(KEYS_MS);
  } catch (error) {
    // Providers change their keys, and say so nowhere else.
    if (isUnknownKey(error)) return await read(KEYS_AGAIN_MS);
    throw error;
  }
}

interface PublishedKeys {
  /** Loaded with the first keys. */
  jose: typeof import('jose');
  keys: JWTVerifyGetKey;
}

async function readKeys(text: string): Promise<PublishedKeys> {
  const jose = await import('jose');
  return { jose, keys: jose.createLocalJWKSet(JSON.parse(text)) };
}

function isUnknownKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWKS_NO_MATCHING_KEY';
}
