/** Answers the calls that list, add, change, check and remove applications. */

import { appCreated, appDeleted, appNameFreed, appUpdated } from '@gatehouse/contract/kinds/app/app-events';
import { type AppSpec, appSpec } from '@gatehouse/contract/kinds/app/app-spec';
import type { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Subject } from '../../access/create-access.ts';
import { refuseLabelGift } from '../../access/label-gifts.ts';
import { enteredRecords, type RecordId } from '../../inventory/entered-records.ts';
import { nameHandlers } from '../../inventory/name-handlers.ts';
import { findResource, findSealed, putResources, type Resource } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { inTransaction } from '../../platform/storage/transaction.ts';
import { knownAgentIds } from '../../reach/agents/registry/known-agent.ts';
import { type AppDirectory, type ListedApp, toListed } from './app-directory.ts';
import { type AppListDeps, listApps, toApp, toDetails, waysOf } from './app-list.ts';
import { refuseBadApp, refuseTaken } from './app-rules.ts';
import { type AppSecrets, targetOf } from './app-secrets.ts';
import { appWays } from './app-ways.ts';
import { type CheckDeps, checkApp } from './check-app.ts';
import { type LaunchHandlerDeps, launchHandlers } from './launch-handlers.ts';

export interface AppHandlerDeps extends AppListDeps, CheckDeps, LaunchHandlerDeps {
  directory: AppDirectory;
  secrets: AppSecrets;
  audit: Audit;
  now: () => number;
  /** Everybody there is, with what decides what they reach. */
  people: () => Promise<readonly Subject[]>;
  agents: AppListDeps['agents'] & CheckDeps['agents'];
}

export function appHandlers(deps: AppHandlerDeps): Handlers<typeof appRoutes> {
  const { db, access, audit, hosts, directory, secrets, now } = deps;
  const on = (cluster: string) => ({ ...deps, clusterName: cluster });
  const read = async (from: Db, { cluster, name }: RecordId): Promise<ListedApp | undefined> => {
    const resource = await findResource(from, { cluster, kind: 'app', id: name });
    return (
      resource &&
      toListed(
        resource,
        hosts,
        (await waysOf(from, [resource])).get(resource.id) ?? [],
        await findSealed(from, resource),
      )
    );
  };

  const records = enteredRecords({ ...deps, kind: 'app', rule: 'app_server', called: 'application', read });
  const { findSeen, gaining } = records;

  /** Whether another application may be named to the actor: they see it, or may change it or free its names. */
  const isKnown = (actor: Actor, cluster: string) => async (tx: Tx, name: string) => {
    const resource = await findResource(tx, { cluster, kind: 'app', id: name });
    const record = { name, labels: resource?.labels ?? {} };
    if (records.may(actor, 'update', record) || records.may(actor, 'delete', record)) return true;
    return resource !== undefined && access.decide(actor, { type: 'see', kind: 'app', resource }).allowed;
  };

  const told = (actor: Actor, { name, labels }: Resource, spec: AppSpec) => ({
    user: actor.username,
    name,
    app_name: name,
    app_uri: spec.uri,
    app_public_addr: spec.publicAddr,
    app_labels: { ...labels },
  });

  return {
    ...launchHandlers(deps),
    ...nameHandlers(deps, 'app', (tx, freed, context) => audit.emit(tx, appNameFreed, freed, context)),

    list({ actor, cluster, query }) {
      return listApps(on(cluster), actor, query);
    },

    async get({ actor, cluster, params: { name } }) {
      const app = await findSeen(actor, { cluster, name });
      return await toDetails(on(cluster), actor, app, { showsRules: records.may(actor, 'update', app.resource) });
    },

    async add({ actor, cluster, body, exchange }) {
      const { name, labels, ...fields } = body;
      records.require(actor, 'create', { name, labels });
      refuseBadApp(body, hosts);
      const given = appSpec.parse({ ...fields, through: await knownAgentIds(on(cluster), actor, body.through) });
      const { spec, sealed } = secrets.seal(name, given);
      const resource: Resource = {
        cluster,
        kind: 'app',
        id: name,
        name,
        labels,
        spec,
        owner: '',
        expires: undefined,
      };
      const people = await gaining(actor);
      refuseLabelGift(access, actor, { people, before: undefined, after: resource, ways: appWays });
      await inTransaction(db, async (tx) => {
        const wanted = { cluster, name, publicAddr: spec.publicAddr, uri: spec.uri, isNew: true };
        await refuseTaken(tx, wanted, isKnown(actor, cluster));
        await putResources(tx, [{ ...resource, sealed }], now());
        await audit.emit(tx, appCreated, told(actor, resource, spec), contextOf(actor, exchange));
      });
      await directory.refresh();
      return toApp(on(cluster), actor, toListed(resource, hosts, []));
    },

    async update({ actor, cluster, params: { name }, body, exchange }) {
      const { labels, ...fields } = body;
      const resource = await records.update(actor, { cluster, name }, async (tx, before, people) => {
        // Whoever changes its labels must be allowed to change what it becomes.
        records.require(actor, 'update', { name, labels });
        refuseBadApp({ ...body, name }, hosts);
        const through = await knownAgentIds({ ...on(cluster), db: tx }, actor, body.through, before.spec.through);
        const { spec, sealed } = secrets.seal(name, appSpec.parse({ ...fields, through }), before);
        const after: Resource = { ...before.resource, labels, spec };
        refuseLabelGift(access, actor, { people, before: before.resource, after, ways: appWays });
        // What is at another address is another application to whoever reaches it.
        if (targetOf(spec) !== targetOf(before.spec))
          refuseLabelGift(access, actor, { people, before: undefined, after, ways: appWays });
        const wanted = { cluster, name, publicAddr: spec.publicAddr, uri: spec.uri, isNew: false };
        await refuseTaken(tx, wanted, isKnown(actor, cluster));
        await putResources(tx, [{ ...after, sealed }], now());
        await audit.emit(tx, appUpdated, told(actor, after, spec), contextOf(actor, exchange));
        return after;
      });
      await directory.refresh();
      return toApp(on(cluster), actor, toListed(resource, hosts, []));
    },

    async remove({ actor, cluster, params: { name }, exchange }) {
      await records.remove(actor, { cluster, name }, (tx) =>
        audit.emit(tx, appDeleted, { user: actor.username, name }, contextOf(actor, exchange)),
      );
      await directory.refresh();
      return OK;
    },

    async check({ actor, cluster, body, exchange }) {
      const { through, ...app } = body;
      const ways = await knownAgentIds(on(cluster), actor, through);
      return {
        steps: await checkApp(on(cluster), { ...app, ways }, { user: actor.username, session: exchange.requestId }),
      };
    },
  };
}
