/** Which applications are dialled at which address: identity tokens name it, so two owners must not share one. */
import { dialAddress, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { readJson } from '../platform/storage/json.ts';
import type { Db } from '../platform/storage/tables.ts';

export interface AddressBook {
  /** The application of somebody else that is at the address; undefined where there is none. */
  other(uri: string, asked: { app: string; holder: string }): string | undefined;
  add(uri: string, entry: { app: string; holder: string }): void;
  remove(app: string): void;
}

/** Applications that were entered by hand belong to administrators, whose holder is empty. */
export async function readAddresses(db: Db, cluster: string): Promise<AddressBook> {
  const rows = await db
    .selectFrom('resource')
    .leftJoin('held_name', (join) =>
      join
        .onRef('held_name.cluster', '=', 'resource.cluster')
        .onRef('held_name.name', '=', 'resource.id')
        .on('held_name.kind', '=', 'app'),
    )
    .select(['resource.id', 'resource.owner', 'resource.spec', 'held_name.holder'])
    .where('resource.cluster', '=', cluster)
    .where('resource.kind', '=', 'app')
    .execute();
  const entries = new Map<string, { address: string; holder: string }>();
  const add: AddressBook['add'] = (uri, { app, holder }) => {
    const address = placeOf(uri);
    if (address === undefined) entries.delete(app);
    else entries.set(app, { address, holder });
  };
  for (const { id, owner, spec, holder } of rows) {
    add(uriIn(spec), { app: id, holder: owner === '' ? '' : (holder ?? owner) });
  }
  return {
    add,
    remove: (app) => void entries.delete(app),
    other(uri, asked) {
      const address = placeOf(uri);
      if (address === undefined) return undefined;
      for (const [app, entry] of entries)
        if (entry.address === address && app !== asked.app && entry.holder !== asked.holder) return app;
      return undefined;
    },
  };
}

/** Loopback is another machine for every agent, and a console of a cloud is everybody's. */
function placeOf(uri: string): string | undefined {
  const address = parseAppUri(uri);
  if (!address || address.scheme === 'cloud') return undefined;
  const { host } = address;
  if (host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '::1')
    return undefined;
  return `${address.scheme}://${dialAddress(address)}`;
}

function uriIn(spec: string): string {
  const read = readJson(spec);
  const uri: unknown = typeof read === 'object' && read !== null && 'uri' in read ? read.uri : undefined;
  return typeof uri === 'string' ? uri : '';
}
