/** Resources that several agents may offer: one row in the inventory, and one way to it for each agent that says the same about it. */
import { createHash } from 'node:crypto';
import { isHiddenLabel } from '@gatehouse/contract/labels';
import { canonicalJson } from '../audit/canonical-json.ts';
import type { Db, Tx } from '../storage/tables.ts';
import { takeNames } from './held-names.ts';
import { isShared, sharedKinds, sortKeys } from './kind-fields.ts';
import { isOneOf } from './one-of.ts';
import { publishResources } from './resource-changes.ts';
import { type NewResource, putResources, type Resource } from './resource-store.ts';
import { type AddressBook, readAddresses } from './same-address.ts';

export interface SharedRefusal {
  owner: string;
  kind: string;
  name: string;
  reason: string;
}

type Place = Pick<Resource, 'cluster' | 'kind' | 'id'>;

/** Ids of the agents that reach it. */
export async function waysTo(db: Db, { cluster, kind, id }: Place): Promise<string[]> {
  const rows = await db
    .selectFrom('resource_way')
    .select('owner')
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where('resource', '=', id)
    .orderBy('owner')
    .execute();
  return rows.map(({ owner }) => owner);
}

/** Brings the ways of agents to what each of them offers now. Gives back what is another's. */
export async function takeShared(
  tx: Tx,
  reports: ReadonlyMap<string, readonly NewResource[]>,
  now: number,
): Promise<SharedRefusal[]> {
  const refused: SharedRefusal[] = [];
  const kept = new Set<string>();
  const books = new Map<string, AddressBook>();
  const bookOf = async (cluster: string) => {
    const book = books.get(cluster) ?? (await readAddresses(tx, cluster));
    books.set(cluster, book);
    return book;
  };
  const before = await tx
    .selectFrom('resource_way')
    .selectAll()
    .where(isOneOf(tx, 'resource_way.owner', [...reports.keys()]))
    .execute();
  for (const [owner, resources] of reports) {
    for (const resource of resources) {
      if (!isShared(resource.kind)) continue;
      const { kind, name } = resource;
      const reason = kept.has(keyOf(owner, resource))
        ? 'it is offered twice'
        : await takeOne(tx, { ...resource, owner, expires: undefined }, { now, book: await bookOf(resource.cluster) });
      if (reason === undefined) kept.add(keyOf(owner, resource));
      else refused.push({ owner, kind, name, reason });
    }
  }
  const gone = before.filter((way) => !kept.has(keyOf(way.owner, { ...way, id: way.resource })));
  for (const way of gone) await removeWay(tx, way);
  return refused;
}

/** Gives back why it is not taken: its name, host or address is another's, connected or not. */
async function takeOne(
  tx: Tx,
  resource: NewResource,
  { now, book }: { now: number; book: AddressBook },
): Promise<string | undefined> {
  const { cluster, kind, id, owner, group: holder = owner } = resource;
  const host = sortKeys(kind, resource.spec).third_key;
  const digest = digestOf(resource);
  const row = await tx
    .selectFrom('resource')
    .select('owner')
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row?.owner === '') return `the name '${resource.name}' belongs to one that was entered by hand`;
  const atHost = host === '' ? undefined : await withHost(tx, resource, host);
  if (atHost !== undefined) return `the host '${host}' belongs to the application '${atHost}': choose another`;
  const uri = uriOf(resource.spec);
  const atAddress = book.other(uri, { app: id, holder });
  if (atAddress !== undefined)
    return `the address '${uri}' is that of the application '${atAddress}', which is another's: identity tokens for the one would be good for the other`;
  const others = await tx
    .selectFrom('resource_way')
    .select(['owner', 'digest'])
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where('resource', '=', id)
    .where('owner', '!=', owner)
    .execute();
  if (others.some((way) => way.digest !== digest))
    return `another agent offers something else under the name '${resource.name}': give it another name, or say the same about it everywhere`;
  const taken = await takeNames(tx, { cluster, app: id, host, holder, now });
  if (taken !== undefined) return taken;
  book.add(uri, { app: id, holder });
  if (others.length === 0) await putResources(tx, [resource], now);
  await tx
    .insertInto('resource_way')
    .values({ cluster, kind, resource: id, owner, digest })
    .onConflict((conflict) => conflict.columns(['cluster', 'kind', 'resource', 'owner']).doUpdateSet({ digest }))
    .execute();
  // One way more changes nothing that is listed, but whoever dials wants to know.
  if (others.length > 0) await publishResources(tx, [{ kind, id, owner }]);
  return undefined;
}

/** The application that has the host now, entered or offered. */
async function withHost(tx: Tx, { cluster, kind, id }: Place, host: string): Promise<string | undefined> {
  const found = await tx
    .selectFrom('resource')
    .select('name')
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where('third_key', '=', host)
    .where('id', '!=', id)
    .executeTakeFirst();
  return found?.name;
}

function uriOf(spec: unknown): string {
  return typeof spec === 'object' && spec !== null && 'uri' in spec && typeof spec.uri === 'string' ? spec.uri : '';
}

interface WayRow {
  cluster: string;
  kind: string;
  resource: string;
  owner: string;
}

/** The resource goes with the last way to it. */
async function removeWay(tx: Tx, { cluster, kind, resource, owner }: WayRow): Promise<void> {
  await tx
    .deleteFrom('resource_way')
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where('resource', '=', resource)
    .where('owner', '=', owner)
    .execute();
  const [next] = await waysTo(tx, { cluster, kind: kind as Place['kind'], id: resource });
  const row = (query: 'update' | 'delete') =>
    query === 'update'
      ? tx
          .updateTable('resource')
          .set({ owner: next! })
          .where('cluster', '=', cluster)
          .where('kind', '=', kind)
          .where('id', '=', resource)
          .execute()
      : tx
          .deleteFrom('resource')
          .where('cluster', '=', cluster)
          .where('kind', '=', kind)
          .where('id', '=', resource)
          .where('owner', '!=', '')
          .execute();
  await row(next === undefined ? 'delete' : 'update');
  await publishResources(tx, [
    { kind, id: resource, owner },
    ...(next === undefined ? [] : [{ kind, id: resource, owner: next }]),
  ]);
}

/** Agents that are no more reach nothing. What others reach too is theirs from now on. */
export async function removeWaysOf(tx: Tx, owners: readonly string[]): Promise<void> {
  if (sharedKinds().length === 0) return;
  const ways = await tx
    .selectFrom('resource_way')
    .select(['cluster', 'kind', 'resource', 'owner'])
    .where(isOneOf(tx, 'resource_way.owner', owners))
    .execute();
  for (const way of ways) await removeWay(tx, way);
}

/** Labels the gateway hides differ by the token each agent came with; they do not make it another. */
function digestOf({ name, labels, spec }: NewResource): string {
  const shown = Object.entries(labels).filter(([label]) => !isHiddenLabel(label));
  return createHash('sha256')
    .update(canonicalJson([name, Object.fromEntries(shown), spec]))
    .digest('base64url');
}

function keyOf(owner: string, { cluster, kind, id }: { cluster: string; kind: string; id: string }): string {
  return JSON.stringify([owner, cluster, kind, id]);
}
