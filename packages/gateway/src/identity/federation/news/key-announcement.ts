/** Tells another cluster which keys of this one count, by the word of the key that counts now, and of the next one for itself. */
import { ANNOUNCEMENT_CHARACTERS, keyAnnouncement, keyProof } from '@gatehouse/contract/reach/trusted-clusters/news';
import type { FederationKeys } from '../key/federation-keys.ts';
import { readJws, signJws } from '../passport/jws.ts';

export interface KnownKeys {
  key: string;
  next: string | undefined;
}

type Between = Readonly<Record<'from' | 'to', string>>;

export async function announceKeys(
  keys: Pick<FederationKeys, 'now' | 'sign' | 'signByNext'>,
  { from, to }: Between,
): Promise<string> {
  const { current, next } = await keys.now();
  const about = { v: 1, iss: from, aud: to };
  const proof = next && (await proofOf(keys, { ...about, key: next.publicKey }));
  const claims = { ...about, key: current.publicKey, ...(proof ? { next: next.publicKey, proof } : {}) };
  return await signJws('gatehouse-keys', claims, keys.sign);
}

/** Undefined where it has begun to sign meanwhile: that is announced by itself. */
async function proofOf(
  { signByNext }: Pick<FederationKeys, 'signByNext'>,
  claims: object,
): Promise<string | undefined> {
  let isGone = false;
  const proof = await signJws('gatehouse-next-key', claims, async (data) => {
    const signature = await signByNext(data);
    isGone = signature === undefined;
    return signature ?? Buffer.alloc(0);
  });
  return isGone ? undefined : proof;
}

/** The keys from now on; undefined for what is not the word of a key that is known. */
export function hearKeys(announcement: string, known: KnownKeys, { from, to }: Between): KnownKeys | undefined {
  const trusted = [known.key, ...(known.next === undefined ? [] : [known.next])];
  const read = readJws('gatehouse-keys', announcement, trusted, ANNOUNCEMENT_CHARACTERS);
  const claims = read && keyAnnouncement.safeParse(read.claims).data;
  if (!claims || claims.iss !== from || claims.aud !== to || claims.key !== read.key) return undefined;
  const { key, next, proof = '' } = claims;
  return { key, next: next !== undefined && isProven(next, proof, { from, to }) ? next : undefined };
}

function isProven(next: string, proof: string, { from, to }: Between): boolean {
  const read = readJws('gatehouse-next-key', proof, [next], ANNOUNCEMENT_CHARACTERS);
  const claims = read && keyProof.safeParse(read.claims).data;
  return claims !== undefined && claims.iss === from && claims.aud === to && claims.key === next;
}
