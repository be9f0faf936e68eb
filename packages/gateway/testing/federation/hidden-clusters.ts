/** A root and a leaf that somebody may not know of. */
import { randomUUID } from 'node:crypto';
import { putLeaf, updateLeaf } from '../../src/identity/federation/stores/remote-cluster-store.ts';
import { insertTrust } from '../../src/identity/federation/stores/trusted-cluster-store.ts';
import type { Tx } from '../../src/platform/storage/tables.ts';
import { hidden } from '../hidden-names.ts';

function trustText(name: string): string {
  return `kind: trusted_cluster\nversion: v2\nmetadata: {name: ${name}}\nspec: {web_proxy_addr: root.example}\n`;
}

export async function addHiddenClusters(tx: Tx, now: number): Promise<void> {
  const made = { created: now, createdBy: 'admin' };
  const key = 'A'.repeat(43);
  const id = randomUUID();
  await putLeaf(tx, { ...made, id, name: hidden.leaf, key, next: undefined, version: '1' });
  await updateLeaf(tx, id, { labels: { env: 'prod' } });
  await insertTrust(tx, {
    ...made,
    ...{ name: hidden.trust, content: trustText(hidden.trust), enabled: true, address: 'https://root.example' },
    ...{ rootId: randomUUID(), rootName: 'root', rootKey: key, rootNext: undefined },
  });
}

const onTrust = (name: string) => ({ params: { name }, body: { content: trustText(name) } });

/** How they are asked about. */
export const CLUSTER_ROWS = {
  'trustedClusters.create': { calls: [['trust', onTrust]], status: 403 },
  'trustedClusters.update': { calls: [['trust', onTrust]] },
  'trustedClusters.remove': { calls: [['trust', (name: string) => ({ params: { name } })]] },
  'remoteClusters.update': { calls: [['leaf', (name: string) => ({ params: { name }, body: { labels: {} } })]] },
  'remoteClusters.remove': { calls: [['leaf', (name: string) => ({ params: { name } })]] },
} as const;
