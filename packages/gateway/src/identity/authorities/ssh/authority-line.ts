/** An authority as the files of servers have it. */
import type { StoredAuthority } from './authority-store.ts';

/** A line for TrustedUserCAKeys that tells whoever reads the file where it came from. */
export function authorityLine({ publicKey, created }: StoredAuthority, clusterName: string): string {
  return `${publicKey} gatehouse-${clusterName}-${new Date(created).toISOString().slice(0, 10)}`;
}
