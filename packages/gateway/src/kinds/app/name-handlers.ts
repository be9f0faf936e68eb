/** Answers the calls that tell to whom names of applications belong, and that free them. */

import { appNameFreed } from '@gatehouse/contract/kinds/app/app-events';
import type { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { z } from 'zod';
import type { AccessControl } from '../../access/create-access.ts';
import { freeNames, type HeldName, listHeld } from '../../inventory/held-names.ts';
import { findResource, holdNames } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { readJson } from '../../platform/storage/json.ts';
import type { Db } from '../../platform/storage/tables.ts';

const storedLabels = z.record(z.string(), z.string());

export interface NameHandlerDeps {
  db: Db;
  access: Pick<AccessControl, 'require' | 'decide'>;
  audit: Audit;
  clusterName: string;
}

export function nameHandlers({
  db,
  access,
  audit,
  clusterName: cluster,
}: NameHandlerDeps): Pick<Handlers<typeof appRoutes>, 'names' | 'free'> {
  const labelled = async (from: Db, name: string) => {
    const resource = await findResource(from, { cluster, kind: 'app', id: name });
    return { kind: 'app', name, labels: resource?.labels ?? {} };
  };
  const mayFree = (actor: Actor, { app }: HeldName, labels: Record<string, string>) =>
    access.decide(actor, {
      type: 'verb',
      resource: 'app_server',
      verb: 'delete',
      object: { kind: 'app', name: app, labels },
    }).allowed;

  return {
    async names({ actor }) {
      const rows = await db
        .selectFrom('resource')
        .select(['id', 'labels'])
        .where('cluster', '=', cluster)
        .where('kind', '=', 'app')
        .where('owner', '!=', '')
        .execute();
      const labels = new Map(rows.map((row) => [row.id, storedLabels.parse(readJson(row.labels))]));
      return (await listHeld(db, cluster))
        .filter((held) => mayFree(actor, held, labels.get(held.app) ?? {}))
        .map(({ kind, name, app, holder, since }) => ({
          kind,
          name,
          app,
          group: holder,
          since: new Date(since).toISOString(),
          offered: labels.has(app),
        }));
    },

    async free({ actor, params: { name }, exchange }) {
      const freed = await db.transaction().execute(async (tx) => {
        await holdNames(tx);
        const rows = await freeNames(tx, cluster, name);
        const [first] = rows;
        if (!first) throw notFound('name', name);
        const { app, holder: group } = first;
        const freeing = { type: 'verb', resource: 'app_server', verb: 'delete' } as const;
        if (!access.decide(actor, { ...freeing, object: await labelled(tx, app) }).allowed)
          throw notFound('name', name);
        const names = rows.map((row) => row.name);
        if (await isOffered(tx, { cluster, app, hosts: names }))
          throw new AppError(
            'conflict',
            `agents offer '${name}' now: stop them, or remove them first with: gatehouse agents rm`,
          );
        const hosts = rows.filter(({ kind }) => kind === 'host').map((row) => row.name);
        const context = { signInId: actor.signInId, address: exchange.address };
        await audit.emit(tx, appNameFreed, { user: actor.username, name: app, hosts, group }, context);
        return names;
      });
      return { freed };
    },
  };
}

/** A name is in use while there is a way to its application; a host only while the application has it. */
async function isOffered(db: Db, { cluster, app, hosts }: { cluster: string; app: string; hosts: readonly string[] }) {
  const row = await db
    .selectFrom('resource')
    .select(['third_key', 'owner'])
    .where('cluster', '=', cluster)
    .where('kind', '=', 'app')
    .where('id', '=', app)
    .executeTakeFirst();
  return row !== undefined && row.owner !== '' && (hosts.includes(app) || hosts.includes(row.third_key));
}
