/** Answers the calls that list, add, change and remove desktops, and that say what they are known by. */
import { desktopCreated, desktopDeleted, desktopUpdated } from '@gatehouse/contract/kinds/desktop/desktop-events';
import { type DesktopSpec, desktopSpec } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import type { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { connectionTried } from '@gatehouse/contract/kinds/node/server-events';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Subject } from '../../access/create-access.ts';
import { refuseLabelGift } from '../../access/label-gifts.ts';
import { enteredRecords } from '../../inventory/entered-records.ts';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
import { requireLiftOf } from '../../inventory/leaving-locks.ts';
import { putResources, type Resource } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import { withoutMissing } from '../../platform/std/without-missing.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { inTransaction } from '../../platform/storage/transaction.ts';
import { knownAgentId } from '../../reach/agents/registry/known-agent.ts';
import type { Reach } from '../../reach/reach.ts';
import type { DesktopCertificates } from './desktop-certificates.ts';
import { type DesktopListDeps, listDesktops, toDesktopDetails, toDesktops } from './desktop-list.ts';
import { desktopPasswordHandlers } from './desktop-password-handlers.ts';
import type { DesktopSecrets } from './desktop-secrets.ts';
import { listDesktopServices } from './desktop-services.ts';
import { desktopWays } from './desktop-ways.ts';
import { desktopTargetOf, findSeenDesktop, readDesktop, toListedDesktop } from './listed-desktop.ts';
import { lookAtDesktop } from './look-at-desktop.ts';
import { refusePasswordGift, refuseTakenDesktop } from './taken-desktops.ts';

export interface DesktopHandlerDeps extends DesktopListDeps {
  secrets: DesktopSecrets;
  certificates: Pick<DesktopCertificates, 'accept'>;
  /** Whether somebody is on it, in a session that they may know of. */
  isActive(actor: Actor, resource: Resource): Promise<boolean>;
  reach: Pick<Reach, 'dial'>;
  audit: Audit;
  now: () => number;
  /** Everybody there is, with what decides what they reach. */
  people: () => Promise<readonly Subject[]>;
}

