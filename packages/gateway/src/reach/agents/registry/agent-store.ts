/** Agents in the store: who has joined, with which key, and which connection of which gateway is theirs now. */

import { type DatabaseMatch, databaseMatch } from '@gatehouse/contract/kinds/db/db-match';
import { JOIN_ROLES, type JoinRole } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { type TokenOffers, tokenOffers } from '@gatehouse/contract/reach/join-tokens/token-offers';
import { type MatcherLabels, matcherLabels } from '@gatehouse/contract/std/matcher-labels';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { publish } from '../../../platform/change-feed/publish.ts';
import { readJson, writeJson } from '../../../platform/storage/json.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/tables.ts';

export interface Agent {
  id: string;
  cluster: string;
  name: string;
  /** Ed25519 public key, base64url. */
  key: string;
  roles: JoinRole[];
  /** Given by its token. */
  labels: Record<string, string>;
  offers: TokenOffers;
  group: string;
  /** Databases that its token lets it look after. */
  matcherLabels: MatcherLabels;
  /** Databases that it says it looks after. */
  databaseMatch: DatabaseMatch;
  version: string;
  created: number;
  createdBy: string;
  lastSeen: number | undefined;
  address: string;
  /** Empty while it has none. */
  connection: string;
}

export const AGENT_TOPIC = 'agent';

/** What a change of an agent says beside its id. Without any of it: it joined anew, perhaps with other roles. */
export const agentChange = z.object({ removed: z.literal(true).optional(), connection: z.string().optional() });
export type AgentChange = z.output<typeof agentChange>;

const storedRoles = z.array(z.enum(Object.keys(JOIN_ROLES) as [JoinRole, ...JoinRole[]]));
const storedLabels = z.record(z.string(), z.string());

export async function insertAgent(
  tx: Tx,
  agent: Omit<Agent, 'lastSeen' | 'address' | 'connection' | 'databaseMatch'> & { address: string },
): Promise<void> {
  const { createdBy, roles, labels, offers, group, matcherLabels, ...rest } = agent;
  const row = {
    ...rest,
    roles: writeJson(roles),
    labels: writeJson(labels),
    offers: writeJson(offers),
    token_group: group,
    matcher_labels: writeJson(matcherLabels),
    database_match: '[]',
    created_by: createdBy,
    last_seen: null,
    connection: '',
  };
  await tx.insertInto('agent').values(row).execute();
  await tell(tx, agent.id, {});
}

/** An agent that joins again with its old key is the same agent, under what the new token gives. */
export async function rejoinAgent(
  tx: Tx,
  id: string,
  given: Pick<Agent, 'name' | 'roles' | 'labels' | 'offers' | 'group' | 'matcherLabels' | 'version' | 'createdBy'>,
): Promise<void> {
  await tx
    .updateTable('agent')
    .set({
      name: given.name,
      roles: writeJson(given.roles),
      labels: writeJson(given.labels),
      offers: writeJson(given.offers),
      token_group: given.group,
      matcher_labels: writeJson(given.matcherLabels),
      version: given.version,
      created_by: given.createdBy,
    })
    .where('id', '=', id)
    .execute();
  await tell(tx, id, {});
}

export async function findAgentByKey(db: Db, cluster: string, key: string): Promise<Agent | undefined> {
  const row = await db
    .selectFrom('agent')
    .selectAll()
    .where('key', '=', key)
    .where('cluster', '=', cluster)
    .executeTakeFirst();
  return row && toAgent(row);
}

/** By id, or by name. */
export async function findAgent(db: Db, cluster: string, idOrName: string): Promise<Agent | undefined> {
  const rows = await db
    .selectFrom('agent')
    .selectAll()
    .where('cluster', '=', cluster)
    .where((builder) => builder.or([builder('id', '=', idOrName), builder('name', '=', idOrName)]))
    .execute();
  const row = rows.find(({ id }) => id === idOrName) ?? rows[0];
  return row && toAgent(row);
}

export async function listAgents(db: Db, cluster: string): Promise<Agent[]> {
  const rows = await db.selectFrom('agent').selectAll().where('cluster', '=', cluster).orderBy('name').execute();
  return rows.map(toAgent);
}

/** Those that look after databases by labels. */
export async function listMatching(db: Db, cluster: string): Promise<Agent[]> {
  const rows = await db
    .selectFrom('agent')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('database_match', '<>', '[]')
    .orderBy('name')
    .execute();
  return rows.map(toAgent);
}

/** What an agent says it looks after; written only where it is something else than before. */
export async function noteDatabaseMatch(db: Db, id: string, match: DatabaseMatch): Promise<void> {
  const text = writeJson(match);
  await db
    .updateTable('agent')
    .set({ database_match: text })
    .where('id', '=', id)
    .where('database_match', '<>', text)
    .execute();
}

export async function deleteAgent(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('agent').where('id', '=', id).execute();
  await tell(tx, id, { removed: true });
}

/** Makes a connection the agent's current one; every gateway that holds another hears of it. False when it was removed. */
export async function noteConnected(
  db: Db,
  id: string,
  { connection, address, version, now }: { connection: string; address: string; version: string; now: number },
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('agent')
      .set({ connection, address, version, last_seen: now })
      .where('id', '=', id)
      .executeTakeFirst();
    if (Number(numUpdatedRows) === 0) return false;
    await tell(tx, id, { connection });
    return true;
  });
}

/** False when the agent has another connection by now, or is no more. */
export async function noteDisconnected(db: Db, id: string, connection: string, now: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('agent')
      .set({ connection: '', last_seen: now })
      .where('id', '=', id)
      .where('connection', '=', connection)
      .executeTakeFirst();
    if (Number(numUpdatedRows) === 0) return false;
    await tell(tx, id, { connection: '' });
    return true;
  });
}

/** The connection that counts, or undefined when the agent was removed. */
export async function currentConnections(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('agent').select(['id', 'connection']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, connection }) => [id, connection]));
}

/** Connections are named after their gateway: everything a gateway holds is found by its own name. */
export async function noteSeen(db: Db, gateway: string, now: number): Promise<void> {
  await db.updateTable('agent').set({ last_seen: now }).where('connection', 'like', `${gateway}/%`).execute();
}

/** For a gateway that leaves, and without a name for one that is alone on its store and has just begun. */
export async function releaseConnections(db: Db, gateway: string | undefined): Promise<void> {
  await db
    .updateTable('agent')
    .set({ connection: '' })
    .where('connection', gateway === undefined ? '<>' : 'like', gateway === undefined ? '' : `${gateway}/%`)
    .execute();
}

async function tell(tx: Tx, id: string, data: AgentChange): Promise<void> {
  await publish(tx, { topic: AGENT_TOPIC, id, data });
}

function toAgent(row: Selectable<Tables['agent']>): Agent {
  return {
    id: row.id,
    cluster: row.cluster,
    name: row.name,
    key: row.key,
    roles: storedRoles.parse(readJson(row.roles)),
    labels: storedLabels.parse(readJson(row.labels)),
    offers: tokenOffers.parse(readJson(row.offers)),
    group: row.token_group,
    matcherLabels: matcherLabels.parse(readJson(row.matcher_labels)),
    databaseMatch: databaseMatch.parse(readJson(row.database_match)),
    version: row.version,
    created: row.created,
    createdBy: row.created_by,
    lastSeen: row.last_seen ?? undefined,
    address: row.address,
    connection: row.connection,
  };
}
