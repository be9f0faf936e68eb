/** The signed ends of all chains, as they are kept. */
import { hash } from 'node:crypto';
import { type CheckpointBody, checkpointBody } from '@gatehouse/contract/audit/checkpoint';
import type { ChainProblem, SignedCheckpoint } from '@gatehouse/contract/audit/search';
import type { Db } from '../../platform/storage/tables.ts';
import { isSignedBy } from './signing.ts';

/** Older ones are thinned to one an hour: between two of them the chain itself proves as much. */
const KEEP_ALL_MS = 2 * 86_400_000;
const HOUR_MS = 3_600_000;
/** Where a problem is named that lies in no chain of events. */
const CHECKPOINTS = 'checkpoints';

export async function newestCheckpoint(db: Db): Promise<SignedCheckpoint | undefined> {
  return await db
    .selectFrom('event_checkpoint')
    .select(['body', 'signature'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export interface CheckpointsRead {
  /** Oldest first. */
  bodies: CheckpointBody[];
  /** The first that is not as it was signed, or is not there any more. */
  problem: ChainProblem | undefined;
}

interface CheckpointQuery {
  since: number;
  publicKey: string;
  /** Byte for byte what the gateway that asks has signed last. */
  remembered: string | undefined;
  now: number;
}

export async function readCheckpoints(
  db: Db,
  { since, publicKey, remembered, now }: CheckpointQuery,
): Promise<CheckpointsRead> {
  const rows = await db
    .selectFrom('event_checkpoint')
    .select(['number', 'time', 'body', 'signature'])
    .where('time', '>=', since)
    .orderBy('number')
    .limit(20_000)
    .execute();
  const bodies: CheckpointBody[] = [];
  let problem: ChainProblem | undefined;
  let before: { number: number; text: string } | undefined;
  for (const row of rows) {
    const body = isSignedBy(row, publicKey) ? readBody(row.body) : undefined;
    // Older ones are thinned, so only the latest must be without a hole.
    const isHole = before && row.time > now - KEEP_ALL_MS + HOUR_MS && row.number !== before.number + 1;
    if (!body || body.number !== row.number) problem ??= at(row.number, 'was changed: its signature does not fit');
    else if (isHole) problem ??= at((before?.number ?? 0) + 1, 'is missing');
    else if (isForeign(body, before)) problem ??= at(row.number, 'does not follow the one before it');
    if (body) bodies.push(body);
    before = { number: row.number, text: row.body };
  }
  const own = remembered === undefined ? undefined : readBody(remembered);
  if (own && Date.parse(own.time) >= since) {
    const stored = rows.find(({ number }) => number === own.number);
    const isYoung = Date.parse(own.time) > now - KEEP_ALL_MS + HOUR_MS;
    if (stored ? stored.body !== remembered : isYoung || own.number > (before?.number ?? 0))
      problem ??= at(own.number, 'is not the one that this gateway signed');
    if (stored?.body !== remembered) bodies.push(own);
  }
  return { bodies: bodies.toSorted((a, b) => a.number - b.number), problem };
}

/** Those of before this was written do not say what they follow. */
function isForeign(body: CheckpointBody, before: { number: number; text: string } | undefined): boolean {
  if (body.previous === undefined || before?.number !== body.number - 1) return false;
  return body.previous !== hash('sha256', before.text, 'hex');
}

function at(number: number, what: string): ChainProblem {
  return { chain: CHECKPOINTS, index: number, reason: `checkpoint ${number} ${what}` };
}

/** Undefined when it is none. */
export function readBody(text: string): CheckpointBody | undefined {
  try {
    return checkpointBody.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export async function thinCheckpoints(db: Db, now: number): Promise<void> {
  const kept = db
    .selectFrom('event_checkpoint')
    .select((eb) => eb.fn.max('number').as('number'))
    .groupBy((eb) => eb('time', '/', HOUR_MS))
    .where('time', '<', now - KEEP_ALL_MS);
  await db
    .deleteFrom('event_checkpoint')
    .where('time', '<', now - KEEP_ALL_MS)
    .where('number', 'not in', kept)
    .execute();
}
