/** Which resources are dialled at which address, where two owners must not share one: identity tokens for an application name its address. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { readJson } from '../platform/storage/json.ts';
import type { Db } from '../platform/storage/tables.ts';
import { hasSoleAddresses, soleAddressOf } from './kind-fields.ts';

export interface AddressBook {
  /** The one of somebody else that is at the address; undefined where there is none. */
  other(
    spec: unknown,
    asked: { id: string; holder: string },
  ): { id: string; address: string; harm: string } | undefined;
  add(spec: unknown, entry: { id: string; holder: string }): void;
}

/** What was entered by hand belongs to administrators, whose holder is empty. */
export async function readAddresses(db: Db, { cluster, kind }: { cluster: string; kind: Kind }): Promise<AddressBook> {
  const rows = hasSoleAddresses(kind) ? await readSpecs(db, { cluster, kind }) : [];
  const entries = new Map<string, { keys: readonly string[]; holder: string }>();
  const add: AddressBook['add'] = (spec, { id, holder }) => {
    const at = soleAddressOf(kind, spec);
    if (at === undefined) entries.delete(id);
    else entries.set(id, { keys: at.keys, holder });
  };
  for (const { id, owner, spec, holder } of rows) {
    add(readJson(spec), { id, holder: owner === '' ? '' : (holder ?? owner) });
  }
  return {
    add,
    other(spec, asked) {
      const at = soleAddressOf(kind, spec);
      if (at === undefined) return undefined;
      for (const [id, entry] of entries)
        if (id !== asked.id && entry.holder !== asked.holder && entry.keys.some((key) => at.keys.includes(key)))
          return { id, address: at.address, harm: at.harm };
      return undefined;
    },
  };
}

async function readSpecs(db: Db, { cluster, kind }: { cluster: string; kind: Kind }) {
  return await db
    .selectFrom('resource')
    .leftJoin('held_name', (join) =>
      join
        .onRef('held_name.cluster', '=', 'resource.cluster')
        .onRef('held_name.name', '=', 'resource.id')
        .onRef('held_name.kind', '=', 'resource.kind'),
    )
    .select(['resource.id', 'resource.owner', 'resource.spec', 'held_name.holder'])
    .where('resource.cluster', '=', cluster)
    .where('resource.kind', '=', kind)
    .execute();
}
