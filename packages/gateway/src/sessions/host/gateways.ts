/** Says that this gateway lives, and which of the others do: by the database's clock, and never after a moment without it. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../platform/std/log.ts';
import { databaseNow } from '../../platform/storage/database-clock.ts';
import { isPostgres } from '../../platform/storage/named-lock.ts';
import type { Db } from '../../platform/storage/tables.ts';

const BEAT_MS = 2_000;
/** A gateway that has not said so for this long is not there any more. */
export const DEAD_MS = 20_000;
/**
 * Whoever could not ask the database, could not see others say that they live either: after an outage all look dead at first.
 * So long the database must have answered without a break before anybody is taken for dead.
 */
const STEADY_MS = 10_000;
const BREAK_MS = 3 * BEAT_MS;
const FORGET_MS = 86_400_000;

export interface Gateways {
  /** Drawn for this process. */
  readonly id: string;
  /** Resolves once others can know that this one lives: before it serves anything. */
  present(): Promise<void>;
  /** Whether a gateway that looks dead may be taken for dead. */
  isSteady(): boolean;
  /** Nothing is served from here any more: others need not wait. */
  close(): Promise<void>;
}

export interface GatewaysDeps {
  db: Db;
  log: Log;
}

export function createGateways({ db, log }: GatewaysDeps): Gateways {
  const id = randomUUID();
  // With SQLite there is one gateway.
  if (!isPostgres(db)) return { id, present: async () => {}, isSteady: () => true, close: async () => {} };
  let steadySince = Number.POSITIVE_INFINITY;
  let lastBeat = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  const beat = async () => {
    const now = databaseNow(db);
    await db
      .insertInto('gateway')
      .values({ id, started: now, seen: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen: now }))
      .execute();
    const time = performance.now();
    if (time - lastBeat > BREAK_MS) steadySince = time;
    lastBeat = time;
  };
  let beating: Promise<void> | undefined;
  const beatOnce = () => {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
    return beating;
  };
  const timer = setInterval(() => {
    if (isClosed) return;
    beatOnce().catch((error: unknown) => log.warn({ error }, 'this gateway cannot say that it lives'));
  }, BEAT_MS).unref();
  void sweep(db).catch((error: unknown) => log.warn({ error }, 'gateways that are gone cannot be forgotten'));

  return {
    id,
    async present() {
      if (lastBeat === Number.NEGATIVE_INFINITY) await beatOnce();
    },
    isSteady() {
      const time = performance.now();
      return time - lastBeat <= BREAK_MS && time - steadySince >= STEADY_MS;
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await beating?.catch(() => undefined);
      await db.deleteFrom('gateway').where('id', '=', id).execute();
    },
  };
}

/** One that lives writes its row anew. */
async function sweep(db: Db): Promise<void> {
  await db
    .deleteFrom('gateway')
    .where('seen', '<', (builder) => builder(databaseNow(db), '-', FORGET_MS))
    .where((builder) =>
      builder.not(
        builder.exists(
          builder
            .selectFrom('session')
            .select('session.id')
            .whereRef('session.gateway', '=', 'gateway.id')
            .where('session.ended', 'is', null),
        ),
      ),
    )
    .execute();
}
