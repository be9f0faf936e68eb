/**
 * Keeps large inventories in memory beside the store, for lists: SQL needs a tenth of a second to count the matches of a
 * search among a hundred thousand resources, this a few milliseconds. Small inventories stay with SQL, and so does
 * everything while the memory is being filled or has failed. What it finds are places of rows: the rows themselves, and
 * whether they may be seen, are asked of the store.
 */

import type { Visibility } from '../../access/visibility.ts';
import { newestPosition, readChanges } from '../../platform/change-feed/change-store.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { sortColumns } from '../kind-fields.ts';
import type { FoundPage, ListPlan } from '../list-plan.ts';
import { RESOURCE_TOPIC, readResourceChange } from '../resource-changes.ts';
import { type IndexThread, startIndexThread } from './index-thread.ts';
import { hasMoreRows, type IndexPartition, readRowsAfter, readRowsOfOwners, readRowsWithIds } from './read-rows.ts';

export interface ListIndex {
  /** `undefined` when the store has to be asked. Knows everything that was committed before the call, or before `fresh` was asked for. */
  find(seen: Visibility, plan: ListPlan, fresh?: Promise<void>): Promise<FoundPage | undefined>;
  /** Reads what has changed, for whoever has something else to wait for before asking. */
  refresh(): Promise<void>;
  /** Fills it soon, so that the first who asks need not do with SQL. */
  prepare(place: IndexPartition): void;
  close(): Promise<void>;
}

export interface ListIndexDeps {
  db: Db;
  log: Log;
  /** So many resources of a kind, or fewer, are left to SQL. */
  least?: number;
  startThread?: () => IndexThread;
}

const MIN_ROWS = 3_000;
/** What would not fit into memory well is left to SQL too. */
const MAX_ROWS = 500_000;
/** A gateway that starts has other things to do first. */
const PREPARE_AFTER_MS = 1_000;
const LOOK_AGAIN_MS = 10_000;
const REST_AFTER_FAILURE_MS = 60_000;
const ROWS_AT_ONCE = 2_000;
const CHANGES_AT_ONCE = 1_000;

interface Shelf {
  place: IndexPartition;
  state: 'absent' | 'filling' | 'ready';
  /** Not looked at again before: it was small then, or filling it failed. */
  restsUntil: number;
  /** What changed while it was being filled, and has to be read once more. */
  owners: Set<string>;
  ids: Set<string>;
  /** Something changed that did not say what. */
  isStale: boolean;
}

