/** What lists say of servers beside what was entered: whether they answer and who used them last, each by the rights of who asks. */
import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import { type Node, type NodeSummary, nodeStatus } from '@gatehouse/contract/kinds/node/nodes';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { type Visibility, visibleCondition } from '../../access/visibility.ts';
import { type Resource, toResource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { readJson } from '../../platform/storage/json.ts';
import { sqlIn, sqlInNumbers } from '../../platform/storage/sql-in.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { lastUsesOf } from '../../sessions/last-uses.ts';
import { loginsOn } from './node-logins.ts';

export interface FactDeps {
  db: Db;
  access: Pick<AccessControl, 'of' | 'decide' | 'visibleTo'>;
  clusterName: string;
}

/** An agent that is away takes what it announces with it, so what is there is up. */
export function statusSql(): RawBuilder<z.output<typeof nodeStatus>> {
  return sql<z.output<typeof nodeStatus>>`case when resource.owner <> '' then 'online' else coalesce((
    select node_state.state from node_state
    where node_state.cluster = resource.cluster and node_state.id = resource.id), 'unknown') end`;
}

type Facts = Pick<NonNullable<Node['gatehouse']>, 'status' | 'checkedAt' | 'why' | 'lastUsed'>;

/** For the servers of one page. */
export async function factsOf(
  deps: FactDeps,
  actor: Actor,
  nodes: readonly Pick<Resource, 'id' | 'owner'>[],
): Promise<ReadonlyMap<string, Facts>> {
  const { db, clusterName: cluster } = deps;
  if (nodes.length === 0) return new Map();
  const ids = nodes.map(({ id }) => id);
  const [states, used] = await Promise.all([
    db
      .selectFrom('node_state')
      .select(['id', 'state', 'checked', 'why'])
      .where('cluster', '=', cluster)
      .where(sqlIn(db, 'node_state.id', ids))
      .execute(),
    lastUsesOf(deps, actor, 'node', ids),
  ]);
  const stateOf = new Map(states.map((row) => [row.id, row]));
  return new Map(
    nodes.map(({ id, owner }): [string, Facts] => {
      const state = stateOf.get(id);
      const use = used.get(id);
      const status = owner !== '' ? 'online' : nodeStatus.parse(state?.state ?? 'unknown');
      return [
        id,
        {
          status,
          ...(state && owner === '' ? { checkedAt: new Date(state.checked).toISOString(), why: state.why } : {}),
          ...(use ? { lastUsed: { at: use.at, user: use.user, login: usedAction.parse(use.action).login } } : {}),
        },
      ];
    }),
  );
}

const storedLabels = z.record(z.string(), z.string());
const usedAction = z.looseObject({ login: z.string().default('') });

/** Counted by what somebody sees: how many answer, and on how many they have a login. */
export async function summarize(deps: FactDeps, actor: Actor): Promise<NodeSummary> {
  const seen = await deps.access.visibleTo(actor, 'node');
  const summary: NodeSummary = { seen: 0, signIn: 0, online: 0, unreachable: 0, unknown: 0 };
  if (seen.type === 'none') return summary;
  const rows = await visible(deps, seen)
    .select(statusSql().as('status'))
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .groupBy('status')
    .execute();
  for (const { status, count } of rows) {
    summary[status] += Number(count);
    summary.seen += Number(count);
  }
  summary.signIn = await countSignIns(deps, actor, seen, summary.seen);
  return summary;
}

function visible({ db, clusterName }: FactDeps, seen: Visibility) {
  return db
    .selectFrom('resource')
    .where('resource.cluster', '=', clusterName)
    .where('resource.kind', '=', 'node')
    .where(visibleCondition(db, seen));
}

/** Roles tell servers apart by their set of labels alone; only agents that offer some logins are looked at one by one. */
async function countSignIns(deps: FactDeps, actor: Actor, seen: Visibility, all: number): Promise<number> {
  if (actor.isOwner) return all;
  const { db, access } = deps;
  const held = access.of(actor);
  const [sets, limited] = await Promise.all([
    visible(deps, seen)
      .select('resource.label_set')
      .select((builder) => builder.fn.countAll<number>().as('count'))
      .groupBy('resource.label_set')
      .execute(),
    visible(deps, seen)
      .selectAll('resource')
      .where('resource.owner', '<>', '')
      .where(sql<string>`cast(resource.spec as text)`, 'like', '%"logins":[%')
      .execute(),
  ]);
  const countOf = new Map(sets.map((row) => [row.label_set, Number(row.count)]));
  const labelled = await db
    .selectFrom('label_set')
    .select(['id', 'labels'])
    .where(sqlInNumbers(db, 'label_set.id', [...countOf.keys()]))
    .execute();
  let count = 0;
  for (const { id, labels } of labelled) {
    const parsed = storedLabels.parse(readJson(labels));
    if (principalsFor(held, 'node', parsed, 'logins').length > 0) count += countOf.get(id) ?? 0;
  }
  for (const row of limited) {
    const resource = toResource(row, 'node');
    const isCounted = principalsFor(held, 'node', resource.labels, 'logins').length > 0;
    if (isCounted && loginsOn(actor, access, resource, nodeSpec.parse(resource.spec)).length === 0) count -= 1;
  }
  return count;
}
