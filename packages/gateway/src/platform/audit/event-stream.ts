/**
 * Events of streams (commands, queries, requests): those that come while a commit is under way share the next one. Whoever
 * waits for `write` before going on has its event on disk by then: in the store, or in a queue for it while it is down.
 */
import { auditDeadLetter, auditDelayed } from '@gatehouse/contract/audit/audit-log-events';
import type { EventType } from '@gatehouse/contract/events/define-event';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { z } from 'zod';
import { AppError } from '../std/app-error.ts';
import type { Log } from '../std/log.ts';
import { isStoreDown } from '../storage/errors.ts';
import type { Db } from '../storage/tables.ts';
import { appendEvents } from './append-events.ts';
import type { DiskQueue } from './disk-queue.ts';
import type { AuditDeps } from './emit.ts';
import { draftEvent, type EventContext, type EventDraft } from './event-draft.ts';

const MAX_GROUP = 500;
/** More than this at once means that the disk does not follow. */
const MAX_PENDING = 20_000;
const RETRY_MS = 1_000;
/** From the beginning of one group to that of the next, while nobody waits: each commit costs as much as tens of events. */
const PACE_MS = 50;
/** So many need not wait for more. */
const ENOUGH = 200;

/** `now`: somebody waits for it, or should not do anything before. `soon`: it is told behind what was done, and waits for others to share a commit with while many come. */
export type Urgency = 'now' | 'soon';

export interface EventStream {
  write<Fields extends z.ZodRawShape>(
    type: EventType<Fields>,
    fields: z.input<z.ZodObject<Fields>>,
    context?: EventContext,
    urgency?: Urgency,
  ): Promise<void>;
  /** Resolves when everything before is written, or refused; nothing of it waits for others any more. */
  settled(): Promise<void>;
  /** Waits until what was written is on disk. */
  close(): Promise<void>;
}

interface StreamDeps extends AuditDeps {
  db: Db;
  /** Undefined where there is no folder for it; then a store that is down refuses. */
  queue: DiskQueue | undefined;
  /** Refuses what cannot be recorded in the store, instead of letting it wait on disk. */
  strict: boolean;
  log: Log;
}

interface Pending {
  draft: EventDraft;
  resolve(): void;
  reject(error: unknown): void;
}

export function openEventStream(deps: StreamDeps): EventStream {
  return new GroupWriter(deps);
}

class GroupWriter implements EventStream {
  readonly #deps: StreamDeps;
  readonly #pending: Pending[] = [];
  readonly #retry: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  /** Up to the last that is urgent, so many of those that wait are written without a pause. */
  #urgent = 0;
  #begunAt = Number.NEGATIVE_INFINITY;
  #paced: NodeJS.Timeout | undefined;
  /** Groups are written in their order: with it, all before are. */
  #newest: Promise<void> = Promise.resolve();
  #replaying: Promise<void> | undefined;
  #delayedSince: number | undefined;
  #delayedBy = '';

  constructor(deps: StreamDeps) {
    this.#deps = deps;
    if (deps.queue) this.#retry = setInterval(() => this.#replay(), RETRY_MS).unref();
    if (deps.queue?.waiting) this.#delayedSince = deps.now();
  }

