/**
 * Takes what agents announce into the inventory, many at a time: calls of a moment share one transaction, and an agent
 * that only says it is alive costs a few bytes. All of its state is in the store, which several gateways may share.
 */
import { randomUUID } from 'node:crypto';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import {
  holdAnnouncements,
  readAnnouncements,
  removeOverdue,
  renewAnnouncements,
  shortenAnnouncements,
} from './announcement-store.ts';
import { applyReports, type Refused } from './apply-reports.ts';
import type { NewResource } from './resource-store.ts';

export interface Announcer {
  /** Everything an agent offers; what is not in it is gone. Resolves when it is in the store. */
  report(owner: string, resources: readonly NewResource[]): Promise<{ refused: Refused[] }>;
  /** What it offers has not changed. False when nothing of it is known any more: it has to report anew. */
  alive(owner: string): Promise<boolean>;
  /** What it offers goes after a while, unless it is heard of again before, here or by another gateway. */
  gone(owner: string, graceMs: number): Promise<void>;
  /** Writes what was announced before, and nothing after. */
  close(): Promise<void>;
}

export interface AnnouncerDeps {
  db: Db;
  now: () => number;
  log: Log;
  /** What comes meanwhile waits so long at most. */
  everyMs?: number;
  sweepEveryMs?: number;
  /** For so long after the start, only what was told to this gateway goes. */
  returnMs?: number;
}

/** Two heartbeats a minute apart may be lost. */
export const ANNOUNCEMENT_MS = 150_000;
/** An announcement younger than this is not written again. */
const FRESH_MS = 30_000;
/** What comes together is written together. */
const GATHER_MS = 20;
const EVERY_MS = 500;
/** Others write to the store too: an hour's worth of agents that come back at once must let them through. */
const MAX_REPORTS = 500;
const MAX_RESOURCES = 2_000;
const MAX_CALLS = 5_000;
const SWEEP_EVERY_MS = 1_000;
/** After the gateway was away, agents need a moment to come back, and their servers must not vanish before it is over. */
const RETURN_MS = 60_000;

interface Waiting<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** What is to be written for one agent. A later report replaces an earlier one, and both are answered alike. */
interface Pending {
  resources?: readonly NewResource[];
  reported: Waiting<{ refused: Refused[] }>[];
  alive: Waiting<boolean>[];
  /** Absent unless it was said to be gone after everything else. */
  goneAt?: number;
  gone: Waiting<void>[];
}

