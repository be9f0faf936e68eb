/** Checks a range of the log against itself and the signed checkpoints, a bounded piece at a call. */

import type { ChainEnd } from '@gatehouse/contract/audit/checkpoint';
import type { ChainProblem, EventVerdict } from '@gatehouse/contract/audit/search';
import { z } from 'zod';
import { chainRows, FIRST_HASH } from '../../platform/audit/chain.ts';
import { type Anchor, ChainCheck } from '../../platform/audit/check-chain.ts';
import { readPageKey, writePageKey } from '../../platform/std/page-key.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { chainLinks } from './chain-links.ts';
import { readCheckpoints } from './checkpoint-store.ts';

/** One answer takes no longer than some seconds. */
const PER_CALL = 200_000;
const PART = 2_000;

export interface VerifyQuery {
  /** Undefined: from the beginning. */
  from: number | undefined;
  to: number;
  /** PEM: the key that signs, and those that signed before. */
  publicKey: string;
  /** What the gateway that asks has signed last. */
  remembered?: string | undefined;
  /** The time it is. */
  now?: number;
  after: VerifyCursor | undefined;
}

/** Where an earlier call stopped. */
export interface VerifyCursor extends Anchor {
  chain: string;
}

export async function verifyLog(db: Db, query: VerifyQuery): Promise<EventVerdict> {
  const { bodies: checkpoints, problem: spoilt } = await readCheckpoints(db, {
    since: query.after ? 0 : (query.from ?? 0),
    publicKey: query.publicKey,
    remembered: query.remembered,
    now: query.now ?? query.to,
  });
  const newest = checkpoints.at(-1);
  const reply = {
    checked: 0,
    startKey: '',
    ...(newest && { checkpoint: { number: newest.number, time: newest.time } }),
  };
  if (spoilt && !query.after) return { ok: false, ...reply, problem: spoilt };
  const chains = await db.selectFrom('event_chain').selectAll().orderBy('chain').execute();
  const lost = query.after ? undefined : lostChain(newest?.chains ?? [], chains);
  if (lost) return { ok: false, ...reply, problem: lost };
  for (const known of chains.filter(({ chain }) => chain >= (query.after?.chain ?? ''))) {
    const signed = checkpoints.flatMap(({ chains: ends }) => ends.filter(({ chain }) => chain === known.chain));
    const start = query.after?.chain === known.chain ? query.after : await startOf(db, known, query.from);
    if (!start) continue;
    const cut = query.from === undefined && !query.after ? missingStart(known, signed.at(-1)) : undefined;
    if (cut) return { ok: false, ...reply, problem: cut };
    const reach = await lastUpTo(db, known, query.to);
    const anchors = anchorsFor(signed, { start, last: reach, end: { index: known.length, hash: known.hash } });
    const check = new ChainCheck({ chain: known.chain, start, anchors });
    const until = anchors.at(-1)?.index ?? reach;
    for (let after = start.index; after < until; ) {
      const links = await chainLinks(db, known.chain, after, Math.min(PART, until - after));
      for (const { link, actual } of links) {
        const problem = check.add(link, actual);
        if (problem) return { ok: false, ...reply, checked: reply.checked + check.checked, problem };
      }
      const last = links.at(-1);
      if (!last) break;
      after = last.link.chain_index;
      if (reply.checked + check.checked >= PER_CALL && after < until && !check.suspects) {
        const startKey = verifyKey({ chain: known.chain, ...check.last });
        return { ok: true, ...reply, checked: reply.checked + check.checked, startKey };
      }
    }
    reply.checked += check.checked;
    const problem = check.end();
    if (problem) return { ok: false, ...reply, problem };
  }
  return { ok: true, ...reply, newer: await countNewer(db, chains, { checkpoints, to: query.to }) };
}

/** What the store has by now behind the places up to which is looked. */
async function countNewer(
  db: Db,
  looked: readonly (WholeChain & { hash: string })[],
  { checkpoints, to }: { checkpoints: readonly { chains: readonly ChainEnd[] }[]; to: number },
): Promise<number> {
  let newer = 0;
  for (const { chain, length } of await db.selectFrom('event_chain').select(['chain', 'length']).execute()) {
    const known = looked.find((other) => other.chain === chain);
    newer += known ? length - (await untilOf(db, known, { checkpoints, to })) : length;
  }
  return newer;
}

