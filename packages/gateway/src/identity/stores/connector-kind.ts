/** Of which kind a connector is, for those who know it by its name alone. */
import { CONNECTOR_KINDS, type ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { z } from 'zod';
import type { Db } from '../../platform/storage/tables.ts';

const kind = z.enum(CONNECTOR_KINDS);

export async function findConnectorKind(db: Db, name: string): Promise<ConnectorKind | undefined> {
  const row = await db.selectFrom('connector').select('kind').where('name', '=', name).executeTakeFirst();
  return row && kind.parse(row.kind);
}
