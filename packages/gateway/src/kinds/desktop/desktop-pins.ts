/** Certificates that somebody accepted of desktops that agents offer: those stand in no record that an administrator could change. */
import type { Resource } from '../../inventory/resource-store.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';

export interface StoredPin {
  /** What it was accepted for: another address has no claim to it. */
  target: string;
  certificate: { pin: string; provenBy?: string };
}

/** By the id of the desktop. */
export async function readPins(from: Db, desktops: readonly Resource[]): Promise<ReadonlyMap<string, StoredPin>> {
  const [first] = desktops;
  if (!first) return new Map();
  const rows = await from
    .selectFrom('desktop_pin')
    .select(['desktop', 'target', 'pin', 'proven_by'])
    .where('cluster', '=', first.cluster)
    .where(
      'desktop',
      'in',
      desktops.map(({ id }) => id),
    )
    .execute();
  return new Map(
    rows.map(({ desktop, target, pin, proven_by }) => [
      desktop,
      { target, certificate: { pin, ...(proven_by === '' ? {} : { provenBy: proven_by }) } },
    ]),
  );
}

export async function putPin(
  tx: Tx,
  { cluster, id }: Pick<Resource, 'cluster' | 'id'>,
  { target, certificate: { pin, provenBy = '' } }: StoredPin,
  now: number,
): Promise<void> {
  const stored = { target, pin, proven_by: provenBy, accepted: now };
  await tx
    .insertInto('desktop_pin')
    .values({ cluster, desktop: id, ...stored })
    .onConflict((conflict) => conflict.columns(['cluster', 'desktop']).doUpdateSet(stored))
    .execute();
}