/** A range in which the chain has nothing is looked at up to its end. */
async function untilOf(
  db: Db,
  known: WholeChain & { hash: string },
  { checkpoints, to }: { checkpoints: readonly { chains: readonly ChainEnd[] }[]; to: number },
): Promise<number> {
  const signed = checkpoints.flatMap(({ chains: ends }) => ends.filter(({ chain }) => chain === known.chain));
  const last = await lastUpTo(db, known, to);
  const end = { index: known.length, hash: known.hash };
  const start = { index: known.start_index, hash: known.start_hash };
  return anchorsFor(signed, { start, last, end }).at(-1)?.index ?? last;
}

/** A chain of which the store knows nothing any more is the longest cut of all. */
function lostChain(signed: readonly ChainEnd[], known: readonly KnownChain[]): ChainProblem | undefined {
  const lost = signed.find(({ chain, index }) => index > 0 && !known.some((other) => other.chain === chain));
  if (!lost) return undefined;
  const index = (lost.start?.index ?? 0) + 1;
  return { chain: lost.chain, index, reason: `event ${index} of chain '${lost.chain}' is missing, and all after it` };
}

type KnownChain = { chain: string; start_index: number; start_hash: string };
type WholeChain = KnownChain & { length: number };

/** Events may only be missing in front where a signed checkpoint says that they expired. */
function missingStart(
  { chain, start_index, start_hash }: KnownChain,
  signed: ChainEnd | undefined,
): ChainProblem | undefined {
  if (!signed) return undefined;
  const start = signed.start ?? { index: 0, hash: FIRST_HASH };
  if (start.index === start_index && start.hash === start_hash) return undefined;
  const index = start.index + 1;
  return { chain, index, reason: `event ${index} of chain '${chain}' is missing: nothing signed says that it expired` };
}

/** What the first event to look at follows. Within a chain it is on trust; the end it leads to is signed. */
async function startOf(db: Db, known: WholeChain, from: number | undefined): Promise<Anchor | undefined> {
  if (from === undefined) return { index: known.start_index, hash: known.start_hash };
  const first = await firstSince(db, known, from);
  if (first > known.length) return undefined;
  const [row] = await chainRows(db, known.chain, first - 1, 1);
  return row && { index: row.chain_index - 1, hash: row.prev_hash };
}

async function lastUpTo(db: Db, known: WholeChain, to: number): Promise<number> {
  return (await firstSince(db, known, to + 1)) - 1;
}

/** The first place of a chain at or after a time, one beyond its end when there is none. Along the places: an order by time would have all of them sorted. */
async function firstSince(db: Db, { chain, start_index, length }: WholeChain, time: number): Promise<number> {
  let [low, high] = [start_index + 1, length + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await db
      .selectFrom('event')
      .select(['chain_index', 'time'])
      .where('chain', '=', chain)
      .where('chain_index', '>=', middle)
      .orderBy('chain_index')
      .limit(1)
      .executeTakeFirst();
    // Where events were taken out the next one tells; where none follows, the cut is found by looking at all before it.
    if (row && row.time < time) low = row.chain_index + 1;
    else high = middle;
  }
  return low;
}

/** Up to the first signed place that covers the range, or to the end the store knows of where none does yet. */
function anchorsFor(
  signed: readonly Anchor[],
  { start, last, end }: { start: Anchor; last: number; end: Anchor },
): Anchor[] {
  const places = signed.filter(({ index }) => index > start.index).toSorted((a, b) => a.index - b.index);
  const covering = places.findIndex(({ index }) => index >= last);
  const inside = covering < 0 ? places : places.slice(0, covering + 1);
  const wanted = covering < 0 && end.index > (places.at(-1)?.index ?? start.index) ? [...inside, end] : inside;
  return wanted.map(({ index, hash }) => ({ index, hash }));
}

const placeShape = z.object({
  chain: z.string().max(128),
  index: z.number().int().min(0),
  hash: z.string().length(64),
});

function verifyKey(place: VerifyCursor): string {
  return writePageKey(place);
}

export function readVerifyKey(key: string | undefined): VerifyCursor | undefined {
  return key === undefined ? undefined : readPageKey(placeShape, key);
}
