/** Signs where the chains of all gateways end: every minute, after many events, and at a clean stop. */
import { hash } from 'node:crypto';
import type { ChainEnd, CheckpointBody } from '@gatehouse/contract/audit/checkpoint';
import type { Log } from '../../platform/std/log.ts';
import { holdLock } from '../../platform/storage/named-lock.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { readBody, thinCheckpoints } from './checkpoint-store.ts';
import { requireSigned, SigningRefused } from './signed-ends.ts';
import type { SignedMemory } from './signed-memory.ts';
import { isSignedBy, type Signer } from './signing.ts';

const LOOK_EVERY_MS = 5_000;
const EVERY_MS = 60_000;
const EVERY_EVENTS = 10_000;
const THIN_EVERY_MS = 3_600_000;

export interface CheckpointDeps {
  db: Db;
  signer: Signer;
  /** What this gateway signed last; without it, nothing keeps it from signing whatever is there. */
  memory?: SignedMemory;
  clusterName: string;
  log: Log;
  now: () => number;
}

/** Gives back what was signed, to be remembered after the commit. Does nothing when no event came since the last one, unless it is to say where the chains begin now. */
export async function writeCheckpoint(
  tx: Tx,
  deps: CheckpointDeps,
  options: { always?: boolean } = {},
): Promise<string | undefined> {
  // Gateways take turns: two checkpoints of one number would each deny the other.
  await holdLock(tx, 'audit checkpoint', 'alone');
  const last = deps.memory?.last();
  const newest = await newestStored(tx);
  await requireSigned(tx, { last: last?.body, newest: signedBody(newest, deps), isRemoving: options.always });
  const ends = await tx.selectFrom('event_chain').selectAll().orderBy('chain').execute();
  const chains = ends.map(({ chain, length, hash, start_index, start_hash }): ChainEnd => {
    const start = start_index > 0 ? { start: { index: start_index, hash: start_hash } } : {};
    return { chain, index: length, hash, ...start };
  });
  if (!options.always && eventsSince(chains, newest?.body) === 0) return undefined;
  const time = deps.now();
  const body: CheckpointBody = {
    version: 2,
    cluster: deps.clusterName,
    number: Math.max(newest?.number ?? 0, last?.body.number ?? 0) + 1,
    time: new Date(time).toISOString(),
    chains,
    ...(newest && { previous: hash('sha256', newest.text, 'hex') }),
  };
  const signed = deps.signer.sign(JSON.stringify(body));
  await tx
    .insertInto('event_checkpoint')
    .values({ number: body.number, time, ...signed })
    .execute();
  return signed.body;
}

export interface Checkpoints {
  /** Signs once more what is there now. */
  close(): Promise<void>;
}

interface RunningDeps extends CheckpointDeps {
  onRefused?(reason: string): Promise<void>;
  /** Nothing kept it from signing. */
  onSigned?(): Promise<void>;
}

export function startCheckpoints(deps: RunningDeps): Checkpoints {
  const { db, log, now } = deps;
  let thinned = now();
  let running: Promise<void> = Promise.resolve();
  const look = async (final: boolean) => {
    try {
      if (!final && !(await isDue(db, now()))) return;
      const signed = await db.transaction().execute((tx) => writeCheckpoint(tx, deps));
      if (signed !== undefined) await deps.memory?.remember(signed, deps.signer.publicKey);
      await deps.onSigned?.();
      if (now() - thinned < THIN_EVERY_MS) return;
      thinned = now();
      await thinCheckpoints(db, now());
    } catch (error) {
      if (error instanceof SigningRefused) await deps.onRefused?.(error.message);
      log.error({ error }, 'the log cannot be signed');
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
    newestStored(db).then((stored) => stored?.body),
    db.selectFrom('event_chain').select(['chain', 'length as index']).execute(),
  ]);
  const since = eventsSince(ends, newest);
  return since >= EVERY_EVENTS || (since > 0 && now - Date.parse(newest?.time ?? '1970-01-01T00:00:00Z') >= EVERY_MS);
}

function eventsSince(ends: readonly { chain: string; index: number }[], newest: CheckpointBody | undefined): number {
  const signed = new Map(newest?.chains.map(({ chain, index }) => [chain, index]));
  return ends.reduce((sum, { chain, index }) => sum + index - (signed.get(chain) ?? 0), 0);
}

/** Throws when the log is not the one that was signed. */
export async function requireSignedLog(tx: Tx, deps: CheckpointDeps): Promise<void> {
  await holdLock(tx, 'audit checkpoint', 'alone');
  await requireSigned(tx, { last: deps.memory?.last()?.body, newest: signedBody(await newestStored(tx), deps) });
}

function signedBody(stored: Stored | undefined, { signer }: CheckpointDeps): CheckpointBody | undefined {
  if (!stored) return undefined;
  return isSignedBy({ body: stored.text, signature: stored.signature }, signer.publicKey) ? stored.body : undefined;
}

interface Stored {
  number: number;
  text: string;
  signature: string;
  body?: CheckpointBody;
}

/** Its body is undefined where it cannot be read: that is for the check of the log to tell, and no reason not to sign. */
async function newestStored(db: Db): Promise<Stored | undefined> {
  const row = await db
    .selectFrom('event_checkpoint')
    .select(['number', 'body as text', 'signature'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  const body = row && readBody(row.text);
  return row && { ...row, ...(body && { body }) };
}
