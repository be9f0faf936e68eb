/** Ends what stands on what a provider said, when it no longer does. */
import { endedByProvider } from '@gatehouse/contract/audit/connector-events';
import type { Audit } from '../../../platform/audit/emit.ts';
import { publish } from '../../../platform/change-feed/publish.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { forgetFormerAt, rememberIdentitiesAt } from '../../stores/former-identity-store.ts';
import { endRunOut, endSignIn, endSignInsOf, listRunOut } from '../../stores/sign-in-store.ts';

export interface EndedUser {
  user: string;
  count: number;
  /** Also what did not come through the connector. */
  isAll?: boolean;
  /** What the connector gave them is gone as well. */
  isTaken?: boolean;
}

/** Ends the sign-ins of one identity, or those of one session of the provider's, and what goes on under those that ran out; gives back how many. */
export async function endIdentity(
  tx: Tx,
  { connector, subject, providerSession }: { connector: string; subject?: string; providerSession?: string },
  now: number,
): Promise<EndedUser[]> {
  const rows = await tx
    .selectFrom('sign_in')
    .select(['id', 'user'])
    .where('connector', '=', connector)
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject!))
    .$if(providerSession !== undefined, (query) => query.where('provider_session', '=', providerSession!))
    .where('ended', 'is', null)
    .where('expires', '>', now)
    // In one order everywhere: two who end the same ones would wait for each other.
    .orderBy('id')
    .execute();
  const runOut = await listRunOut(tx, now)
    .where('connector', '=', connector)
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject!))
    .$if(providerSession !== undefined, (query) => query.where('provider_session', '=', providerSession!))
    .execute();
  const counts = new Map<string, number>();
  const count = (user: string) => counts.set(user, (counts.get(user) ?? 0) + 1);
  for (const { id, user } of rows) if (await endSignIn(tx, id, 'ended_by_provider', now)) count(user);
  for (const each of runOut) {
    await endRunOut(tx, each, 'ended_by_provider', now);
    count(each.user);
  }
  return [...counts].map(([user, count]) => ({ user, count }));
}

/** Everything that was signed in through a connector. */
export async function endIdentitiesAt(tx: Tx, connector: string, now: number): Promise<EndedUser[]> {
  return endIdentity(tx, { connector }, now);
}

/** The subjects of a connector are nobody's any more: its provider is another one, or it is gone. `mayReturn`: should it be made again. */
export async function forgetIdentitiesAt(
  tx: Tx,
  connector: string,
  now: number,
  { mayReturn = false } = {},
): Promise<EndedUser[]> {
  const ended = await endIdentitiesAt(tx, connector, now);
  if (mayReturn) await rememberIdentitiesAt(tx, connector, now);
  else await forgetFormerAt(tx, connector);
  const rows = await tx.deleteFrom('user_identity').where('connector', '=', connector).returning('user').execute();
  for (const { user } of rows) await publish(tx, { topic: 'user', id: user });
  return ended;
}

/** Nobody has confirmed them for too long: their tokens for scripts end as well. */
export async function endUser(tx: Tx, user: string, now: number): Promise<number> {
  return (await endSignInsOf(tx, user, 'ended_by_provider', { now })).length;
}

/** One event for each of them: whose sign-ins ended, and from whom what they held was taken. */
export async function tellEnded(
  tx: Tx,
  audit: Audit,
  {
    connector,
    subject = '',
    reason,
    ended,
  }: { connector: string; subject?: string | undefined; reason: string; ended: readonly EndedUser[] },
): Promise<void> {
  for (const { user, count, isAll, isTaken } of ended)
    await audit.emit(tx, endedByProvider, {
      name: user,
      connector,
      subject,
      reason,
      sign_ins: count,
      ...(isAll ? { all_ways: true } : {}),
      ...(isTaken ? { taken_back: true } : {}),
    });
}

/** With those among them from whom something was taken, though nothing of theirs was open. */
export function withTaken(ended: readonly EndedUser[], taken: readonly string[]): EndedUser[] {
  const all = new Map(ended.map((each) => [each.user, each]));
  for (const user of taken) all.set(user, { count: 0, ...all.get(user), user, isTaken: true });
  return [...all.values()];
}
