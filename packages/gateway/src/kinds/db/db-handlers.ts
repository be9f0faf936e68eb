/** Answers the calls that list, add, change and remove databases, and that store what they are signed in to with. */
import { randomBytes } from 'node:crypto';
import type { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbCreated, dbDeleted, dbUpdated } from '@gatehouse/contract/kinds/db/db-events';
import { type DbSpec, dbSpec, signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import type { Label } from '@gatehouse/contract/std/labels';
import { resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Subject } from '../../access/create-access.ts';
import { refuseLabelGift } from '../../access/label-gifts.ts';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
import {
  findResource,
  holdNames,
  putResources,
  type Resource,
  removeResource,
} from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { knownAgentId } from '../../reach/agents/registry/known-agent.ts';
import { type DbListDeps, listDbs, toDatabase, toDbDetails } from './db-list.ts';
import type { DbSecrets } from './db-secrets.ts';
import { dbWays } from './db-ways.ts';
import { dbTargetOf, type ListedDb, readDb, toListedDb } from './listed-db.ts';

export interface DbHandlerDeps extends DbListDeps {
  secrets: DbSecrets;
  audit: Audit;
  now: () => number;
  /** Everybody there is, with what decides what they reach. */
  people: () => Promise<readonly Subject[]>;
}

type RecordCalls = Omit<Handlers<typeof databaseRoutes>, 'pass' | 'cancel'>;
type Verb = 'create' | 'update' | 'delete';

interface DbId {
  cluster: string;
  name: string;
}

export function dbHandlers(deps: DbHandlerDeps): RecordCalls {
  const { db, access, audit, secrets, now } = deps;
  const on = (cluster: string) => ({ ...deps, clusterName: cluster });
  const may = (verb: Verb, { name, labels }: Pick<Resource, 'name' | 'labels'>) =>
    ({ type: 'verb', resource: 'db', verb, object: { kind: 'db', name, labels } }) as const;
  const isSeen = (actor: Actor, { resource }: ListedDb) =>
    access.decide(actor, { type: 'see', kind: 'db', resource }).allowed;
  const mayEdit = (actor: Actor, { resource }: ListedDb) => access.decide(actor, may('update', resource)).allowed;

  async function findSeen(actor: Actor, id: DbId): Promise<ListedDb> {
    const found = await readDb(db, id);
    if (found && (isSeen(actor, found) || mayEdit(actor, found))) return found;
    throw notFound('database', id.name);
  }

  /** One that was entered, by whoever a rule lets change it. Asked again where it is changed: its labels decide who may. */
  async function findEntered(from: Db, actor: Actor, id: DbId, verb: Verb): Promise<ListedDb> {
    const found = await readDb(from, id);
    if (!found) throw notFound('database', id.name);
    const action = may(verb, found.resource);
    // Refused by name is only what they see; the rest is not there for them.
    if (!access.decide(actor, action).allowed && !isSeen(actor, found)) throw notFound('database', id.name);
    access.require(actor, action);
    if (found.resource.owner === '') return found;
    throw new AppError(
      'bad_request',
      `agents offer the database '${id.name}': change or remove it in the configuration of those agents`,
    );
  }

  /** Those who could gain by labels; for who may edit roles it does not matter who. */
  const gaining = async (actor: Actor) => (access.mayEditRoles(actor) ? [] : await deps.people());
  const agentIds = (
    from: Db,
    cluster: string,
    actor: Actor,
    through: readonly string[],
    before: readonly string[] = [],
  ) => Promise.all(through.map((idOrName) => knownAgentId({ ...on(cluster), db: from }, actor, idOrName, before)));

  async function changeSecret(actor: Actor, id: DbId, user: string, password: string | undefined, address: string) {
    await db.transaction().execute(async (tx) => {
      await holdNames(tx);
      const found = await findEntered(tx, actor, id, 'update');
      if (password !== undefined && signInOf(found.spec) !== 'password')
        throw new AppError('bad_request', `the database '${id.name}' is not signed in to by password`);
      if (password === undefined && !secrets.usersOf(id.name, found).includes(user))
        throw notFound('password of the database user', user);
      const sealed = secrets.change(id.name, found, user, password);
      const spec = { ...found.spec, mark: newMark() };
      await putResources(tx, [{ ...found.resource, spec, sealed }], now());
      await audit.emit(tx, dbUpdated, told(actor, found.resource, spec), { signInId: actor.signInId, address });
    });
  }

  return {
    list: ({ actor, cluster, query }) => listDbs(on(cluster), actor, query),

    async get({ actor, cluster, params: { name } }) {
      return toDatabase(on(cluster), actor, await findSeen(actor, { cluster, name }));
    },

    async details({ actor, cluster, params: { name } }) {
      const found = await findSeen(actor, { cluster, name });
      return await toDbDetails(on(cluster), actor, found, mayEdit(actor, found) ? secrets.usersOf(name, found) : []);
    },

    async add({ actor, cluster, body, exchange }) {
      const { name, labels: given = [], awsRds, through = [], ...fields } = body;
      const labels = labelsOf(given);
      access.require(actor, may('create', { name, labels }));
      const aws = awsRds ? { ...fields.aws, account: awsRds.accountId, resourceId: awsRds.resourceId } : fields.aws;
      const spec = readSpec({ ...fields, aws, through: await agentIds(db, cluster, actor, through) });
      const resource: Resource = { cluster, kind: 'db', id: name, name, labels, spec, owner: '', expires: undefined };
      const people = await gaining(actor);
      refuseLabelGift(access, actor, { people, before: undefined, after: resource, ways: dbWays });
      await db.transaction().execute(async (tx) => {
        await holdNames(tx);
        if (await findResource(tx, resource))
          throw new AppError(
            'conflict',
            `there is a database '${name}' already: choose another name, or change that one`,
          );
        await putResources(tx, [{ ...resource, sealed: undefined }], now());
        await audit.emit(tx, dbCreated, told(actor, resource, spec), context(actor, exchange.address));
      });
      return toDatabase(on(cluster), actor, toListedDb(resource));
    },

    async update({ actor, cluster, params: { name }, body, exchange }) {
      const { name: _same, labels: given, awsRds, caCert, through, ...fields } = body;
      const id = { cluster, name };
      await findEntered(db, actor, id, 'update');
      const people = await gaining(actor);
      const after = await db.transaction().execute(async (tx) => {
        await holdNames(tx);
        const before = await findEntered(tx, actor, id, 'update');
        const labels = given === undefined ? before.resource.labels : labelsOf(given);
        // Whoever changes its labels must be allowed to change what it becomes.
        access.require(actor, may('update', { name, labels }));
        const ways = through && (await agentIds(tx, cluster, actor, through, before.spec.through));
        const spec = readSpec({
          ...before.spec,
          ...withoutMissing(fields),
          ...(ways ? { through: ways } : {}),
          ...(caCert === undefined ? {} : { tls: { ...before.spec.tls, ...fields.tls, ca: caCert } }),
          ...(awsRds ? { aws: { ...before.spec.aws, account: awsRds.accountId, resourceId: awsRds.resourceId } } : {}),
        });
        const changed: Resource = { ...before.resource, labels, spec };
        refuseLabelGift(access, actor, { people, before: before.resource, after: changed, ways: dbWays });
        // What is at another address is another database to whoever reaches it.
        if (dbTargetOf(spec) !== dbTargetOf(before.spec))
          refuseLabelGift(access, actor, { people, before: undefined, after: changed, ways: dbWays });
        await putResources(tx, [{ ...changed, sealed: secrets.keep(name, before, spec) }], now());
        await audit.emit(tx, dbUpdated, told(actor, changed, spec), context(actor, exchange.address));
        return changed;
      });
      return toDatabase(on(cluster), actor, toListedDb(after));
    },

    async remove({ actor, cluster, params: { name }, exchange }) {
      const id = { cluster, name };
      await findEntered(db, actor, id, 'delete');
      await db.transaction().execute(async (tx) => {
        await holdNames(tx);
        const { resource } = await findEntered(tx, actor, id, 'delete');
        if (!(await removeResource(tx, resource))) throw notFound('database', name);
        await audit.emit(tx, dbDeleted, { user: actor.username, name }, context(actor, exchange.address));
      });
      return OK;
    },

    async setSecret({ actor, cluster, params: { name, dbUser }, body: { password }, exchange }) {
      await changeSecret(actor, { cluster, name }, dbUser, password, exchange.address);
      return OK;
    },

    async removeSecret({ actor, cluster, params: { name, dbUser }, exchange }) {
      await changeSecret(actor, { cluster, name }, dbUser, undefined, exchange.address);
      return OK;
    },
  };
}

/** Says that passwords are others than before, and nothing else: sessions that were opened with those end. */
function newMark(): string {
  return randomBytes(9).toString('base64url');
}

function readSpec(given: unknown): DbSpec {
  return parseInput(dbSpec, given, 'body');
}

function withoutMissing<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}

function labelsOf(labels: readonly Label[]): Record<string, string> {
  const twice = labels.find(({ name }, at) => labels.findIndex((each) => each.name === name) !== at);
  if (twice) throw new AppError('bad_request', `the label '${twice.name}' stands there twice`);
  const named = parseInput(
    resourceLabels,
    Object.fromEntries(labels.map(({ name, value }) => [name, value])),
    'labels',
  );
  refuseHiddenLabels(named);
  return named;
}

function told(actor: Actor, { name, labels }: Resource, spec: DbSpec) {
  return {
    user: actor.username,
    name,
    db_service: name,
    db_protocol: spec.protocol,
    db_uri: spec.uri,
    db_labels: { ...labels },
  };
}

function context({ signInId }: Actor, address: string) {
  return { signInId, address };
}
