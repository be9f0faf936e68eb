/** Keeps each resource in the right combination of the labels that roles ask about, also when roles begin to ask about others. */
import { createHash } from 'node:crypto';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Labels } from '../access/bind-access.ts';
import { readJson, writeJson } from '../platform/storage/json.ts';
import { holdLock, isPostgres } from '../platform/storage/named-lock.ts';
import { sqlIn } from '../platform/storage/sql-in.ts';
import type { Db, Tx } from '../platform/storage/tables.ts';
import { publishAll } from './resource-changes.ts';

const CHUNK = 20_000;
/** Statements have a limit of values. */
const INSERTED = 5_000;
const stored = z.record(z.string(), z.string());

/** Gives the label set of resources within one transaction. */
export interface LabelSetter {
  /** In the order they are asked for. Together: a thousand resources that differ in every label are still a few statements. */
  setsFor(resources: readonly Labelled[]): Promise<number[]>;
}

interface Labelled {
  kind: Kind | string;
  labels: Labels;
}

/** While it is used, no role can begin to ask about another label. */
export async function openLabelSetter(tx: Tx): Promise<LabelSetter> {
  await holdLock(tx, 'label keys', 'shared');
  return setterWith(tx, await readLabelKeys(tx));
}

/** Called with every save of a role: resources that have a label nobody asked about before move to finer sets. */
export async function askAboutLabels(tx: Tx, keys: Iterable<string>): Promise<void> {
  const wanted = [...keys];
  if (wanted.length === 0) return;
  await holdLock(tx, 'label keys', 'alone');
  const known = await readLabelKeys(tx);
  const added = wanted.filter((key) => !known.has(key));
  if (added.length === 0) return;
  await tx
    .insertInto('label_key')
    .values(added.map((key) => ({ key })))
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  await regroup(tx, added, setterWith(tx, new Set([...known, ...added])));
}

async function readLabelKeys(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('label_key').select('key').execute();
  return new Set(rows.map(({ key }) => key));
}

function setterWith(tx: Tx, keys: ReadonlySet<string>): LabelSetter {
  const known = new Map<string, number>();
  return {
    async setsFor(resources) {
      const sets = resources.map(({ kind, labels }) => setOf(kind, labels, keys));
      const missing = new Map(sets.filter(({ place }) => !known.has(place)).map((set) => [set.place, set]));
      if (missing.size > 0) await findOrInsert(tx, [...missing.values()], known);
      return sets.map(({ place }) => known.get(place)!);
    },
  };
}

interface WantedSet {
  place: string;
  kind: string;
  hash: string;
  labels: string;
}

function setOf(kind: string, labels: Labels, keys: ReadonlySet<string>): WantedSet {
  const asked = Object.fromEntries(
    Object.entries(labels)
      .filter(([key]) => keys.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const text = writeJson(asked);
  const hash = createHash('sha256').update(text).digest('base64url');
  return { place: placeOf(kind, hash), kind, hash, labels: text };
}

function placeOf(kind: string, hash: string): string {
  return `${kind} ${hash}`;
}

/** Their ids go into `known`. */
async function findOrInsert(tx: Tx, wanted: readonly WantedSet[], known: Map<string, number>): Promise<void> {
  const kinds = [...new Set(wanted.map(({ kind }) => kind))];
  const find = async (hashes: readonly string[]) => {
    const rows = await tx
      .selectFrom('label_set')
      .select(['id', 'kind', 'hash'])
      .where('kind', 'in', kinds)
      .where(sqlIn(tx, 'label_set.hash', hashes))
      .execute();
    for (const { id, kind, hash } of rows) known.set(placeOf(kind, hash), id);
  };
  await find(wanted.map(({ hash }) => hash));
  const missing = wanted.filter(({ place }) => !known.has(place));
  if (missing.length === 0) return;
  // Readers go on from the last id they know: ids must become visible in their order.
  await holdLock(tx, 'label sets', 'alone');
  for (let start = 0; start < missing.length; start += INSERTED) {
    await tx
      .insertInto('label_set')
      .values(missing.slice(start, start + INSERTED).map(({ kind, hash, labels }) => ({ kind, hash, labels })))
      .onConflict((conflict) => conflict.columns(['kind', 'hash']).doNothing())
      .execute();
  }
  await find(missing.map(({ hash }) => hash));
}

async function regroup(tx: Tx, added: readonly string[], setter: LabelSetter): Promise<void> {
  const kinds = new Set<string>();
  for (let after = 0, more = true; more; ) {
    const rows = await tx
      .selectFrom('resource')
      .select(['seq', 'kind', 'labels', 'label_set'])
      .where('seq', '>', after)
      .where((builder) =>
        builder.exists(
          builder
            .selectFrom('resource_label')
            .select('key')
            .whereRef('resource_label.resource', '=', 'resource.seq')
            .where('key', 'in', added),
        ),
      )
      .orderBy('seq')
      .limit(CHUNK)
      .execute();
    const moved: [seq: number, set: number][] = [];
    const sets = await setter.setsFor(
      rows.map(({ kind, labels }) => ({ kind, labels: stored.parse(readJson(labels)) })),
    );
    for (const [at, { seq, kind, label_set }] of rows.entries()) {
      const set = sets[at]!;
      if (set === label_set) continue;
      moved.push([seq, set]);
      kinds.add(kind);
    }
    if (moved.length > 0) await move(tx, moved);
    after = rows.at(-1)?.seq ?? after;
    more = rows.length === CHUNK;
  }
  await publishAll(tx, kinds);
}

/** One statement for all: one per resource would hold the store for many seconds. */
async function move(tx: Tx, moved: readonly [seq: number, set: number][]): Promise<void> {
  if (isPostgres(tx)) {
    const [seqs, sets] = [moved.map(([seq]) => seq), moved.map(([, set]) => set)];
    await sql`
      update resource set label_set = moved.label_set
      from unnest(${`{${seqs.join(',')}}`}::bigint[], ${`{${sets.join(',')}}`}::bigint[]) as moved(seq, label_set)
      where resource.seq = moved.seq`.execute(tx);
  } else {
    await sql`
      update resource set label_set = json_extract(moved.value, '$[1]')
      from json_each(${writeJson(moved)}) as moved
      where resource.seq = json_extract(moved.value, '$[0]')`.execute(tx);
  }
}