export function createAnnouncer({
  db,
  now,
  log,
  everyMs = EVERY_MS,
  sweepEveryMs = SWEEP_EVERY_MS,
  returnMs = RETURN_MS,
}: AnnouncerDeps): Announcer {
  const holder = randomUUID();
  const began = performance.now();
  const pending = new Map<string, Pending>();
  let lastBegan = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;
  let closed = false;

  const sweeper = setInterval(() => {
    const isNew = performance.now() < began + returnMs;
    sweeping ??= removeOverdue(db, { now: now(), holder: isNew ? holder : undefined })
      .then((gone) => {
        if (gone > 0) log.debug({ count: gone }, 'resources removed that were not announced again');
      })
      .catch((error: unknown) => log.warn({ error }, 'resources that were not announced again cannot be removed'))
      .finally(() => {
        sweeping = undefined;
      });
  }, sweepEveryMs).unref();

  function place(owner: string): Pending {
    if (closed) throw new Error('the inventory takes no more announcements: the gateway is closing');
    const known = pending.get(owner) ?? { reported: [], alive: [], gone: [] };
    pending.set(owner, known);
    schedule();
    return known;
  }

  function schedule(): void {
    if (timer || writing || pending.size === 0) return;
    const wait = Math.max(GATHER_MS, lastBegan + everyMs - performance.now());
    timer = setTimeout(() => void flush(), closed ? 0 : wait);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    lastBegan = performance.now();
    const batch = takeBatch(pending);
    // More than fits is no reason to wait: the turn of others is between two transactions.
    if (pending.size > 0) lastBegan = Number.NEGATIVE_INFINITY;
    writing = write(batch).finally(() => {
      writing = undefined;
      schedule();
    });
    await writing;
  }

  async function write(batch: Map<string, Pending>): Promise<void> {
    const reports = [...batch].filter(([, { resources }]) => resources !== undefined);
    const beats = [...batch].filter(([, { alive }]) => alive.length > 0);
    const leaving = [...batch].filter(([, { goneAt }]) => goneAt !== undefined);
    if (reports.length > 0) await writeReports(new Map(reports));
    // In this order: one that reported in the same moment is known by now.
    if (beats.length > 0) await settle(beats, 'alive', () => renew(beats.map(([owner]) => owner)));
    if (leaving.length > 0) await settle(leaving, 'gone', () => shorten(leaving));
    // Heard of again in the same moment.
    for (const { goneAt, gone } of batch.values()) if (goneAt === undefined) for (const { resolve } of gone) resolve();
  }

  async function writeReports(reports: Map<string, Pending>): Promise<void> {
    try {
      const given = new Map([...reports].map(([owner, { resources = [] }]) => [owner, resources]));
      const refused = await db.transaction().execute(async (tx) => {
        await holdAnnouncements(tx);
        return await applyReports(tx, given, { holder, now: now(), expires: now() + ANNOUNCEMENT_MS });
      });
      for (const [owner, { reported }] of reports) {
        for (const { resolve } of reported) resolve({ refused: refused.get(owner) ?? [] });
      }
    } catch (error) {
      if (reports.size > 1) {
        // One that the store cannot take must not keep out the others.
        for (const [owner, one] of reports) await writeReports(new Map([[owner, one]]));
        return;
      }
      for (const { reported } of reports.values()) for (const { reject } of reported) reject(error);
    }
  }

  /** Whether each is known. */
  async function renew(owners: readonly string[]): Promise<(owner: string) => boolean> {
    const time = now();
    const known = await readAnnouncements(db, owners);
    const due = [...known.values()].filter(
      (each) => each.holder !== holder || each.expires < time + ANNOUNCEMENT_MS - FRESH_MS,
    );
    if (due.length === 0) return (owner) => known.has(owner);
    const renewed = await db.transaction().execute(async (tx) => {
      await holdAnnouncements(tx);
      return await renewAnnouncements(
        tx,
        due.map(({ owner }) => owner),
        { holder, expires: time + ANNOUNCEMENT_MS },
      );
    });
    const lost = new Set(due.flatMap(({ owner }) => (renewed.has(owner) ? [] : owner)));
    return (owner) => known.has(owner) && !lost.has(owner);
  }

  async function shorten(leaving: readonly [owner: string, Pending][]): Promise<() => void> {
    await db.transaction().execute(async (tx) => {
      await holdAnnouncements(tx);
      for (const [expires, group] of Map.groupBy(leaving, ([, { goneAt = 0 }]) => goneAt)) {
        await shortenAnnouncements(
          tx,
          group.map(([owner]) => owner),
          { holder, expires },
        );
      }
    });
    return () => undefined;
  }

  return {
    async report(owner, resources) {
      if (owner === '') throw new Error('resources without an owner are not announced');
      const mine = place(owner);
      mine.resources = resources;
      delete mine.goneAt;
      return await new Promise((resolve, reject) => mine.reported.push({ resolve, reject }));
    },
    async alive(owner) {
      const mine = place(owner);
      delete mine.goneAt;
      return await new Promise((resolve, reject) => mine.alive.push({ resolve, reject }));
    },
    async gone(owner, graceMs) {
      const mine = place(owner);
      mine.goneAt = now() + graceMs;
      return await new Promise((resolve, reject) => mine.gone.push({ resolve, reject }));
    },
    async close() {
      closed = true;
      clearInterval(sweeper);
      while (pending.size > 0 || writing) await (writing ?? flush());
      await sweeping;
    },
  };
}

/** The oldest, with not so many reports that writing them would keep others waiting. */
function takeBatch(pending: Map<string, Pending>): Map<string, Pending> {
  const batch = new Map<string, Pending>();
  let reports = 0;
  let resources = 0;
  for (const [owner, one] of pending) {
    if (one.resources !== undefined) reports += 1;
    resources += one.resources?.length ?? 0;
    if (reports > MAX_REPORTS || batch.size >= MAX_CALLS) break;
    if (resources > MAX_RESOURCES && batch.size > 0) break;
    batch.set(owner, one);
    pending.delete(owner);
  }
  return batch;
}

async function settle<Name extends 'alive' | 'gone'>(
  batch: readonly [owner: string, Pending][],
  name: Name,
  work: () => Promise<(owner: string) => Name extends 'alive' ? boolean : void>,
): Promise<void> {
  const waiting = (pending: Pending) => pending[name] as Waiting<Name extends 'alive' ? boolean : void>[];
  try {
    const answer = await work();
    for (const [owner, pending] of batch) for (const { resolve } of waiting(pending)) resolve(answer(owner));
  } catch (error) {
    for (const [, pending] of batch) for (const { reject } of waiting(pending)) reject(error);
  }
}
