/** Gives every sink every event in order, from where it stopped before the last restart. */

import { auditSinkFailed, auditSinkRecovered } from '@gatehouse/contract/audit/audit-log-events';
import type { AuditState } from '@gatehouse/contract/audit/search';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { sql } from 'kysely';
import { chainRows } from '../../../platform/audit/chain.ts';
import type { EventStream } from '../../../platform/audit/event-stream.ts';
import type { Log } from '../../../platform/std/log.ts';
import { isPostgres } from '../../../platform/storage/named-lock.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { LogNews } from '../log-news.ts';
import { chainEnds } from '../search/follow-events.ts';
import { wireText } from '../search/wire-text.ts';
import { CHECKPOINTS, deliveredTo, setDelivered } from './cursor-store.ts';
import type { Sink, SinkBatch } from './sink.ts';

const BATCH = 500;
const LOOK_EVERY_MS = 5_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

export interface SinkDeps {
  db: Db;
  stream: EventStream;
  news: LogNews;
  log: Log;
}

export interface RunningSinks {
  state(): Promise<AuditState['sinks']>;
  close(): Promise<void>;
}

export function runSinks(sinks: readonly Sink[], deps: SinkDeps): RunningSinks {
  const runners = sinks.map((sink) => new SinkRunner(sink, deps));
  return {
    state: () => Promise.all(runners.map((runner) => runner.state())),
    async close() {
      await Promise.all(runners.map((runner) => runner.close()));
    },
  };
}

class SinkRunner {
  readonly #sink: Sink;
  readonly #deps: SinkDeps;
  readonly #closing = new AbortController();
  readonly #done: Promise<void>;
  #error = '';
  /** Since it last took something. */
  #failures = 0;

  constructor(sink: Sink, deps: SinkDeps) {
    this.#sink = sink;
    this.#deps = deps;
    this.#done = this.#run();
  }

  async state(): Promise<AuditState['sinks'][number]> {
    const { name, type } = this.#sink;
    return { name, type, behind: await this.#behind(), error: this.#error };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#done;
    await this.#sink.close();
  }

  async #run(): Promise<void> {
    const { news } = this.#deps;
    const { signal } = this.#closing;
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      try {
        const isMore = await this.#deliverSome();
        retryMs = FIRST_RETRY_MS;
        await this.#tellRecovery();
        if (!isMore) await Promise.race([news.wait(await chainEnds(this.#deps.db), LOOK_EVERY_MS), aborted(signal)]);
      } catch (error) {
        if (signal.aborted) return;
        await this.#tellFailure(error);
        await pause(retryMs, signal);
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      }
    }
  }

  /** True when there may be more at once. */
  async #deliverSome(): Promise<boolean> {
    const { db } = this.#deps;
    const delivered = await deliveredTo(db, this.#sink.name);
    let isMore = false;
    for (const [chain, end] of Object.entries(await chainEnds(db))) {
      if (end > (delivered.get(chain) ?? 0)) isMore = (await this.#deliver(chain)) || isMore;
    }
    return (await this.#deliver(CHECKPOINTS)) || isMore;
  }

  /** One batch of one chain. Where several gateways share the log, one at a time delivers. */
  async #deliver(chain: string): Promise<boolean> {
    const { db } = this.#deps;
    if (!isPostgres(db)) return await this.#deliverHeld(db, chain);
    return await db.transaction().execute(async (tx) => {
      const name = `gatehouse sink ${this.#sink.name}`;
      const { rows } = await sql<{
        held: boolean;
      }>`select pg_try_advisory_xact_lock(hashtext(${name})) as held`.execute(tx);
      return rows[0]!.held ? await this.#deliverHeld(tx, chain) : false;
    });
  }

  async #deliverHeld(db: Db, chain: string): Promise<boolean> {
    const after = (await deliveredTo(db, this.#sink.name)).get(chain) ?? 0;
    const batch = chain === CHECKPOINTS ? await checkpointBatch(db, after) : await eventBatch(db, chain, after);
    if (!batch) return false;
    await this.#sink.deliver(batch);
    await setDelivered(db, this.#sink.name, chain, batch.last);
    return batch.items.length === BATCH;
  }

  async #behind(): Promise<number> {
    const delivered = await deliveredTo(this.#deps.db, this.#sink.name);
    const ends = Object.entries(await chainEnds(this.#deps.db));
    return ends.reduce((sum, [chain, end]) => sum + end - Math.min(end, delivered.get(chain) ?? 0), 0);
  }

  async #tellFailure(error: unknown): Promise<void> {
    const { log, stream } = this.#deps;
    const { name } = this.#sink;
    const before = this.#error;
    const isNew = before === '';
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    this.#error = error instanceof Error ? `${error.message}${cause}` : String(error);
    this.#failures += 1;
    if (this.#error !== before) log.warn({ sink: name, error: this.#error }, 'an audit sink does not take events');
    if (isNew) await stream.write(auditSinkFailed, { name, error: this.#error }).catch(() => {});
  }

  async #tellRecovery(): Promise<void> {
    if (this.#error === '') return;
    this.#error = '';
    const { name } = this.#sink;
    this.#deps.log.info({ sink: name, times: this.#failures }, 'an audit sink takes events again');
    this.#failures = 0;
    await this.#deps.stream.write(auditSinkRecovered, { name }).catch(() => {});
  }
}

async function eventBatch(db: Db, chain: string, after: number): Promise<SinkBatch | undefined> {
  const rows = await chainRows(db, chain, after, BATCH);
  if (rows.length === 0) return undefined;
  const items = rows.map((row) => ({ row, text: wireText(row, { proof: true }) }));
  return { chain, first: rows[0]!.chain_index, last: rows.at(-1)!.chain_index, items };
}

async function checkpointBatch(db: Db, after: number): Promise<SinkBatch | undefined> {
  const rows = await db
    .selectFrom('event_checkpoint')
    .select(['number', 'body', 'signature'])
    .where('number', '>', after)
    .orderBy('number')
    .limit(BATCH)
    .execute();
  if (rows.length === 0) return undefined;
  const items = rows.map(({ body, signature }) => ({
    row: undefined,
    text: JSON.stringify({ checkpoint: { body, signature } }),
  }));
  return { chain: CHECKPOINTS, first: rows[0]!.number, last: rows.at(-1)!.number, items };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void whenAborted(signal, resolve));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return Promise.race([aborted(signal), new Promise<void>((resolve) => void setTimeout(resolve, ms).unref())]);
}
