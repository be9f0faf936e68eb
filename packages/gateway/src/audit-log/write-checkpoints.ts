/** Signs where the chains of all gateways end: every minute, after many events, and at a clean stop. */
import { type ChainEnd, type CheckpointBody, checkpointBody } from '@gatehouse/contract/audit/checkpoint';
import type { Log } from '../std/log.ts';
import { holdLock } from '../storage/named-lock.ts';
import type { Db, Tx } from '../storage/tables.ts';
import { thinCheckpoints } from './checkpoint-store.ts';
import type { Signer } from './signing.ts';

const LOOK_EVERY_MS = 5_000;
const EVERY_MS = 60_000;
const EVERY_EVENTS = 10_000;
const THIN_EVERY_MS = 3_600_000;

export interface CheckpointDeps {
  db: Db;
  signer: Signer;
  clusterName: string;
  log: Log;
  now: () => number;
}

/** Does nothing when no event came since the last one, unless it is to say where the chains begin now. */
export async function writeCheckpoint(tx: Tx, deps: CheckpointDeps, options: { always?: boolean } = {}): Promise<void> {
  // Gateways take turns: two checkpoints of one number would each deny the other.
  await holdLock(tx, 'audit checkpoint', 'alone');
  const newest = await newestBody(tx);
  const ends = await tx.selectFrom('event_chain').selectAll().orderBy('chain').execute();
  const chains = ends.map(({ chain, length, hash, start_index, start_hash }): ChainEnd => {
    const start = start_index > 0 ? { start: { index: start_index, hash: start_hash } } : {};
    return { chain, index: length, hash, ...start };
  });
  if (!options.always && eventsSince(chains, newest) === 0) return;
  const time = deps.now();
  const body: CheckpointBody = {
    version: 1,
    cluster: deps.clusterName,
    number: (newest?.number ?? 0) + 1,
    time: new Date(time).toISOString(),
    chains,
  };
  const signed = deps.signer.sign(JSON.stringify(body));
  await tx
    .insertInto('event_checkpoint')
    .values({ number: body.number, time, ...signed })
    .execute();
}

export interface Checkpoints {
  /** Signs once more what is there now. */
  close(): Promise<void>;
}

export function startCheckpoints(deps: CheckpointDeps): Checkpoints {
  const { db, log, now } = deps;
  let thinned = now();
  let running: Promise<void> = Promise.resolve();
  const look = async (final: boolean) => {
    try {
      if (!final && !(await isDue(db, now()))) return;
      await db.transaction().execute((tx) => writeCheckpoint(tx, deps));
      if (now() - thinned < THIN_EVERY_MS) return;
      thinned = now();
      await thinCheckpoints(db, now());
    } catch (error) {
      log.warn({ error }, 'the log cannot be signed');
    }
  };
  const timer = setInterval(() => {
    running = running.then(() => look(false));
  }, LOOK_EVERY_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
      await look(true);
    },
  };
}

async function isDue(db: Db, now: number): Promise<boolean> {
  const [newest, ends] = await Promise.all([
    newestBody(db),
    db.selectFrom('event_chain').select(['chain', 'length as index']).execute(),
  ]);
  const since = eventsSince(ends, newest);
  return since >= EVERY_EVENTS || (since > 0 && now - Date.parse(newest?.time ?? '1970-01-01T00:00:00Z') >= EVERY_MS);
}

function eventsSince(ends: readonly { chain: string; index: number }[], newest: CheckpointBody | undefined): number {
  const signed = new Map(newest?.chains.map(({ chain, index }) => [chain, index]));
  return ends.reduce((sum, { chain, index }) => sum + index - (signed.get(chain) ?? 0), 0);
}

async function newestBody(db: Db): Promise<CheckpointBody | undefined> {
  const row = await db
    .selectFrom('event_checkpoint')
    .select('body')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && checkpointBody.parse(JSON.parse(row.body));
}