export function desktopHandlers(deps: DesktopHandlerDeps): Handlers<typeof desktopRoutes> {
  const { db, access, audit, secrets, now } = deps;
  const on = (cluster: string) => ({ ...deps, clusterName: cluster });
  const records = enteredRecords({
    ...deps,
    ...{ kind: 'desktop', rule: 'windows_desktop', called: 'desktop', read: readDesktop },
  });
  const { findSeen, gaining } = records;
  const agentId = async (from: Db, cluster: string, actor: Actor, through: string, before = '') =>
    through === '' ? '' : await knownAgentId({ ...on(cluster), db: from }, actor, through, [before]);
  const told = async (actor: Actor, resource: Resource) =>
    (await toDesktops(on(resource.cluster), actor, [toListedDesktop(resource)]))[0]!;

  return {
    ...desktopPasswordHandlers({ ...deps, records }),

    list: ({ actor, cluster, query }) => listDesktops(on(cluster), actor, query),

    services: ({ actor, cluster, query }) => listDesktopServices(on(cluster), actor, query),

    async get({ actor, cluster, params: { name } }) {
      return (await toDesktops(on(cluster), actor, [await findSeen(actor, { cluster, name })]))[0]!;
    },

    async active({ actor, cluster, params: { name } }) {
      const found = await findSeenDesktop(on(cluster), actor, name).catch(missing);
      return { active: found !== undefined && (await deps.isActive(actor, found.resource)) };
    },

    async details({ actor, cluster, params: { name } }) {
      const found = await findSeen(actor, { cluster, name });
      return await toDesktopDetails(on(cluster), actor, found, records.may(actor, 'update', found.resource));
    },

    async add({ actor, cluster, body, exchange }) {
      const { name, labels, through, ...fields } = body;
      records.require(actor, 'create', { name, labels });
      refuseHiddenLabels(labels);
      const spec = readSpec({ ...fields, through: await agentId(db, cluster, actor, through) });
      const resource: Resource = {
        ...{ cluster, kind: 'desktop', id: name, name, labels, spec, owner: '', expires: undefined },
      };
      const people = await gaining(actor);
      refuseLabelGift(access, actor, { people, before: undefined, after: resource, ways: desktopWays });
      const wide = await secrets.byLabels(cluster);
      refusePasswordGift(access, actor, wide, undefined, toListedDesktop(resource));
      await inTransaction(db, async (tx) => {
        await refuseTakenDesktop(tx, { cluster, name });
        await putResources(tx, [resource], now());
        await audit.emit(tx, desktopCreated, facts(actor, resource, spec), contextOf(actor, exchange));
      });
      return await told(actor, resource);
    },

    async update({ actor, cluster, params: { name }, body, exchange }) {
      const { labels: given, through, ...fields } = body;
      const wide = await secrets.byLabels(cluster);
      const after = await records.update(actor, { cluster, name }, async (tx, before, people) => {
        const labels = given ?? before.resource.labels;
        if (given) refuseHiddenLabels(given);
        // Whoever changes its labels must be allowed to change what it becomes.
        records.require(actor, 'update', { name, labels });
        const way =
          through === undefined ? before.spec.through : await agentId(tx, cluster, actor, through, before.spec.through);
        const spec = readSpec({ ...before.spec, ...withoutMissing(fields), through: way });
        const changed: Resource = { ...before.resource, labels, spec };
        refuseLabelGift(access, actor, { people, before: before.resource, after: changed, ways: desktopWays });
        refusePasswordGift(access, actor, wide, before, toListedDesktop(changed));
        // What is at another address is another desktop to whoever reaches it. Passwords are void with it: they say what they are for.
        if (desktopTargetOf(before) !== desktopTargetOf(toListedDesktop(changed))) {
          await requireLiftOf(tx, { access, actor, now: now() }, before.resource);
          refuseLabelGift(access, actor, { people, before: undefined, after: changed, ways: desktopWays });
          await secrets.removeAll(tx, changed);
        }
        await putResources(tx, [changed], now());
        await audit.emit(tx, desktopUpdated, facts(actor, changed, spec), contextOf(actor, exchange));
        return changed;
      });
      return await told(actor, after);
    },

    async remove({ actor, cluster, params: { name }, exchange }) {
      await records.remove(actor, { cluster, name }, async (tx, removed) => {
        await secrets.removeAll(tx, removed);
        await audit.emit(tx, desktopDeleted, { user: actor.username, name }, contextOf(actor, exchange));
      });
      return OK;
    },

    async lookAt({ actor, cluster, body: { addr, protocol, through }, exchange }) {
      const spec = readSpec({ addr, protocol, through: await agentId(db, cluster, actor, through) });
      const desktop = toListedDesktop({ ...NOWHERE, cluster, name: addr, spec });
      const looking = lookAtDesktop(deps.reach, desktop, askedBy(actor, exchange.requestId), now());
      // Whoever may add desktops must not look at ports that nobody hears of.
      const told = (success: boolean, message: string) =>
        inTransaction(db, (tx) =>
          audit.emit(tx, connectionTried, tried(actor, addr, { success, message }), contextOf(actor, exchange)),
        );
      try {
        const { shown } = await looking;
        await told(true, `it shows the certificate ${shown.pin}`);
        return { shown };
      } catch (error) {
        await told(false, error instanceof AppError ? error.message : 'it could not be looked at');
        throw error;
      }
    },

    async readCertificate({ actor, cluster, params: { name }, exchange }) {
      const found = await findSeen(actor, { cluster, name });
      records.require(actor, 'update', found.resource);
      const { certificate } = found;
      const known = certificate && ('pin' in certificate ? { pin: certificate.pin } : certificate);
      const looked = await lookAtDesktop(deps.reach, found, askedBy(actor, exchange.requestId), now());
      return { ...looked, ...(known ? { known } : {}) };
    },

    async setCertificate({ actor, cluster, params: { name }, body: { pin }, exchange }) {
      const found = await findSeen(actor, { cluster, name });
      records.require(actor, 'update', found.resource);
      refusePasswordGift(access, actor, await secrets.byLabels(cluster), found, { ...found, certificate: { pin } });
      const by = { user: actor.username, ...contextOf(actor, exchange) };
      const isTaken = await inTransaction(db, (tx) => deps.certificates.accept(tx, found, pin, by));
      if (!isTaken) throw new AppError('conflict', `'${name}' was changed meanwhile: look at its certificate again`);
      return OK;
    },
  };
}

/** One that is not stored. */
const NOWHERE = { kind: 'desktop', id: '', labels: {}, owner: '', expires: undefined } as const;

function askedBy({ username }: Actor, requestId: string) {
  return { user: username, session: requestId };
}

function missing(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined;
  throw error;
}

function readSpec(given: unknown): DesktopSpec {
  return parseInput(desktopSpec, given, 'body');
}

/** It is not there yet. */
function tried({ username: user }: Actor, addr: string, outcome: { success: boolean; message: string }) {
  const [name, kind] = [addr, 'desktop'];
  return {
    ...{ user, name, server_id: '', server_addr: addr, kind, draft: true },
    ...{ resource_kind: kind, resource_name: addr, ...outcome },
  };
}

function facts(actor: Actor, { name }: Resource, { addr }: DesktopSpec) {
  return { user: actor.username, name, desktop_addr: addr };
}
