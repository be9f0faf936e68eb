/** Empties the inventory between two worlds of a property test, as a removal that is told. */
import type { Tx } from '../../storage/tables.ts';
import { publishResources } from '../resource-changes.ts';

export async function removeAll(tx: Tx): Promise<void> {
  await publishResources(tx, await tx.deleteFrom('resource').returning(['kind', 'id', 'owner']).execute());
}
