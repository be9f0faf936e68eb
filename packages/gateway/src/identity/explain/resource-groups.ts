/** Reads the inventory in groups that nobody's roles can tell apart. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import type { Labels } from '../../access/bind-access.ts';
import { type Visibility, visibleCondition } from '../../access/visibility.ts';
import { readJson } from '../../platform/storage/json.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { ResourceGroup } from './match-groups.ts';

interface ResourceScope {
  cluster: string;
  kind: Kind;
}

interface OpenGroup extends ResourceGroup {
  resources: { id: string; name: string }[];
}

/** The store answers with a bounded number of rows. */
const PAGE = 20_000;
const storedLabels = z.record(z.string(), z.string());

/** `keys`: the label names that make a difference. Within a group, resources come by name. */
export async function readResourceGroups(
  db: Db,
  place: ResourceScope,
  keys: ReadonlySet<string>,
): Promise<ResourceGroup[]> {
  const known = await db.selectFrom('label_key').select('key').execute();
  const asked = new Set(known.map(({ key }) => key));
  // A draft may ask about labels that no role has asked about yet, and by which nothing is grouped so far.
  return [...keys].every((key) => asked.has(key))
    ? await groupByLabelSet(db, place)
    : await groupByLabels(db, place, [...keys].sort());
}

async function groupByLabelSet(db: Db, place: ResourceScope): Promise<ResourceGroup[]> {
  const resources = new Map<number, OpenGroup['resources']>();
  for await (const rows of pagesOf(db, place, {})) {
    for (const { id, name, label_set } of rows) {
      const group = resources.get(label_set);
      if (group) group.push({ id, name });
      else resources.set(label_set, [{ id, name }]);
    }
  }
  const groups: ResourceGroup[] = [];
  const sets = [...resources.keys()];
  for (let start = 0; start < sets.length; start += PAGE) {
    const ids = sets.slice(start, start + PAGE);
    const [first = 0, last = 0] = [Math.min(...ids), Math.max(...ids)];
    const rows = await db
      .selectFrom('label_set')
      .select(['id', 'labels'])
      .where('kind', '=', place.kind)
      .where('id', '>=', first)
      .where('id', '<=', last)
      .execute();
    const wanted = new Set(ids);
    for (const { id, labels } of rows) {
      if (wanted.has(id)) groups.push({ labels: storedLabels.parse(readJson(labels)), resources: resources.get(id)! });
    }
  }
  return groups;
}

async function groupByLabels(db: Db, place: ResourceScope, keys: readonly string[]): Promise<ResourceGroup[]> {
  const groups = new Map<string, OpenGroup>();
  for await (const rows of pagesOf(db, place, { labels: 'read' })) {
    for (const { id, name, labels = '{}' } of rows) {
      const asked = pick(storedLabels.parse(readJson(labels)), keys);
      const mark = JSON.stringify(asked);
      const group = groups.get(mark);
      if (group) group.resources.push({ id, name });
      else groups.set(mark, { labels: asked, resources: [{ id, name }] });
    }
  }
  return [...groups.values()];
}

/** The ids of what can be seen. */
export async function readVisibleIds(db: Db, place: ResourceScope, seen: Visibility): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  if (seen.type === 'none') return ids;
  for await (const rows of pagesOf(db, place, { seen })) for (const { id } of rows) ids.add(id);
  return ids;
}

async function* pagesOf(
  db: Db,
  { cluster, kind }: ResourceScope,
  { labels, seen = { type: 'all' } }: { labels?: 'read'; seen?: Visibility },
) {
  for (let after: { name: string; id: string } | undefined, more = true; more; ) {
    const from = after;
    const rows = await db
      .selectFrom('resource')
      .select(['id', 'name', 'label_set'])
      .$if(labels === 'read', (query) => query.select('labels'))
      .where('cluster', '=', cluster)
      .where('kind', '=', kind)
      .where(visibleCondition(db, seen))
      .$if(from !== undefined, (query) =>
        query.where(sql<SqlBool>`(resource.name, resource.id) > (${from?.name ?? ''}, ${from?.id ?? ''})`),
      )
      .orderBy('name')
      .orderBy('id')
      .limit(PAGE)
      .execute();
    yield rows;
    after = rows.at(-1);
    more = rows.length === PAGE;
  }
}

function pick(labels: Labels, keys: readonly string[]): Labels {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(labels, key) ? [[key, labels[key]!]] : [])));
}