export function createListIndex({
  db,
  log,
  least = MIN_ROWS,
  startThread = startIndexThread,
}: ListIndexDeps): ListIndex {
  const shelves = new Map<string, Shelf>();
  const work = new Set<Promise<void>>();
  const preparing: NodeJS.Timeout[] = [];
  let thread: IndexThread | undefined;
  let position: number | undefined;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  let closed = false;

  function shelfFor({ cluster, kind }: IndexPartition): Shelf {
    const name = JSON.stringify([cluster, kind]);
    const known = shelves.get(name);
    if (known) return known;
    const place = { cluster, kind };
    const made: Shelf = { place, state: 'absent', restsUntil: 0, owners: new Set(), ids: new Set(), isStale: false };
    shelves.set(name, made);
    return made;
  }

  const nameOf = ({ place }: Shelf) => JSON.stringify([place.cluster, place.kind]);

  /** In the background: whoever asks meanwhile is answered by SQL. */
  function fillLater(shelf: Shelf): void {
    if (closed || shelf.state !== 'absent' || performance.now() < shelf.restsUntil) return;
    shelf.state = 'filling';
    const filling = fill(shelf)
      .catch((error: unknown) => fail(error))
      .finally(() => work.delete(filling));
    work.add(filling);
  }

  async function fill(shelf: Shelf): Promise<void> {
    const isLarge = least === 0 || (await hasMoreRows(db, shelf.place, least));
    if (!isLarge || (await hasMoreRows(db, shelf.place, MAX_ROWS))) {
      shelf.state = 'absent';
      shelf.restsUntil = performance.now() + LOOK_AGAIN_MS;
      return;
    }
    if (!thread || thread.ended) thread = startThread();
    const filled = thread;
    // From before the first row on: what changes meanwhile is read again in the end.
    position ??= await newestPosition(db);
    await filled.ask({ type: 'drop', shelf: nameOf(shelf) });
    for (let after = 0, more = true; more && !closed; ) {
      const rows = await readRowsAfter(db, shelf.place, after, ROWS_AT_ONCE);
      await filled.ask({ type: 'add', shelf: nameOf(shelf), rows });
      after = rows.at(-1)?.seq ?? after;
      more = rows.length === ROWS_AT_ONCE;
    }
    await filled.ask({ type: 'order', shelf: nameOf(shelf), columns: sortColumns(shelf.place.kind) });
    await refresh();
    await bringUpToDate(shelf);
    // A shelf that was failed or went stale meanwhile is not the one that was filled.
    if (shelf.state === 'filling' && thread === filled && !shelf.isStale) shelf.state = 'ready';
    else empty(shelf);
  }

  function empty(shelf: Shelf): void {
    shelf.state = 'absent';
    shelf.owners.clear();
    shelf.ids.clear();
    shelf.isStale = false;
  }

  function fail(error: unknown): void {
    if (!closed) log.warn({ error }, 'resources cannot be held in memory; lists are made by the store alone for now');
    for (const shelf of shelves.values()) {
      empty(shelf);
      shelf.restsUntil = performance.now() + REST_AFTER_FAILURE_MS;
    }
    position = undefined;
    const old = thread;
    thread = undefined;
    if (old && !old.ended) void old.close().catch(() => {});
  }

  /** Resolves when everything is known that was committed before the call. Those who wait for the next turn share it. */
  function refresh(): Promise<void> {
    if (!running) {
      running = follow().finally(() => {
        running = undefined;
      });
      return running;
    }
    queued ??= running
      .catch(() => {})
      .then(() => {
        queued = undefined;
        return refresh();
      });
    return queued;
  }

  async function follow(): Promise<void> {
    for (let more = true; more && position !== undefined; ) {
      const { changes, missed } = await readChanges(db, position, CHANGES_AT_ONCE);
      if (missed) for (const shelf of shelves.values()) shelf.isStale = true;
      for (const { topic, id, data } of changes) if (topic === RESOURCE_TOPIC) note(id, data);
      position = changes.at(-1)?.position ?? position;
      more = changes.length === CHANGES_AT_ONCE;
    }
    for (const shelf of shelves.values()) if (shelf.state === 'ready') await bringUpToDate(shelf);
  }

  function note(kind: string, data: unknown): void {
    const change = readResourceChange(data);
    for (const shelf of shelves.values()) {
      if (shelf.place.kind !== kind || shelf.state === 'absent') continue;
      for (const owner of change?.owners ?? []) shelf.owners.add(owner);
      for (const id of change?.ids ?? []) shelf.ids.add(id);
      shelf.isStale ||= change === undefined;
    }
  }

  async function bringUpToDate(shelf: Shelf): Promise<void> {
    if (shelf.isStale) {
      if (shelf.state === 'ready') empty(shelf);
      return;
    }
    while (shelf.owners.size + shelf.ids.size > 0) {
      const owners = taken(shelf.owners);
      const ids = taken(shelf.ids);
      const rows = [
        ...(await readRowsOfOwners(db, shelf.place, owners)),
        ...(await readRowsWithIds(db, shelf.place, ids)),
      ];
      await thread?.ask({ type: 'replace', shelf: nameOf(shelf), owners, ids, rows });
    }
  }

  return {
    refresh,
    async find(seen, plan, fresh) {
      const shelf = shelfFor(plan);
      if (shelf.state === 'ready') {
        try {
          await (fresh ?? refresh());
          if (shelf.state === 'ready' && thread) {
            return await thread.ask({ type: 'find', shelf: nameOf(shelf), seen, plan });
          }
        } catch (error) {
          fail(error);
        }
      }
      fillLater(shelf);
      return undefined;
    },
    prepare(place) {
      preparing.push(setTimeout(() => fillLater(shelfFor(place)), PREPARE_AFTER_MS).unref());
    },
    async close() {
      closed = true;
      for (const timer of preparing) clearTimeout(timer);
      await Promise.all([...work, running?.catch(() => {})]);
      if (thread && !thread.ended) await thread.close();
    },
  };
}

/** Some of them, which are then no longer in the set. */
function taken(texts: Set<string>): string[] {
  const some = [...texts].slice(0, ROWS_AT_ONCE);
  for (const text of some) texts.delete(text);
  return some;
}
