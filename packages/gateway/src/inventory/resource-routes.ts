/** Resources that several agents may offer: one row in the inventory, and one way to it for each agent that says the same about it. */
import { createHash } from 'node:crypto';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { isHiddenLabel } from '@gatehouse/contract/std/labels';
import { canonicalJson } from '../platform/std/canonical-json.ts';
import { sqlIn } from '../platform/storage/sql-in.ts';
import type { Db, Tx } from '../platform/storage/tables.ts';
import { readHeld } from './held-names.ts';
import { hasHosts, isShared, publicHost, sharedKinds } from './kind-fields.ts';
import { publishResources } from './resource-changes.ts';
import { type NewResource, putResources, type Resource } from './resource-store.ts';
import { readAddresses } from './same-address.ts';

export interface SharedRefusal {
  owner: string;
  kind: string;
  name: string;
  reason: string;
}

/** Statements have a limit of values. */
const CHUNK = 500;

type ResourceKey = Pick<Resource, 'cluster' | 'kind' | 'id'>;

/** Ids of the agents that reach each, by its id; all of one cluster and one kind. */
export async function routesTo(db: Db, resources: readonly ResourceKey[]): Promise<ReadonlyMap<string, string[]>> {
  const [first] = resources;
  if (!first) return new Map();
  const { cluster, kind } = first;
  const rows = await db
    .selectFrom('resource_way')
    .select(['resource', 'owner'])
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where(
      sqlIn(
        db,
        'resource_way.resource',
        resources.map(({ id }) => id),
      ),
    )
    .orderBy('owner')
    .execute();
  const byId = Map.groupBy(rows, ({ resource }) => resource);
  return new Map([...byId].map(([id, ways]) => [id, ways.map(({ owner }) => owner)]));
}

/**
 * Brings the ways of agents to what each of them offers now. Gives back what is another's. Reads at once and writes at once:
 * with statements for each application, one agent that offers a thousand would keep everybody else from writing for seconds.
 */
export async function applyShared(
  tx: Tx,
  reports: ReadonlyMap<string, readonly NewResource[]>,
  now: number,
): Promise<SharedRefusal[]> {
  const refused: SharedRefusal[] = [];
  const kept = new Set<string>();
  const before = await tx
    .selectFrom('resource_way')
    .selectAll()
    .where(sqlIn(tx, 'resource_way.owner', [...reports.keys()]))
    .execute();
  const offered = [...reports].flatMap(([owner, resources]) =>
    resources
      .filter(({ kind }) => isShared(kind))
      .map((resource): NewResource => ({ ...resource, owner, expires: undefined })),
  );
  for (const some of Map.groupBy(offered, ({ cluster, kind }) => JSON.stringify([cluster, kind])).values()) {
    const shelf = await readShelf(tx, some, now);
    for (const resource of some) {
      const { owner, kind, name } = resource;
      const reason = kept.has(keyOf(owner, resource)) ? 'it is offered twice' : shelf.take(resource);
      if (reason === undefined) kept.add(keyOf(owner, resource));
      else refused.push({ owner, kind, name, reason });
    }
    await shelf.write();
  }
  await removeWays(
    tx,
    before.filter((way) => !kept.has(keyOf(way.owner, { ...way, id: way.resource }))),
  );
  return refused;
}

/** What there is of one kind, with what is taken meanwhile. */
interface Shelf {
  /** Gives back why it is not taken: its name, host or address is another's, connected or not. */
  take(resource: NewResource): string | undefined;
  write(): Promise<void>;
}

async function readShelf(tx: Tx, offered: readonly NewResource[], now: number): Promise<Shelf> {
  const { cluster, kind } = offered[0]!;
  const ids = [...new Set(offered.map(({ id }) => id))];
  const { noun } = factsOf(kind);
  const hostOf = ({ spec }: NewResource) => publicHost(kind, spec);
  const present = new Map(
    (await readPresent(tx, { cluster, kind }, ids, [...new Set(offered.map(hostOf))])).map((row) => [row.id, row]),
  );
  /** By host: the ids that have it. */
  const atHost = new Map<string, Set<string>>();
  const moveTo = (id: string, host: string, from = '') => {
    atHost.get(from)?.delete(id);
    if (host !== '') atHost.set(host, (atHost.get(host) ?? new Set()).add(id));
  };
  if (hasHosts(kind)) for (const { id, third_key } of present.values()) moveTo(id, third_key);
  const ways = Map.groupBy(await waysAmong(tx, { cluster, kind }, ids), ({ resource }) => resource);
  const addresses = await readAddresses(tx, { cluster, kind });
  const names = await readHeld(tx, {
    cluster,
    kind,
    wanted: offered.map((one) => ({ id: one.id, host: hostOf(one), holder: one.group ?? one.owner })),
    now,
  });
  const put = new Map<string, NewResource>();
  const added: WayRow[] = [];
  const further: { kind: string; id: string; owner: string }[] = [];
  return {
    take(resource) {
      const { id, owner, group: holder = owner } = resource;
      const host = hostOf(resource);
      const digest = digestOf(resource);
      const row = present.get(id);
      if (row?.owner === '') return `the name '${resource.name}' belongs to one that was entered by hand`;
      // Before what it says is compared: whoever may not have the name could not put it right by saying the same.
      const anothers = names.anothers({ id, holder });
      if (anothers !== undefined) return anothers;
      const [other] = [...(atHost.get(host) ?? [])].filter((each) => each !== id);
      if (other !== undefined)
        return `the host '${host}' belongs to the ${noun} '${present.get(other)?.name ?? other}': choose another`;
      const atAddress = addresses.other(resource.spec, { id, holder });
      if (atAddress !== undefined)
        return `the address '${atAddress.address}' leads to the ${noun} '${atAddress.id}', which is another's: ${atAddress.harm}`;
      const others = (ways.get(id) ?? []).filter((way) => way.owner !== owner);
      if (others.some((way) => way.digest !== digest))
        return `another agent offers something else under the name '${resource.name}': give it another name, or say the same about it everywhere`;
      const taken = names.take({ id, host, holder });
      if (taken !== undefined) return taken;
      addresses.add(resource.spec, { id, holder });
      const way = { cluster, kind, resource: id, owner, digest };
      ways.set(id, [...others, way]);
      added.push(way);
      if (others.length > 0) {
        // One way more changes nothing that is listed, but whoever dials wants to know.
        further.push({ kind, id, owner });
        return undefined;
      }
      moveTo(id, host, row?.third_key);
      present.set(id, { id, name: resource.name, owner, third_key: host });
      put.set(id, resource);
      return undefined;
    },
    async write() {
      await names.write();
      await putResources(tx, [...put.values()], now);
      for (let start = 0; start < added.length; start += CHUNK) {
        await tx
          .insertInto('resource_way')
          .values(added.slice(start, start + CHUNK))
          .onConflict((conflict) =>
            conflict
              .columns(['cluster', 'kind', 'resource', 'owner'])
              .doUpdateSet((builder) => ({ digest: builder.ref('excluded.digest') })),
          )
          .execute();
      }
      await publishResources(tx, further);
    },
  };
}

