/** What came of join tokens within the last hour, in the store: who waits for a machine may ask any gateway, also one that has just begun. */
import {
  type JoinProgress,
  MAX_JOIN_ATTEMPTS,
  MAX_NAMED_OFFERS,
} from '@gatehouse/contract/reach/join-tokens/join-progress';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { z } from 'zod';
import { publish } from '../../../platform/change-feed/publish.ts';
import { JOIN_PROGRESS_TOPIC } from '../../../platform/change-feed/topics.ts';
import { readJson, writeJson } from '../../../platform/storage/json.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';
import type { StoredJoinToken } from './join-token-store.ts';

export const KEEP_ATTEMPT_MS = 3_600_000;
const MAX_ADDRESS = 64;
const MAX_NAME = 253;
const MAX_WORDS = 600;

type Outcome = 'fetched' | 'joined' | 'refused';
type TokenOf = Pick<StoredJoinToken, 'id' | 'createdBy'>;

export interface Attempt {
  outcome: Outcome;
  address: string;
  /** Empty where the machine has said none. */
  name?: string;
  /** Of one that joined: its id. */
  agent?: string;
  reason?: string;
  next?: string | undefined;
  offers?: Offers;
}

const offer = z.object({ kind: z.string(), name: z.string() });
const offersSchema = z.object({
  count: z.number(),
  taken: z.array(offer),
  notTaken: z.array(offer.extend({ reason: z.string(), next: z.string().optional() })),
});
/** What an agent said it offers, as far as it is kept. */
export type Offers = z.output<typeof offersSchema>;

/** Another of the same kind by the same machine takes the place of the one before; of each outcome the newest stay. */
export async function noteAttempt(tx: Tx, token: TokenOf, attempt: Attempt, now: number): Promise<void> {
  const { outcome, agent = '', offers } = attempt;
  const name = visibleText(attempt.name ?? '', MAX_NAME);
  const address = visibleText(attempt.address, MAX_ADDRESS);
  const row = {
    time: now,
    expires: now + KEEP_ATTEMPT_MS,
    name,
    address,
    reason: visibleText(attempt.reason ?? '', MAX_WORDS),
    next: visibleText(attempt.next ?? '', MAX_WORDS),
    offers: offers ? writeJson(offers) : null,
  };
  await tx
    .insertInto('join_attempt')
    .values({ token: token.id, outcome, about: agent || `${address} ${name}`, ...row })
    .onConflict((conflict) => conflict.columns(['token', 'outcome', 'about']).doUpdateSet(row))
    .execute();
  await tx
    .deleteFrom('join_attempt')
    .where('token', '=', token.id)
    .where('outcome', '=', outcome)
    .where('about', 'not in', (builder) =>
      builder
        .selectFrom('join_attempt')
        .select('about')
        .where('token', '=', token.id)
        .where('outcome', '=', outcome)
        .orderBy('time', 'desc')
        .orderBy('about')
        .limit(MAX_JOIN_ATTEMPTS),
    )
    .execute();
  await publish(tx, { topic: JOIN_PROGRESS_TOPIC, id: token.id, data: { user: token.createdBy } });
}

/** The token that an agent joined with, where somebody may still wait for what comes of it. */
async function waitedFor(db: Db, agent: string, now: number) {
  return await db
    .selectFrom('join_attempt')
    .innerJoin('join_token', 'join_token.id', 'join_attempt.token')
    .select(['join_attempt.token', 'join_attempt.offers', 'join_token.created_by'])
    .where('join_attempt.about', '=', agent)
    .where('join_attempt.outcome', '=', 'joined')
    .where('join_attempt.expires', '>', now)
    .orderBy('join_attempt.time', 'desc')
    .executeTakeFirst();
}

interface SharedKey {
  agent: { id: string; name: string };
  addresses: readonly [string, string];
}

/** A machine copied with the agent on it pushes the first one out, and is never refused: who waits for it would hear nothing. */
export async function noteSharedKey(db: Db, { agent, addresses }: SharedKey, now: number): Promise<void> {
  const row = await waitedFor(db, agent.id, now);
  if (!row) return;
  const [first, second] = addresses;
  const attempt = {
    ...({ outcome: 'refused', address: second, name: agent.name } as const),
    reason: `two machines use the key of '${agent.name}', from ${first} and ${second}: one is a copy of the other. Take the agent away on the copy, and run the command there again`,
    next: 'sudo sh /opt/gatehouse-agent/uninstall.sh',
  };
  await db.transaction().execute((tx) => noteAttempt(tx, { id: row.token, createdBy: row.created_by }, attempt, now));
}

/** What an agent that joined within the hour says it offers; nothing is written of any other, nor of what is known. */
export async function noteOffers(db: Db, agent: string, given: Offers, now: number): Promise<void> {
  const row = await waitedFor(db, agent, now);
  if (!row) return;
  const offers = boundedOffers(given);
  const before = row.offers === null ? undefined : offersSchema.parse(readJson(row.offers));
  if (before && writeJson(before) === writeJson(offers)) return;
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable('join_attempt')
      .set({ offers: writeJson(offers) })
      .where('token', '=', row.token)
      .where('outcome', '=', 'joined')
      .where('about', '=', agent)
      .execute();
    await publish(tx, { topic: JOIN_PROGRESS_TOPIC, id: row.token, data: { user: row.created_by } });
  });
}

export async function readAttempts(
  db: Db,
  token: string,
  now: number,
): Promise<Pick<JoinProgress, 'fetched' | 'joined' | 'refused'>> {
  const rows = await db
    .selectFrom('join_attempt')
    .selectAll()
    .where('token', '=', token)
    .where('expires', '>', now)
    .orderBy('time', 'desc')
    .orderBy('about')
    .limit(3 * MAX_JOIN_ATTEMPTS)
    .execute();
  const of = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).slice(0, MAX_JOIN_ATTEMPTS);
  const at = ({ time }: { time: number }) => new Date(time).toISOString();
  return {
    fetched: of('fetched').map((row) => ({ at: at(row), address: row.address })),
    joined: of('joined').map((row) => {
      const offers = row.offers === null ? undefined : offersSchema.parse(readJson(row.offers));
      return {
        agent: row.about,
        name: row.name,
        at: at(row),
        address: row.address,
        resources: offers?.taken ?? [],
        ...(offers ? { offered: offers.count } : {}),
        notTaken: offers?.notTaken ?? [],
      };
    }),
    refused: of('refused').map((row) => ({
      at: at(row),
      address: row.address,
      name: row.name,
      reason: row.reason,
      ...(row.next === '' ? {} : { next: row.next }),
    })),
  };
}

export async function sweepAttempts(db: Db, now: number): Promise<void> {
  await db.deleteFrom('join_attempt').where('expires', '<=', now).execute();
}

/** An agent may offer thousands under names of its choice. */
function boundedOffers({ count, taken, notTaken }: Offers): Offers {
  const named = ({ kind, name }: { kind: string; name: string }) => ({
    kind: visibleText(kind, MAX_ADDRESS),
    name: visibleText(name, MAX_NAME),
  });
  return {
    count,
    taken: taken.slice(0, MAX_NAMED_OFFERS).map(named),
    notTaken: notTaken.slice(0, MAX_NAMED_OFFERS).map((refused) => ({
      ...named(refused),
      reason: visibleText(refused.reason, MAX_WORDS),
      ...(refused.next === undefined ? {} : { next: visibleText(refused.next, MAX_WORDS) }),
    })),
  };
}
