/** What machines that join with a token may offer, and to whom the names and hosts of applications belong. */
import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

/** As this step knows the tables, whatever they have become since. */
interface Then {
  join_token: Joined;
  agent: Joined;
  announcement: { digest: string };
  resource: { cluster: string; kind: string; id: string; owner: string; third_key: string };
  held_name: { cluster: string; kind: string; name: string; app: string; holder: string; since: number };
}
interface Joined {
  id: string;
  roles: string;
  labels: string;
  offers: string;
  token_group: string;
}

const RESOURCE_ID_LABEL = 'teleport.internal/resource-id';

export const names: Migration = {
  number: 26,
  name: 'names',
  async up(untyped, engine) {
    const { text, json, integer } = columnTypes(engine);
    for (const table of ['join_token', 'agent']) {
      await untyped.schema
        .alterTable(table)
        .addColumn('offers', json, (column) => column.notNull().defaultTo('{}'))
        .execute();
      await untyped.schema
        .alterTable(table)
        .addColumn('token_group', text, (column) => column.notNull().defaultTo(''))
        .execute();
    }
    await untyped.schema
      .createTable('held_name')
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('app', text, (column) => column.notNull())
      .addColumn('holder', text, (column) => column.notNull())
      .addColumn('since', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('held_name_key', ['cluster', 'kind', 'name'])
      .execute();
    await untyped.schema.createIndex('held_name_holder').on('held_name').columns(['cluster', 'holder']).execute();
    await untyped.schema.createIndex('held_name_app').on('held_name').columns(['cluster', 'app']).execute();

    const db = untyped as Kysely<Then>;
    const groups = await giveGroups(db, 'agent');
    await giveGroups(db, 'join_token');
    await holdNames(db, groups);
    // What was taken under the old rules is looked at again with the next report.
    await db.updateTable('announcement').set({ digest: '' }).execute();
  },
};

/** Labels name the token; what could offer every application before still can, and loses only what is another's. */
async function giveGroups(db: Kysely<Then>, table: 'join_token' | 'agent'): Promise<Map<string, string>> {
  const groups = new Map<string, string>();
  for (const { id, roles, labels } of await db.selectFrom(table).select(['id', 'roles', 'labels']).execute()) {
    const label: unknown = (JSON.parse(labels) as Record<string, unknown>)[RESOURCE_ID_LABEL];
    const group = typeof label === 'string' && label !== '' ? label : id;
    groups.set(id, group);
    const offers = (JSON.parse(roles) as unknown[]).includes('App') ? { apps: ['*'] } : {};
    await db
      .updateTable(table)
      .set({ token_group: group, offers: JSON.stringify(offers) })
      .where('id', '=', id)
      .execute();
  }
  return groups;
}

async function holdNames(db: Kysely<Then>, groups: ReadonlyMap<string, string>): Promise<void> {
  const apps = await db
    .selectFrom('resource')
    .select(['cluster', 'id', 'owner', 'third_key'])
    .where('kind', '=', 'app')
    .orderBy('id')
    .execute();
  const entered = new Set(apps.filter(({ owner }) => owner === '').map(({ third_key }) => third_key));
  for (const { cluster, id, owner, third_key: host } of apps) {
    const holder = groups.get(owner);
    if (owner === '' || holder === undefined) continue;
    const held = { cluster, app: id, holder, since: 0 };
    const names = [{ ...held, kind: 'app', name: id }];
    if (host !== '' && !entered.has(host)) names.push({ ...held, kind: 'host', name: host });
    await db
      .insertInto('held_name')
      .values(names)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
