/** The databases somebody sees, as lists and single calls tell of them. */

import type { Database, DatabaseDetails } from '@gatehouse/contract/kinds/db/databases';
import { type DbProtocol, dbTitle } from '@gatehouse/contract/kinds/db/db-address';
import { dbAdminUser, dbAws, dbGcp, signInOf, typeOf } from '@gatehouse/contract/kinds/db/db-spec';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import { z } from 'zod';
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { type ListedPage, type ListKindDeps, listKind } from '../../inventory/list-kind.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { findAgent } from '../../reach/agents/registry/agent-store.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import { lastUsesOf } from '../../sessions/last-uses.ts';
import { type DbStates, learnedOfAll } from './db-states.ts';
import { type ListedDb, readDialers, toListedDb } from './listed-db.ts';

const NO_AWS = dbAws.parse({});
const NO_GCP = dbGcp.parse({});
const NO_ADMIN = dbAdminUser.parse({});

const usedAction = z.looseObject({ dbUser: z.string().default('') });

export interface DbListDeps extends ListKindDeps {
  access: AccessControl;
  agents: Pick<AgentConnections, 'isConnected'>;
}

export async function listDbs(deps: DbListDeps, actor: Actor, query: ListQuery): Promise<ListedPage<Database>> {
  const present = async (_: Actor, resources: readonly ListedDb['resource'][]) => {
    const dialers = await readDialers(deps.db, deps.clusterName, resources);
    const all = resources.map((resource) => toListedDb(resource, dialers));
    const ids = resources.map(({ id }) => id);
    const [learned, used] = await Promise.all([learnedOfAll(deps.db, all), lastUsesOf(deps, actor, 'db', ids)]);
    return all.map((each) => {
      const item = toDatabase(deps, actor, each);
      const use = used.get(each.resource.id);
      const lastUsed = use && { at: use.at, user: use.user, dbUser: usedAction.parse(use.action).dbUser };
      const facts = { ...learned.get(each.resource.id), ...(lastUsed ? { lastUsed } : {}) };
      return { ...item, ...(item.gatehouse ? { gatehouse: { ...item.gatehouse, ...facts } } : {}) };
    });
  };
  return await listKind(deps, { kind: 'db', present }, actor, query);
}

/** As the wire has it, with what whoever asks may use there. */
export function toDatabase({ access, agents }: DbListDeps, actor: Actor, db: ListedDb): Database {
  const { resource, spec, address, ways, wrong } = db;
  const type = typeOf(spec);
  const given = (field: 'db_users' | 'db_names', only: readonly string[]) =>
    actor.isOwner ? [] : narrowed(principalsFor(access.of(actor), 'db', resource.labels, field), only);
  return {
    name: resource.name,
    desc: spec.description,
    protocol: spec.protocol,
    type,
    labels: visibleLabels(resource.labels),
    hostname: address.hosts[0]?.host ?? '',
    database_users: given('db_users', spec.users),
    database_names: namesIn(spec.protocol, given('db_names', spec.names)),
    gatehouse: {
      title: dbTitle(type, spec.protocol),
      source: resource.owner === '' ? 'entered' : 'agent',
      uri: spec.uri,
      tls: spec.tls.mode,
      signIn: signInOf(spec),
      database: spec.database,
      readOnly: spec.readOnly,
      ...(wrong === '' ? {} : { wrong }),
      ways: ways.length,
      connected: ways.filter((way) => agents.isConnected(way)).length,
    },
  };
}

/** Roles and users have one list for all databases: of Redis, where there are only numbers, the names of others mean nothing. */
export function namesIn(protocol: DbProtocol, names: readonly string[]): string[] {
  return names.filter((name) => protocol !== 'redis' || name === '*' || /^\d+$/.test(name));
}

/** What a record names narrows what roles give: with `*` from them, it is all of it. */
export function narrowed(given: readonly string[], only: readonly string[]): string[] {
  if (only.length === 0) return [...given];
  return given.includes('*') ? [...only] : given.filter((name) => only.includes(name));
}

/** With all that can be edited, by whoever may. `stored`: users whose passwords are; undefined: they may not, and are not told how it is signed in to and reached. */
export async function toDbDetails(
  deps: DbListDeps & { states: Pick<DbStates, 'learnedOf'> },
  actor: Actor,
  db: ListedDb,
  stored: readonly string[] | undefined,
): Promise<DatabaseDetails> {
  const { through: named, mark: _, ...fields } = db.spec;
  const [through, ways] = stored ? [named, db.ways] : [[], []];
  const nameOf = async (id: string) => (await findAgent(deps.db, db.resource.cluster, id))?.name ?? id;
  const agents = ways.map(async (id) => ({ name: await nameOf(id), connected: deps.agents.isConnected(id) }));
  const learned = await deps.states.learnedOf(db);
  const labels = Object.fromEntries(visibleLabels(db.resource.labels).map(({ name, value }) => [name, value]));
  return {
    item: toDatabase(deps, actor, db),
    ...fields,
    ...(stored ? {} : { aws: NO_AWS, gcp: NO_GCP, adminUser: NO_ADMIN, limits: { ...fields.limits, initSql: [] } }),
    labels,
    through: await Promise.all(through.map(nameOf)),
    agents: await Promise.all(agents),
    stored: [...(stored ?? [])],
    ...(learned ? { learned } : {}),
  };
}
