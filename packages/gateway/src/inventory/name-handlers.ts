/** Answers the calls of a kind that tell to whom its names belong, and that free them. */

import type { HeldNameRoutes, HeldName as ToldName } from '@gatehouse/contract/kinds/held-names';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { z } from 'zod';
import type { AccessControl } from '../access/create-access.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { Handlers } from '../platform/http/call.ts';
import { contextOf } from '../platform/http/context-of.ts';
import { AppError, notFound } from '../platform/std/app-error.ts';
import { readJson } from '../platform/storage/json.ts';
import type { Db } from '../platform/storage/tables.ts';
import { freeNames, type HeldName, type HeldOf, listHeld, type TellFreed } from './held-names.ts';
import { findResource, holdNames } from './resource-store.ts';

const storedLabels = z.record(z.string(), z.string());

export interface NameHandlerDeps {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
}

export function nameHandlers<const K extends Kind>(
  { db, access }: NameHandlerDeps,
  kind: K,
  tellFreed: TellFreed,
): Handlers<HeldNameRoutes<K>> {
  // The compiler reads no cluster out of a path whose kind is not known yet.
  const heldOf = ({ cluster }: { cluster: string | undefined }): HeldOf => ({ cluster: cluster as string, kind });
  const mayFree = (actor: Actor, name: string, labels: Record<string, string>) =>
    access.decide(actor, {
      type: 'verb',
      resource: factsOf(kind).rules[0],
      verb: 'delete',
      object: { kind, name, labels },
    }).allowed;

  return {
    async names(call) {
      const { actor } = call;
      const of = heldOf(call);
      const rows = await db
        .selectFrom('resource')
        .select(['id', 'labels'])
        .where('cluster', '=', of.cluster)
        .where('kind', '=', kind)
        .where('owner', '!=', '')
        .execute();
      const labels = new Map(rows.map((row) => [row.id, storedLabels.parse(readJson(row.labels))]));
      return (await listHeld(db, of))
        .filter(({ resource }) => mayFree(actor, resource, labels.get(resource) ?? {}))
        .map((held) => told(kind, held, labels.has(held.resource)));
    },

    async free(call) {
      const { actor, params, exchange } = call;
      const of = heldOf(call);
      // The compiler reads no names out of a path whose kind is not known yet.
      const { name } = params as { name: string };
      const freed = await db.transaction().execute(async (tx) => {
        await holdNames(tx);
        const rows = await freeNames(tx, of, name);
        const [first] = rows;
        if (!first) throw notFound('name', name);
        const { resource, holder: group } = first;
        const labels = (await findResource(tx, { ...of, id: resource }))?.labels ?? {};
        if (!mayFree(actor, resource, labels)) throw notFound('name', name);
        const names = rows.map((row) => row.name);
        if (await isOffered(tx, of, { resource, names }))
          throw new AppError(
            'conflict',
            `agents offer '${name}' now: stop them, or remove them first with: gatehouse agents rm`,
          );
        const hosts = rows.filter(({ what }) => what === 'host').map((row) => row.name);
        const context = contextOf(actor, exchange);
        await tellFreed(tx, { user: actor.username, name: resource, hosts, group }, context);
        return names;
      });
      return { freed };
    },
  };
}

function told<K extends Kind>(kind: K, held: HeldName, offered: boolean): ToldName<K> {
  const { what, name, resource, holder: group, since } = held;
  const names = {
    kind: what === 'host' ? what : kind,
    name,
    [kind]: resource,
    group,
    since: new Date(since).toISOString(),
    offered,
  };
  return names as unknown as ToldName<K>;
}

/** A name is in use while there is a way to what has it; a host only while that has it. */
async function isOffered(
  db: Db,
  { cluster, kind }: HeldOf,
  { resource, names }: { resource: string; names: readonly string[] },
): Promise<boolean> {
  const row = await db
    .selectFrom('resource')
    .select(['third_key', 'owner'])
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where('id', '=', resource)
    .executeTakeFirst();
  return row !== undefined && row.owner !== '' && (names.includes(resource) || names.includes(row.third_key));
}
