/** Takes everything out of the inventory that one agent offered. */
import { publish } from '../changes/publish.ts';
import { RESOURCE_TOPIC } from '../inventory/resource-store.ts';
import type { Tx } from '../storage/tables.ts';

export async function removeOffered(tx: Tx, owner: string): Promise<void> {
  const removed = await tx.deleteFrom('resource').where('owner', '=', owner).returning('kind').execute();
  const kinds = [...new Set(removed.map(({ kind }) => kind))];
  await publish(tx, ...kinds.map((id) => ({ topic: RESOURCE_TOPIC, id, data: { owner } })));
}