/** Those that have an id or a host that is asked for, entered or offered. */
async function readPresent(tx: Tx, { cluster, kind }: Omit<ResourceKey, 'id'>, ids: string[], hosts: string[]) {
  return await tx
    .selectFrom('resource')
    .select(['id', 'name', 'owner', 'third_key'])
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where((builder) =>
      builder.or([
        sqlIn(tx, 'resource.id', ids),
        sqlIn(
          tx,
          'resource.third_key',
          hosts.filter((host) => host !== ''),
        ),
      ]),
    )
    .execute();
}

async function waysAmong(
  tx: Tx,
  { cluster, kind }: Omit<ResourceKey, 'id'>,
  ids: readonly string[],
): Promise<WayRow[]> {
  return await tx
    .selectFrom('resource_way')
    .select(['cluster', 'kind', 'resource', 'owner', 'digest'])
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where(sqlIn(tx, 'resource_way.resource', ids))
    .orderBy('owner')
    .execute();
}

interface WayRow {
  cluster: string;
  kind: string;
  resource: string;
  owner: string;
  digest: string;
}

/** Resources go with the last way to them. */
async function removeWays(
  tx: Tx,
  ways: readonly (Omit<WayRow, 'kind' | 'digest'> & { kind: string })[],
): Promise<void> {
  for (const some of Map.groupBy(ways, ({ cluster, kind }) => JSON.stringify([cluster, kind])).values()) {
    const { cluster } = some[0]!;
    const kind = some[0]!.kind as Kind;
    for (const [owner, mine] of Map.groupBy(some, ({ owner }) => owner)) {
      await tx
        .deleteFrom('resource_way')
        .where('cluster', '=', cluster)
        .where('kind', '=', kind)
        .where('owner', '=', owner)
        .where(
          sqlIn(
            tx,
            'resource_way.resource',
            mine.map(({ resource }) => resource),
          ),
        )
        .execute();
    }
    const ids = [...new Set(some.map(({ resource }) => resource))];
    const left = Map.groupBy(await waysAmong(tx, { cluster, kind }, ids), ({ resource }) => resource);
    const heirs = Map.groupBy(left.keys(), (id) => left.get(id)![0]!.owner);
    for (const [owner, inherited] of heirs) {
      await tx
        .updateTable('resource')
        .set({ owner })
        .where('cluster', '=', cluster)
        .where('kind', '=', kind)
        .where('owner', '!=', '')
        .where(sqlIn(tx, 'resource.id', inherited))
        .execute();
    }
    await tx
      .deleteFrom('resource')
      .where('cluster', '=', cluster)
      .where('kind', '=', kind)
      .where('owner', '!=', '')
      .where(
        sqlIn(
          tx,
          'resource.id',
          ids.filter((id) => !left.has(id)),
        ),
      )
      .execute();
    await publishResources(tx, [
      ...some.map(({ resource: id, owner }) => ({ kind, id, owner })),
      ...[...heirs].flatMap(([owner, inherited]) => inherited.map((id) => ({ kind, id, owner }))),
    ]);
  }
}

/** Agents that are no more reach nothing. What others reach too is theirs from now on. */
export async function removeRoutesOf(tx: Tx, owners: readonly string[]): Promise<void> {
  if (sharedKinds().length === 0) return;
  const ways = await tx
    .selectFrom('resource_way')
    .select(['cluster', 'kind', 'resource', 'owner'])
    .where(sqlIn(tx, 'resource_way.owner', owners))
    .execute();
  await removeWays(tx, ways);
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
