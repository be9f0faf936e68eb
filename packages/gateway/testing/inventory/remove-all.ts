/** Empties the inventory between two worlds of a property test, as a removal that is told. */

import { publishResources } from '../../src/inventory/resource-changes.ts';
import type { Tx } from '../../src/platform/storage/tables.ts';

export async function removeAll(tx: Tx): Promise<void> {
  await publishResources(tx, await tx.deleteFrom('resource').returning(['kind', 'id', 'owner']).execute());
}
