/** Writes what a root says of a person to a leaf, and reads it there: by whom, to whom, until when, and never twice. */
import { type KeyObject, randomUUID } from 'node:crypto';
import {
  PASSPORT_CHARACTERS,
  PASSPORT_SECONDS,
  PASSPORT_VERSION,
  type Passport,
  passport,
} from '@gatehouse/contract/reach/trusted-clusters/passport';
import { z } from 'zod';
import { readJws, signJws } from './jws.ts';
import type { UsedPassports } from './used-passports.ts';

/** Clocks of two clusters differ. */
const SKEW_SECONDS = 30;

export type PassportFacts = Omit<Passport, 'v' | 'iat' | 'exp' | 'jti'>;

export async function writePassport(
  facts: PassportFacts,
  { now, sign }: { now: number; sign: (data: Buffer) => Promise<Buffer> },
): Promise<string> {
  const iat = Math.floor(now / 1000);
  const claims: Passport = {
    v: PASSPORT_VERSION,
    ...facts,
    iat,
    exp: iat + PASSPORT_SECONDS,
    // Node makes many of these at a time: sixteen random bytes asked for with each call cost more than the rest of its claims.
    jti: Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url'),
  };
  return await signJws('gatehouse-passport', claims, sign);
}

/** Why one does not count. The words are for the log of the leaf: whoever showed it learns less. */
export class PassportRefused extends Error {
  override name = 'PassportRefused';
}

export interface PassportCheck {
  /** The cluster whose tunnel it came through, and its keys. */
  root: { id: string; keys: readonly string[] };
  /** This cluster. */
  leafId: string;
  /** This very process of it. */
  gatewayId: string;
  now: number;
  used: UsedPassports;
  /** A key as it is checked by, where it is at hand: made anew for each call it costs a quarter of the check. */
  publicKey?: ((key: string) => KeyObject) | undefined;
}

/** All that is known of one that a later release wrote. */
const versioned = z.object({ v: z.int().min(0).max(1_000_000) });

/** Throws `PassportRefused`. */
export function readPassport(
  text: string,
  { root, leafId, gatewayId, now, used, publicKey }: PassportCheck,
): { claims: Passport; key: string } {
  const read = readJws('gatehouse-passport', text, root.keys, PASSPORT_CHARACTERS, publicKey);
  if (!read) throw new PassportRefused('it is not signed by the key of that root');
  const { v } = versioned.safeParse(read.claims).data ?? {};
  if (v !== undefined && v !== PASSPORT_VERSION)
    throw new PassportRefused(
      `it is of version ${v}, and this cluster reads ${PASSPORT_VERSION}: bring both clusters to the same release`,
    );
  const parsed = passport.safeParse(read.claims);
  if (!parsed.success) throw new PassportRefused('its claims have another shape');
  const claims = parsed.data;
  if (claims.iss !== root.id) throw new PassportRefused('it is of another root than the tunnel it came through');
  if (claims.aud !== leafId) throw new PassportRefused('it is meant for another cluster');
  if (claims.gateway !== gatewayId)
    throw new PassportRefused('it is meant for another gateway, or this one before it was started again');
  const seconds = now / 1000;
  if (claims.iat > seconds + SKEW_SECONDS) throw new PassportRefused('it is from the future: compare the clocks');
  if (claims.exp + SKEW_SECONDS <= seconds) throw new PassportRefused('it has run out');
  if (claims.exp - claims.iat > PASSPORT_SECONDS) throw new PassportRefused('it would last longer than one may');
  if (!used.use(claims.jti, (claims.exp + SKEW_SECONDS) * 1000)) throw new PassportRefused('it was shown before');
  return { claims, key: read.key };
}
