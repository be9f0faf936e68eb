/** Counts failed sign-ins by name and by address, locks names and slows addresses down. */
import { lockedOut } from '@gatehouse/contract/audit/sign-in-events';
import { publish } from '../../platform/change-feed/publish.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import type { IdentityDeps } from '../identity-deps.ts';

export const FAILURES_TO_LOCK = 5;
export const FAILURE_WINDOW_MS = 30 * 60_000;
export const LOCK_MS = 20 * 60_000;
/** A whole office may share one address, so an address may fail more often than a name. */
const FREE_ADDRESS_FAILURES = 20;
const MAX_ADDRESS_WAIT_MS = 20 * 60_000;

interface Who {
  name: string;
  address: string;
}

export interface Attempts {
  /** Runs one attempt at a name's secret. Refuses before, when the name is locked or the address must wait. */
  attempt<T>(who: Who, work: () => Promise<T>): Promise<T>;
  /** For proofs nobody can guess, which stay open to the owner of a locked name. */
  fromAddress<T>(address: string, work: () => Promise<T>): Promise<T>;
}

type FailureDeps = Pick<IdentityDeps, 'db' | 'now'>;

export function createAttempts({ db, now }: FailureDeps): Attempts {
  const byName = createRunning();
  const byAddress = createRunning();

  const enter = <T>(who: Who, refuse: (past: Past) => void, work: () => Promise<T>): Promise<T> =>
    byAddress.run(clientKey(who.address), async (atOnce) => {
      const past = await pastOf(db, who, now());
      refuse(past);
      refuseIfHasty(past, now());
      if (atOnce > 0 && atOnce + past.addressFailures >= FREE_ADDRESS_FAILURES)
        throw new AppError('too_many', 'too many sign-ins from your address at once: try again in a moment');
      return work();
    });

  return {
    attempt: (who, work) =>
      byName.run(who.name, (atOnce) => {
        const refuse = (past: Past) => {
          refuseIfLocked(past, now());
          if (atOnce > 0 && atOnce + past.failures >= FAILURES_TO_LOCK)
            throw new AppError('too_many', 'too many sign-ins with this name at once: try again in a moment');
        };
        return enter(who, refuse, work);
      }),
    fromAddress: (address, work) => enter({ name: '', address }, () => undefined, work),
  };
}

interface Running {
  /** Tells the work how many were under way when it came. */
  run<T>(key: string, work: (atOnce: number) => Promise<T>): Promise<T>;
}

/**
 * Attempts whose outcome is not known yet: without counting them, a thousand at once would all be let in. Each is counted before
 * anything is read: one that ends between the reading and the counting would be in neither.
 */
function createRunning(): Running {
  const running = new Map<string, number>();
  return {
    async run(key, work) {
      const atOnce = running.get(key) ?? 0;
      running.set(key, atOnce + 1);
      try {
        return await work(atOnce);
      } finally {
        const left = (running.get(key) ?? 1) - 1;
        if (left === 0) running.delete(key);
        else running.set(key, left);
      }
    },
  };
}

/** Writes one failure; the one that makes the measure full locks the name. */
export async function recordFailure(
  tx: Tx,
  { name, address }: Who,
  { now, audit }: Pick<IdentityDeps, 'now' | 'audit'>,
): Promise<void> {
  const time = now();
  await tx
    .insertInto('sign_in_failure')
    .values({ name, address: clientKey(address), time })
    .execute();
  const failures = await countFailures(tx, name, time);
  if (failures < FAILURES_TO_LOCK) return;
  // They have had their effect: after the lock the name begins again from zero.
  await forgetFailures(tx, name);
  const lock = { since: time, until: time + LOCK_MS, failures, address };
  await tx
    .insertInto('lock_out')
    .values({ name, ...lock })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(lock))
    .execute();
  await publish(tx, { topic: 'lock-out', id: name });
  const until = new Date(lock.until).toISOString();
  await audit.emit(tx, lockedOut, { user: name, failures, until, 'addr.remote': address });
}

