/** What a server that is entered may not be: named as another, or another under a second name. */
import { isIP } from 'node:net';
import { openSshNodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import { plainAddress, whyForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import { sql } from 'kysely';
import { isCalled, refuseAmbiguousName } from '../../inventory/host-names.ts';
import { holdNames } from '../../inventory/resource-store.ts';
import { parsePublicKey } from '../../platform/crypto/ssh/public-key.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { jsonField, readJson } from '../../platform/storage/json.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';

interface Entered {
  cluster: string;
  /** Its id, when it is known already. */
  id?: string;
  name: string;
  addr: string;
  /** The same address in the network of another agent is another machine. */
  through?: string | undefined;
  hostKeys: readonly string[];
}

/** Names are one server's alone, of whichever sort; until the transaction ends nobody else takes one. */
export async function refuseTakenName(tx: Tx, { cluster, name, id }: Pick<Entered, 'cluster' | 'name' | 'id'>) {
  await holdNames(tx);
  await refuseAmbiguousName(tx, { cluster, name, id });
  const named = (table: 'resource' | 'agent') =>
    tx
      .selectFrom(table)
      .select('id')
      .where('cluster', '=', cluster)
      .where(isCalled(`${table}.name`, name))
      // Its own name may differ in nothing else too.
      .$if(id !== undefined, (query) => query.where('id', '!=', id!));
  const [server, agent] = [
    await named('resource').where('kind', '=', 'node').executeTakeFirst(),
    await named('agent').executeTakeFirst(),
  ];
  if (server)
    throw new AppError(
      'conflict',
      `there is a server '${name}' already: choose another name, or remove it first with: gatehouse nodes rm ${name}`,
    );
  if (agent) throw new AppError('conflict', `the name '${name}' belongs to an agent: choose another name`);
}

/** As far as the address tells; where a name leads is looked at when it is dialled. */
export function refuseForbidden(addr: string): void {
  const host = addr.slice(0, addr.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
  const why = isIP(host) ? whyForbidden(host) : undefined;
  if (why !== undefined) throw new AppError('bad_request', `${host} ${why}: no server is there`);
}

/**
 * The same machine entered again with other labels would be open to others than its own labels say. A machine is told by its
 * address and by its host keys.
 */
export async function hasTwin(
  db: Db,
  entered: Omit<Entered, 'name'>,
  addressesOf: (addr: string) => Promise<readonly string[]>,
): Promise<boolean> {
  const { cluster, id, addr, through, hostKeys } = entered;
  const way = jsonField(db, 'spec', 'through');
  const blobs = hostKeys.map((line) => parsePublicKey(line).blob.toString('base64'));
  const rows = await db
    .selectFrom('resource')
    .select('id')
    .where('cluster', '=', cluster)
    .where('kind', '=', 'node')
    .where('owner', '=', '')
    .where((builder) =>
      builder.or([
        builder.and([
          builder('second_key', '=', addr),
          through === undefined ? builder(way, 'is', null) : builder(way, '=', through),
        ]),
        ...blobs.map((blob) => builder(sql<string>`cast(spec as text)`, 'like', `%${blob}%`)),
      ]),
    )
    .execute();
  if (rows.some((row) => row.id !== id)) return true;
  return through === undefined && (await isCertified(db, entered, addressesOf));
}

/** So many names are looked up for one that is entered; all are compared as they are written. */
const MAX_LOOKED_UP = 200;

/** Of a server that is known by the authority of its certificates no key is kept: it is told by where its name leads. */
async function isCertified(
  db: Db,
  { cluster, id, addr }: Omit<Entered, 'name'>,
  addressesOf: (addr: string) => Promise<readonly string[]>,
): Promise<boolean> {
  const rows = await db
    .selectFrom('resource')
    .select(['id', 'spec'])
    .where('cluster', '=', cluster)
    .where('kind', '=', 'node')
    .where('owner', '=', '')
    .where(jsonField(db, 'spec', 'through'), 'is', null)
    .where(sql<string>`cast(spec as text)`, 'like', '%"hostAuthorities"%ssh-%')
    .execute();
  const known = rows.flatMap((row) => {
    const spec = openSshNodeSpec.safeParse(readJson(row.spec));
    return row.id !== id && spec.success && spec.data.hostAuthorities.length > 0 ? [spec.data.addr] : [];
  });
  if (known.length === 0) return false;
  if (known.some((each) => hostIn(each) === hostIn(addr))) return true;
  const wanted = new Set((await addressesOf(addr)).map(plainAddress));
  const found = await Promise.all(known.slice(0, MAX_LOOKED_UP).map((each) => addressesOf(each)));
  return found.flat().some((address) => wanted.has(plainAddress(address)));
}

function hostIn(addr: string): string {
  return addr.slice(0, addr.lastIndexOf(':')).toLowerCase().replace(/\.$/, '');
}