  write<Fields extends z.ZodRawShape>(
    type: EventType<Fields>,
    fields: z.input<z.ZodObject<Fields>>,
    context: EventContext = {},
    urgency: Urgency = 'now',
  ): Promise<void> {
    const { clusterName, now } = this.#deps;
    if (this.#pending.length >= MAX_PENDING) return Promise.reject(unrecorded());
    const draft = draftEvent(type as unknown as EventType, fields, context, { clusterName, time: now() });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.push({ draft, resolve, reject });
    this.#newest = promise;
    if (urgency === 'now') this.#urgent = this.#pending.length;
    this.#goOn();
    return promise;
  }

  async settled(): Promise<void> {
    this.#urgent = this.#pending.length;
    this.#goOn();
    await this.#newest.catch(() => {});
  }

  async close(): Promise<void> {
    clearInterval(this.#retry);
    this.#urgent = this.#pending.length;
    this.#goOn();
    await this.#writing;
    await this.#replaying;
    await this.#deps.queue?.close();
  }

  /** Writes what is due, or sees to it later. */
  #goOn(): void {
    if (this.#writing || this.#pending.length === 0) return;
    const pause = this.#pause();
    if (pause > 0) {
      this.#paced ??= setTimeout(() => {
        this.#paced = undefined;
        this.#goOn();
      }, pause);
      return;
    }
    clearTimeout(this.#paced);
    this.#paced = undefined;
    this.#writing = this.#writeAll();
  }

  #pause(): number {
    if (this.#urgent > 0 || this.#pending.length >= ENOUGH) return 0;
    return Math.ceil(this.#begunAt + PACE_MS - performance.now());
  }

  async #writeAll(): Promise<void> {
    // What the caller writes in the same turn of the event loop joins the first group.
    await Promise.resolve();
    while (this.#pending.length > 0 && this.#pause() <= 0) {
      this.#begunAt = performance.now();
      const group = this.#pending.splice(0, MAX_GROUP);
      this.#urgent = Math.max(0, this.#urgent - group.length);
      try {
        await this.#writeGroup(group.map(({ draft }) => draft));
        for (const { resolve } of group) resolve();
      } catch (error) {
        const refused = error instanceof SomeRefused ? error.events : undefined;
        for (const { draft, resolve, reject } of group) {
          if (refused && !refused.has(draft)) resolve();
          else reject(refused ? refused.get(draft) : error);
        }
      }
    }
    // At once: whoever writes before the promise is settled must start anew.
    this.#writing = undefined;
    this.#goOn();
  }

  async #writeGroup(drafts: EventDraft[]): Promise<void> {
    const { queue, strict, log } = this.#deps;
    // Behind those that wait already, or they would overtake them.
    if (queue && queue.waiting > 0 && !strict) return await queue.append(drafts);
    try {
      await this.#store(drafts);
    } catch (error) {
      if (!isStoreDown(error)) throw error;
      if (!queue || strict) throw unrecorded(error);
      log.error({ error, events: drafts.length }, 'the store is down: audit events wait on disk');
      this.#delayedSince ??= this.#deps.now();
      this.#delayedBy = errorMessage(error);
      await queue.append(drafts);
    }
  }

  async #store(drafts: readonly EventDraft[]): Promise<void> {
    if (drafts.length === 0) return;
    const { db, chain } = this.#deps;
    try {
      await db.transaction().execute((tx) => appendEvents(tx, { chain }, drafts));
    } catch (error) {
      if (isStoreDown(error)) throw error;
      if (drafts.length === 1) return await this.#bury(drafts[0]!, error);
      // One that the store does not take must not take its neighbours with it, which are of other people.
      const refused = new Map<EventDraft, unknown>();
      for (const draft of drafts)
        await this.#store([draft]).catch((why: unknown) => {
          if (isStoreDown(why)) throw why;
          refused.set(draft, why);
        });
      if (refused.size > 0) throw new SomeRefused(refused);
    }
  }

  async #bury(draft: EventDraft, error: unknown): Promise<void> {
    const { queue, strict, log } = this.#deps;
    const reason = errorMessage(error);
    log.error({ error, code: draft.code }, 'the store refused an audit event');
    if (!queue || strict) throw unrecorded(error);
    await queue.bury(draft, reason);
    if (draft.code === auditDeadLetter.code) return;
    const fields = { rejected_code: draft.code, file: queue.deadFile, error: reason };
    void this.write(auditDeadLetter, fields).catch(() => {});
  }

  #replay(): void {
    const { queue, log } = this.#deps;
    if (!queue || queue.waiting === 0 || this.#replaying) return;
    const events = queue.waiting;
    this.#replaying = queue
      .replay((drafts) => this.#storeOnce(drafts))
      .then(() => this.#tellDelay(events))
      .catch((error: unknown) => {
        if (!isStoreDown(error)) log.error({ error }, 'audit events that wait on disk cannot be stored');
      })
      .finally(() => {
        this.#replaying = undefined;
      });
  }

  /** After a crash the queue may hold what was stored already. */
  async #storeOnce(drafts: readonly EventDraft[]): Promise<void> {
    const uids = drafts.map(({ uid }) => uid);
    const stored = await this.#deps.db.selectFrom('event').select('uid').where('uid', 'in', uids).execute();
    const known = new Set(stored.map(({ uid }) => uid));
    await this.#store(drafts.filter(({ uid }) => !known.has(uid)));
  }

  async #tellDelay(events: number): Promise<void> {
    const since = new Date(this.#delayedSince ?? this.#deps.now()).toISOString();
    const error = this.#delayedBy;
    this.#delayedSince = undefined;
    this.#delayedBy = '';
    await this.write(auditDelayed, { events, since, ...(error && { error }) });
  }
}

/** The others of the group are stored. */
class SomeRefused extends Error {
  readonly events: ReadonlyMap<EventDraft, unknown>;
  constructor(events: ReadonlyMap<EventDraft, unknown>) {
    super('the store refused audit events');
    this.events = events;
  }
}

function unrecorded(cause?: unknown): AppError {
  return new AppError('unavailable', 'this cannot be recorded in the audit log now, and so it is not done', { cause });
}
