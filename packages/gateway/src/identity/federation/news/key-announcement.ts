/** Tells another cluster which keys of this one count, by the word of the key that counts now. */
import { ANNOUNCEMENT_CHARACTERS, keyAnnouncement } from '@gatehouse/contract/reach/trusted-clusters/news';
import type { FederationKeys } from '../key/federation-keys.ts';
import { readJws, signJws } from '../passport/jws.ts';

export interface KnownKeys {
  key: string;
  next: string | undefined;
}

export async function announceKeys(
  keys: Pick<FederationKeys, 'now' | 'sign'>,
  { from, to }: { from: string; to: string },
): Promise<string> {
  const { current, next } = await keys.now();
  const claims = { v: 1, iss: from, aud: to, key: current.publicKey, ...(next ? { next: next.publicKey } : {}) };
  return await signJws('gatehouse-keys', claims, keys.sign);
}

/** The keys from now on; undefined for what is not the word of a key that is known. */
export function hearKeys(
  announcement: string,
  known: KnownKeys,
  { from, to }: { from: string; to: string },
): KnownKeys | undefined {
  const trusted = [known.key, ...(known.next === undefined ? [] : [known.next])];
  const read = readJws('gatehouse-keys', announcement, trusted, ANNOUNCEMENT_CHARACTERS);
  const claims = read && keyAnnouncement.safeParse(read.claims).data;
  if (!claims || claims.iss !== from || claims.aud !== to || claims.key !== read.key) return undefined;
  return { key: claims.key, next: claims.next };
}