/** A name that proved itself starts again from zero; its address does not, or an attacker would reset it with their own account. */
export async function forgetFailures(tx: Tx, name: string): Promise<void> {
  await tx.updateTable('sign_in_failure').set({ name: '' }).where('name', '=', name).execute();
}

export async function liftLockOut(tx: Tx, name: string): Promise<boolean> {
  await forgetFailures(tx, name);
  const result = await tx.deleteFrom('lock_out').where('name', '=', name).executeTakeFirst();
  if (Number(result.numDeletedRows) === 0) return false;
  await publish(tx, { topic: 'lock-out', id: name });
  return true;
}

export async function listLockOuts(db: Db, now: number) {
  return db.selectFrom('lock_out').selectAll().where('until', '>', now).orderBy('until', 'desc').limit(1000).execute();
}

/** Asked once more when a proof was right: of many attempts at once, those after the lock must not count. */
export async function refuseLocked(db: Db, name: string, now: number): Promise<void> {
  const lock = await db.selectFrom('lock_out').select('until').where('name', '=', name).executeTakeFirst();
  refuseIfLocked({ lockedUntil: lock?.until ?? 0 }, now);
}

interface Past {
  lockedUntil: number;
  failures: number;
  addressFailures: number;
  addressLast: number;
}

/** Everything that may speak against an attempt, in one query. */
async function pastOf(db: Db, { name, address }: Who, now: number): Promise<Past> {
  const since = now - FAILURE_WINDOW_MS;
  const row = await db
    .selectFrom('sign_in_failure')
    .select((eb) => [
      eb.fn.countAll<number>().as('addressFailures'),
      eb.fn.max('time').as('addressLast'),
      eb.selectFrom('lock_out').select('until').where('name', '=', name).as('lockedUntil'),
      eb
        .selectFrom('sign_in_failure as by_name')
        .select((inner) => inner.fn.countAll<number>().as('failures'))
        .where('by_name.name', '=', name)
        .where('by_name.time', '>', since)
        .as('failures'),
    ])
    .where('address', '=', clientKey(address))
    .where('time', '>', since)
    .executeTakeFirstOrThrow();
  return {
    lockedUntil: Number(row.lockedUntil ?? 0),
    failures: Number(row.failures ?? 0),
    addressFailures: Number(row.addressFailures),
    addressLast: Number(row.addressLast ?? 0),
  };
}

function refuseIfLocked({ lockedUntil }: Pick<Past, 'lockedUntil'>, now: number): void {
  if (lockedUntil <= now) return;
  throw new AppError(
    'denied',
    `this name is locked after too many failed sign-ins: try again ${inMinutes(lockedUntil - now)}, sign in with a passkey, or ask an administrator to unlock it`,
    { fields: { reason: 'locked', until: new Date(lockedUntil).toISOString() } },
  );
}

/** From the twentieth failure on an address waits after each: a second, two, four, and so on to twenty minutes. */
function refuseIfHasty({ addressFailures, addressLast }: Past, now: number): void {
  if (addressFailures < FREE_ADDRESS_FAILURES) return;
  const waitMs = Math.min(1000 * 2 ** (addressFailures - FREE_ADDRESS_FAILURES), MAX_ADDRESS_WAIT_MS);
  const until = addressLast + waitMs;
  if (until <= now) return;
  throw new AppError('too_many', `too many failed sign-ins from your address: try again ${inMinutes(until - now)}`, {
    fields: { reason: 'slow_down', until: new Date(until).toISOString() },
  });
}

async function countFailures(db: Db, name: string, now: number): Promise<number> {
  const { failures } = await db
    .selectFrom('sign_in_failure')
    .select((eb) => eb.fn.countAll<number>().as('failures'))
    .where('name', '=', name)
    .where('time', '>', now - FAILURE_WINDOW_MS)
    .executeTakeFirstOrThrow();
  return Number(failures);
}

function inMinutes(ms: number): string {
  if (ms < 60_000) return `in ${Math.max(1, Math.ceil(ms / 1000))} seconds`;
  const minutes = Math.ceil(ms / 60_000);
  return minutes === 1 ? 'in a minute' : `in ${minutes} minutes`;
}
