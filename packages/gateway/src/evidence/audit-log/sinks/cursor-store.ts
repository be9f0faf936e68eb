/** How far each sink has been given each chain. */
import type { Db } from '../../../platform/storage/tables.ts';

/** Under this name of a chain the checkpoints are counted. */
export const CHECKPOINTS = '';

export async function deliveredTo(db: Db, sink: string): Promise<Map<string, number>> {
  const rows = await db.selectFrom('event_sink').select(['chain', 'delivered']).where('sink', '=', sink).execute();
  return new Map(rows.map(({ chain, delivered }) => [chain, delivered]));
}

export async function setDelivered(db: Db, sink: string, chain: string, delivered: number): Promise<void> {
  await db
    .insertInto('event_sink')
    .values({ sink, chain, delivered })
    .onConflict((conflict) => conflict.columns(['sink', 'chain']).doUpdateSet({ delivered }))
    .execute();
}
