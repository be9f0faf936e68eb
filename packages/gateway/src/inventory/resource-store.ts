/** The inventory: what people can reach, as agents announce it or administrators enter it. */

import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { searchText } from '@gatehouse/contract/wire/filter';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Labels } from '../access/bind-access.ts';
import { readJson, writeJson } from '../platform/storage/json.ts';
import { holdLock } from '../platform/storage/named-lock.ts';
import type { Db, Tables, Tx } from '../platform/storage/tables.ts';
import { searchedTexts, sortKeys, specialSigns } from './kind-fields.ts';
import { openLabelSetter } from './label-set-store.ts';
import { publishResources } from './resource-changes.ts';

export interface Resource {
  cluster: string;
  kind: Kind;
  id: string;
  /** What it is sorted and shown by, and what conditions call its name. */
  name: string;
  labels: Labels;
  /** What its kind knows about it; checked by the kind's schema where it leaves. */
  spec: unknown;
  owner: string;
  expires: number | undefined;
}

export interface NewResource extends Resource {
  /** The group of the token its agent joined with, to which its names belong; the agent alone without it. */
  group?: string;
  /** What of it is secret, sealed for its place; not of its digest, which `spec.mark` is. */
  sealed?: string | undefined;
  /** Texts beside name, id, labels and what its kind is always found by. */
  searchWords?: readonly string[];
}

/** Statements have a limit of values; PostgreSQL's is 65,535. */
const CHUNK = 500;

const storedLabels = z.record(z.string(), z.string());

/** Until the transaction ends nobody else, on this gateway or another, takes a name or gives one up. */
export async function holdNames(tx: Tx): Promise<void> {
  await holdLock(tx, 'resource names', 'alone');
}

/** Writes resources, new or known by their id. */
export async function putResources(tx: Tx, resources: readonly NewResource[], now: number): Promise<void> {
  if (resources.length === 0) return;
  const setter = await openLabelSetter(tx);
  for (let start = 0; start < resources.length; start += CHUNK) {
    const chunk = resources.slice(start, start + CHUNK);
    const sets = await setter.setsFor(chunk);
    const rows = chunk.map((resource, at) => toRow(resource, sets[at]!, now));
    const written = await tx
      .insertInto('resource')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['cluster', 'kind', 'id']).doUpdateSet((builder) => ({
          name: builder.ref('excluded.name'),
          labels: builder.ref('excluded.labels'),
          label_set: builder.ref('excluded.label_set'),
          spec: builder.ref('excluded.spec'),
          sealed: builder.ref('excluded.sealed'),
          owner: builder.ref('excluded.owner'),
          expires: builder.ref('excluded.expires'),
          search: builder.ref('excluded.search'),
          second_key: builder.ref('excluded.second_key'),
          third_key: builder.ref('excluded.third_key'),
          updated: builder.ref('excluded.updated'),
        })),
      )
      .returning(['seq', 'cluster', 'kind', 'id'])
      .execute();
    const seqOf = new Map(written.map((row) => [keyOf(row), row.seq]));
    await putLabels(
      tx,
      chunk.map((resource) => ({ seq: seqOf.get(keyOf(resource))!, labels: resource.labels })),
    );
  }
  await publishResources(tx, resources);
}

async function putLabels(tx: Tx, resources: readonly { seq: number; labels: Labels }[]): Promise<void> {
  const seqs = resources.map(({ seq }) => seq);
  await tx.deleteFrom('resource_label').where('resource', 'in', seqs).execute();
  const rows = resources.flatMap(({ seq, labels }) =>
    Object.entries(labels).map(([key, value]) => ({ resource: seq, key, value })),
  );
  for (let start = 0; start < rows.length; start += CHUNK * 5) {
    await tx
      .insertInto('resource_label')
      .values(rows.slice(start, start + CHUNK * 5))
      .execute();
  }
}

export async function findResource(
  db: Db,
  place: Pick<Resource, 'cluster' | 'kind' | 'id'>,
): Promise<Resource | undefined> {
  const row = await findRow(db, place);
  return row && toResource(row, place.kind);
}

/** The same with what of it is secret, as it is stored. */
export async function findWithSealed(
  db: Db,
  place: Pick<Resource, 'cluster' | 'kind' | 'id'>,
): Promise<{ resource: Resource; sealed: string | undefined } | undefined> {
  const row = await findRow(db, place);
  return row && { resource: toResource(row, place.kind), sealed: row.sealed ?? undefined };
}

/** What of it is secret, as it is stored. */
export async function findSealed(
  db: Db,
  place: Pick<Resource, 'cluster' | 'kind' | 'id'>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('resource')
    .select('sealed')
    .where('cluster', '=', place.cluster)
    .where('kind', '=', place.kind)
    .where('id', '=', place.id)
    .executeTakeFirst();
  return row?.sealed ?? undefined;
}

async function findRow(
  db: Db,
  { cluster, kind, id }: Pick<Resource, 'cluster' | 'kind' | 'id'>,
): Promise<Selectable<Tables['resource']> | undefined> {
  return await db
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function removeResource(tx: Tx, place: Pick<Resource, 'cluster' | 'kind' | 'id'>): Promise<boolean> {
  const removed = await tx
    .deleteFrom('resource')
    .where('cluster', '=', place.cluster)
    .where('kind', '=', place.kind)
    .where('id', '=', place.id)
    .returning(['kind', 'id', 'owner'])
    .execute();
  await publishResources(tx, removed);
  return removed.length > 0;
}

/** What was to last until a time of its own. Lists do not look at the time, so this must run often. */
export async function removeExpired(tx: Tx, now: number): Promise<number> {
  const removed = await tx
    .deleteFrom('resource')
    .where('expires', '<=', now)
    .returning(['kind', 'id', 'owner'])
    .execute();
  await publishResources(tx, removed);
  return removed.length;
}

export function toResource(row: Selectable<Tables['resource']>, kind: Kind): Resource {
  return {
    cluster: row.cluster,
    kind,
    id: row.id,
    name: row.name,
    labels: storedLabels.parse(readJson(row.labels)),
    spec: readJson(row.spec),
    owner: row.owner,
    expires: row.expires ?? undefined,
  };
}

function toRow(resource: NewResource, labelSet: number, now: number) {
  return {
    cluster: resource.cluster,
    kind: resource.kind,
    id: resource.id,
    name: resource.name,
    labels: writeJson(resource.labels),
    label_set: labelSet,
    spec: writeJson(resource.spec),
    sealed: resource.sealed ?? null,
    owner: resource.owner,
    expires: resource.expires ?? null,
    search: searchColumn(resource),
    ...sortKeys(resource.kind, resource.spec),
    updated: now,
  };
}

/** One line per text: a search must not match across two of them. */
export function searchColumn({
  kind,
  id,
  name,
  labels,
  spec,
  searchWords = [],
}: Omit<NewResource, 'cluster' | 'owner' | 'expires'>): string {
  const texts = [name, id, ...searchedTexts(kind, spec), ...searchWords, ...Object.entries(labels).flat()];
  return [...new Set(texts.map(searchText)), specialSigns(kind, spec)].join('\n');
}

function keyOf({ cluster, kind, id }: { cluster: string; kind: string; id: string }): string {
  return JSON.stringify([cluster, kind, id]);
}
