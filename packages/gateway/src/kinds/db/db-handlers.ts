/** Answers the calls that list, add, change and remove databases, and that store what they are signed in to with. */
import { randomBytes } from 'node:crypto';
import type { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbCreated, dbDeleted, dbUpdated } from '@gatehouse/contract/kinds/db/db-events';
import { type DbSpec, dbSpec, signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import { dbNameFreed } from '@gatehouse/contract/kinds/db/db-trust-events';
import type { Label } from '@gatehouse/contract/std/labels';
import { resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { OK } from '@gatehouse/contract/wire/ack';
import type { AccessControl, Subject } from '../../access/create-access.ts';
import { refuseLabelGift } from '../../access/label-gifts.ts';
import { enteredRecords, type RecordId } from '../../inventory/entered-records.ts';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
import { requireLiftOf } from '../../inventory/leaving-locks.ts';
import { nameHandlers } from '../../inventory/name-handlers.ts';
import { holdNames, putResources, type Resource } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import { withoutMissing } from '../../platform/std/without-missing.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { inTransaction } from '../../platform/storage/transaction.ts';
import { knownAgentIds } from '../../reach/agents/registry/known-agent.ts';
import type { Reach } from '../../reach/reach.ts';
import { checkDb } from './check-db.ts';
import { needsRoles, refuseCloud, refuseMaker } from './cloud-rules.ts';
import { type DbListDeps, listDbs, toDatabase, toDbDetails } from './db-list.ts';
import type { DbSecrets } from './db-secrets.ts';
import { listServices } from './db-services.ts';
import { type DbStates, forgetState } from './db-states.ts';
import { dbWays } from './db-ways.ts';
import { type DbProofs, dbTerms } from './dial-db.ts';
import { maskSecrets } from './engine/mask-secrets.ts';
import { iamPolicy } from './iam-policy.ts';
import { dbTargetOf, readDb, readDialers, toListedDb } from './listed-db.ts';
import { refuseMadeTry } from './made/admin-connection.ts';
import { refuseTakenDb } from './taken-dbs.ts';

export interface DbHandlerDeps extends DbListDeps, Omit<DbProofs, 'secrets'> {
  secrets: DbSecrets;
  states: Pick<DbStates, 'learnedOf'>;
  reach: Pick<Reach, 'way'>;
  audit: Audit;
  now: () => number;
  /** Everybody there is, with what decides what they reach. */
  people: () => Promise<readonly Subject[]>;
}

type RecordCalls = Omit<Handlers<typeof databaseRoutes>, 'pass' | 'cancel'>;
/** One that is not stored. */
const NOWHERE = { kind: 'db', id: '', name: '', labels: {}, owner: '', expires: undefined } as const;

export function dbHandlers(deps: DbHandlerDeps): RecordCalls {
  const { db, access, audit, secrets, now } = deps;
  const on = (cluster: string) => ({ ...deps, clusterName: cluster });
  const records = enteredRecords({ ...deps, kind: 'db', rule: 'db', called: 'database', read: readDb });
  const { findSeen, findEntered, gaining } = records;

  const listed = async (from: Db, resource: Resource) =>
    toListedDb(resource, await readDialers(from, resource.cluster, [resource]));

  const isKnown = (actor: Actor, cluster: string) => async (tx: Db, name: string) => {
    const found = await readDb(tx, { cluster, name });
    return found !== undefined && access.decide(actor, { type: 'see', kind: 'db', resource: found.resource }).allowed;
  };

  async function changeSecret(actor: Actor, id: RecordId, user: string, password: string | undefined, address: string) {
    await inTransaction(db, async (tx) => {
      await holdNames(tx);
      const found = await findEntered(tx, actor, id, 'update');
      if (password !== undefined && !['password', 'certificate'].includes(signInOf(found.spec)))
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
    ...nameHandlers(deps, 'db', (tx, freed, context) => audit.emit(tx, dbNameFreed, freed, context)),

    list: ({ actor, cluster, query }) => listDbs(on(cluster), actor, query),

    async services({ actor, cluster }) {
      return { items: await listServices(on(cluster), actor), startKey: '', totalCount: 0 };
    },

    async get({ actor, cluster, params: { name } }) {
      return toDatabase(on(cluster), actor, await findSeen(actor, { cluster, name }));
    },

    async iamPolicy({ actor, cluster, params: { name } }) {
      const { document, placeholders } = iamPolicy(await findSeen(actor, { cluster, name }));
      return {
        type: 'aws',
        aws: { policy_document: document, ...(placeholders.length > 0 ? { placeholders } : {}) },
      };
    },

    async details({ actor, cluster, params: { name } }) {
      const found = await findSeen(actor, { cluster, name });
      const mayUpdate = records.may(actor, 'update', found.resource);
      return await toDbDetails(on(cluster), actor, found, mayUpdate ? secrets.usersOf(name, found) : undefined);
    },

    async add({ actor, cluster, body, exchange }) {
      const { name, labels: given = [], awsRds, through = [], ...fields } = body;
      const labels = labelsOf(given);
      records.require(actor, 'create', { name, labels });
      const aws = awsRds ? { ...fields.aws, account: awsRds.accountId, resourceId: awsRds.resourceId } : fields.aws;
      const spec = readSpec({ ...fields, aws, through: await knownAgentIds(on(cluster), actor, through) });
      const resource: Resource = { cluster, kind: 'db', id: name, name, labels, spec, owner: '', expires: undefined };
      refuseWider(access, actor, undefined, spec);
      const people = await gaining(actor);
      refuseLabelGift(access, actor, { people, before: undefined, after: resource, ways: dbWays });
      await inTransaction(db, async (tx) => {
        await refuseTakenDb(tx, { ...resource, spec, isNew: true }, isKnown(actor, cluster));
        await putResources(tx, [{ ...resource, sealed: undefined }], now());
        await audit.emit(
          tx,
          dbCreated,
          { ...told(actor, resource, spec), ...toldFirst([], spec) },
          contextOf(actor, exchange),
        );
      });
      return toDatabase(on(cluster), actor, await listed(db, resource));
    },

    async update({ actor, cluster, params: { name }, body, exchange }) {
      const { name: _same, labels: given, awsRds, caCert, through, ...fields } = body;
      const after = await records.update(actor, { cluster, name }, async (tx, before, people) => {
        const labels = given === undefined ? before.resource.labels : labelsOf(given);
        // Whoever changes its labels must be allowed to change what it becomes.
        records.require(actor, 'update', { name, labels });
        const ways = through && (await knownAgentIds({ ...on(cluster), db: tx }, actor, through, before.spec.through));
        const spec = readSpec({
          ...before.spec,
          ...withoutMissing(fields),
          ...(ways ? { through: ways } : {}),
          ...(caCert === undefined ? {} : { tls: { ...before.spec.tls, ...fields.tls, ca: caCert } }),
          ...(awsRds ? { aws: { ...before.spec.aws, account: awsRds.accountId, resourceId: awsRds.resourceId } } : {}),
        });
        if (before.isPartial && !access.mayEditRoles(actor))
          throw needsRoles(`the record of '${name}' cannot be read (${before.wrong}), and may have held people back`);
        refuseWider(access, actor, before.spec, spec);
        const changed: Resource = { ...before.resource, labels, spec };
        refuseLabelGift(access, actor, { people, before: before.resource, after: changed, ways: dbWays });
        // What is at another address is another database to whoever reaches it.
        if (dbTargetOf(spec) !== dbTargetOf(before.spec)) {
          await requireLiftOf(tx, { access, actor, now: now() }, before.resource);
          refuseLabelGift(access, actor, { people, before: undefined, after: changed, ways: dbWays });
        }
        await refuseTakenDb(tx, { ...changed, spec, isNew: false }, isKnown(actor, cluster));
        await putResources(tx, [{ ...changed, sealed: secrets.keep(name, before, spec) }], now());
        const facts = { ...told(actor, changed, spec), ...toldFirst(before.spec.limits.initSql, spec) };
        await audit.emit(tx, dbUpdated, facts, contextOf(actor, exchange));
        return changed;
      });
      return toDatabase(on(cluster), actor, await listed(db, after));
    },

    async remove({ actor, cluster, params: { name }, exchange }) {
      await records.remove(actor, { cluster, name }, async (tx, removed) => {
        await forgetState(tx, removed);
        await audit.emit(tx, dbDeleted, { user: actor.username, name }, contextOf(actor, exchange));
      });
      return OK;
    },

    async check({ actor, cluster, body, exchange }) {
      const { through = [], dbUser = '', password, labels = [], ...fields } = body;
      const spec = readSpec({ ...fields, through: await knownAgentIds(on(cluster), actor, through) });
      // Without a name nobody signs in.
      if (dbUser !== '') refuseCloud(access, actor, undefined, spec);
      // Labels say which agents would be asked.
      const checked = await listed(db, { ...NOWHERE, cluster, spec, labels: labelsOf(labels) });
      // Whoever may give no such labels enters nothing that those agents dial, and tries nothing by them.
      if (checked.dialledBy === 'agents' && through.length === 0) records.require(actor, 'create', checked.resource);
      const dbName = spec.database;
      return {
        steps: await checkDb(deps.reach, {
          ...{ proofs: deps, db: checked, dbUser, dbName, who: { user: actor.username, session: exchange.requestId } },
          terms() {
            refuseMadeTry(access, actor, checked, { dbUser, dbName });
            if (password === undefined && signInOf(spec) === 'password')
              throw new AppError('bad_request', `no password of '${dbUser}' was given`);
            return dbTerms({ ...deps, secrets: { passwordOf: () => password } }, checked, { dbUser, dbName });
          },
        }),
      };
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

/** What is run as whoever signs in, and what holds everybody back there, is as much as a role: only who may edit those changes it. */
function refuseWider(
  access: Pick<AccessControl, 'mayEditRoles'>,
  actor: Actor,
  before: DbSpec | undefined,
  after: DbSpec,
): void {
  if (access.mayEditRoles(actor)) return;
  const isSame = JSON.stringify(before?.limits.initSql ?? []) === JSON.stringify(after.limits.initSql);
  if (!isSame) throw needsRoles("'limits.initSql' runs as everybody who signs in");
  refuseCloud(access, actor, before, after);
  refuseMaker(access, actor, before, after);
  if (!before) return;
  if (before.readOnly && !after.readOnly) throw needsRoles("'readOnly' holds everybody back");
  for (const field of ['users', 'names'] as const)
    if (isWider(before[field], after[field])) throw needsRoles(`'${field}' narrows what roles give`);
}

/** None: all that roles give. */
function isWider(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0) return false;
  return after.length === 0 || after.some((name) => !before.includes(name));
}

/** Says that passwords are others than before, and nothing else: sessions that were opened with those end. */
function newMark(): string {
  return randomBytes(9).toString('base64url');
}

function readSpec(given: unknown): DbSpec {
  return parseInput(dbSpec, given, 'body');
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

/** What is run as everybody who signs in. */
function toldFirst(before: readonly string[], { limits: { initSql }, protocol }: DbSpec): { init_sql?: string[] } {
  if (JSON.stringify(before) === JSON.stringify(initSql)) return {};
  const isMysql = protocol === 'mysql';
  return { init_sql: initSql.map((sql) => maskSecrets(sql, { backslashes: isMysql, isMysql }).text) };
}
