/** Brings the inventory to what agents say they offer: writes what changed, removes what they no longer name, refuses what is another's. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../platform/std/canonical-json.ts';
import { readJson } from '../platform/storage/json.ts';
import { sqlIn } from '../platform/storage/sql-in.ts';
import type { Tx } from '../platform/storage/tables.ts';
import { readAnnouncements, writeAnnouncements } from './announcement-store.ts';
import { holdHostNames } from './host-names.ts';
import { isShared, sharedKinds } from './kind-fields.ts';
import { publishResources } from './resource-changes.ts';
import { applyShared } from './resource-routes.ts';
import { holdNames, type NewResource, putResources, searchColumn } from './resource-store.ts';

export interface Refused {
  kind: string;
  name: string;
  reason: string;
}

const TWICE = 'it is offered twice';

interface Taking {
  holder: string;
  now: number;
  expires: number;
}

/** Everything each owner offers; what is not in it is gone. Gives back what was refused, by owner. */
export async function applyReports(
  tx: Tx,
  reports: ReadonlyMap<string, readonly NewResource[]>,
  { holder, now, expires }: Taking,
): Promise<Map<string, Refused[]>> {
  const digests = new Map([...reports].map(([owner, resources]) => [owner, digestOf(resources)]));
  const held = await readAnnouncements(tx, [...reports.keys()]);
  const changed = new Map([...reports].filter(([owner]) => held.get(owner)?.digest !== digests.get(owner)));
  const refused = changed.size === 0 ? new Map<string, Refused[]>() : await takeChanged(tx, changed, now);
  await writeAnnouncements(
    tx,
    [...digests].map(([owner, digest]) => ({
      owner,
      holder,
      expires,
      // What was refused may be free when the same is said again.
      digest: refused.has(owner) ? '' : digest,
    })),
  );
  return refused;
}

async function takeChanged(tx: Tx, reports: ReadonlyMap<string, readonly NewResource[]>, now: number) {
  const offered = [...reports].flatMap(([owner, resources]) =>
    resources
      .filter(({ kind }) => !isShared(kind))
      .map((resource): NewResource => ({ ...resource, owner, expires: undefined })),
  );
  await holdNames(tx);
  const taken = new Taken(await readTaken(tx, offered));
  const known = await readOwned(tx, [...reports.keys()]);
  const refused = new Map<string, Refused[]>();
  for (const { owner, ...rest } of await applyShared(tx, reports, now)) {
    refused.set(owner, [...(refused.get(owner) ?? []), rest]);
  }
  const changed: NewResource[] = [];
  const names = new Set<string>();
  const kept = new Set<string>();
  for (const resource of offered) {
    const { owner, kind, name } = resource;
    const reason = names.has(nameKey(resource)) || kept.has(placeOf(resource)) ? TWICE : taken.by(resource);
    if (reason !== undefined) {
      refused.set(owner, [...(refused.get(owner) ?? []), { kind, name, reason }]);
      continue;
    }
    taken.add(resource);
    names.add(nameKey(resource));
    kept.add(placeOf(resource));
    const content = contentOf({ ...resource, search: searchColumn(resource) });
    if (known.get(placeOf(resource))?.content !== content) changed.push(resource);
  }
  await putResources(tx, changed, now);
  await holdHostNames(
    tx,
    offered.filter((resource) => kept.has(placeOf(resource))),
    now,
  );
  await removeSeqs(
    tx,
    [...known].filter(([place]) => !kept.has(place)).map(([, { seq }]) => seq),
  );
  return refused;
}

/** Whose names and ids are whose. */
class Taken {
  readonly #owners = new Map<string, string>();

  constructor(rows: readonly Claim[]) {
    for (const row of rows) this.add(row);
  }

  /** Why it cannot be had; `undefined` when it can. */
  by(claim: Claim): string | undefined {
    const byName = this.#owners.get(nameKey(claim));
    if (byName !== undefined && byName !== claim.owner) return `the name '${claim.name}' belongs to ${tell(byName)}`;
    const byId = this.#owners.get(placeOf(claim));
    if (byId !== undefined && byId !== claim.owner) return `the id '${claim.id}' belongs to ${tell(byId)}`;
    return undefined;
  }

  add(claim: Claim): void {
    this.#owners.set(placeOf(claim), claim.owner);
    this.#owners.set(nameKey(claim), claim.owner);
  }
}

function tell(owner: string): string {
  return owner === '' ? 'one that was entered by hand' : 'another agent';
}

type Claim = Pick<NewResource, 'cluster' | 'id' | 'name' | 'owner'> & { kind: string };

/** Rows that have a name or an id that is asked for. */
async function readTaken(tx: Tx, offered: readonly NewResource[]): Promise<Claim[]> {
  const found: Claim[] = [];
  for (const [, group] of Map.groupBy(offered, ({ cluster, kind }) => JSON.stringify([cluster, kind]))) {
    const { cluster, kind } = group[0]!;
    for (const column of ['name', 'id'] as const) {
      const texts = group.map((resource) => resource[column]);
      const rows = await tx
        .selectFrom('resource')
        .select(['cluster', 'kind', 'id', 'name', 'owner'])
        .where('cluster', '=', cluster)
        .where('kind', '=', kind)
        .where(sqlIn(tx, `resource.${column}`, texts))
        .execute();
      found.push(...rows);
    }
  }
  return found;
}

async function readOwned(tx: Tx, owners: readonly string[]): Promise<Map<string, { seq: number; content: string }>> {
  const rows = await tx
    .selectFrom('resource')
    .select(['seq', 'cluster', 'kind', 'id', 'name', 'labels', 'spec', 'search', 'expires'])
    .where(sqlIn(tx, 'resource.owner', owners))
    .$if(sharedKinds().length > 0, (query) => query.where('kind', 'not in', sharedKinds()))
    .execute();
  return new Map(
    rows.map(({ labels, spec, ...row }) => [
      placeOf(row),
      {
        seq: row.seq,
        content: contentOf({ ...row, labels: storedLabels.parse(readJson(labels)), spec: readJson(spec) }),
      },
    ]),
  );
}

const storedLabels = z.record(z.string(), z.string());

async function removeSeqs(tx: Tx, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  const gone = await tx
    .deleteFrom('resource')
    .where('seq', 'in', [...seqs])
    .returning(['kind', 'id', 'owner'])
    .execute();
  await publishResources(tx, gone);
}

function digestOf(resources: readonly NewResource[]): string {
  const text = canonicalJson(
    resources.map((each) => ({ ...each, owner: undefined, expires: undefined, sealed: undefined })),
  );
  return createHash('sha256').update(text).digest('base64url');
}

/** What would have to be written if it differed. */
function contentOf({ name, labels, spec, search }: { name: string; labels: object; spec: unknown; search: string }) {
  return canonicalJson([name, labels, spec, search]);
}

function placeOf({ cluster, kind, id }: { cluster: string; kind: string; id: string }): string {
  return JSON.stringify([cluster, kind, id]);
}

/** Longer than a place, so that the two cannot be mixed up. */
function nameKey({ cluster, kind, name }: { cluster: string; kind: string; name: string }): string {
  return JSON.stringify([cluster, kind, 'called', name]);
}
