/** Lets people in as database users that are made on the fly, and sees to it that each is disabled when their last session is over, whatever became of who let them in. */
import { createHash } from 'node:crypto';
import { dbUserActivated, dbUserDeactivated, dbUserLeft } from '@gatehouse/contract/kinds/db/db-events';
import { signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { EventStream } from '../../../platform/audit/event-stream.ts';
import type { Log } from '../../../platform/std/log.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { contextOf } from '../../../sessions/host/about-session.ts';
import type { Session } from '../../../sessions/host/session-store.ts';
import { dbSecurity } from '../dial-db.ts';
import { ownRole } from '../engine/mysql/user-maker.ts';
import type { Issued, ServerTerms } from '../engine/server-terms.ts';
import type { LetIn, UserMaker } from '../engine/user-maker.ts';
import { dbTargetOf, type ListedDb, readDb } from '../listed-db.ts';
import type { MadeUser } from '../made-user.ts';
import { dbSessionFields } from '../session-audit.ts';
import { type AdminDeps, openMaker } from './admin-connection.ts';
import { findPending, forgetPending, listPending, markTold, notePending, type PendingUser } from './pending-users.ts';

export interface MadeUsersDeps extends AdminDeps {
  db: Db;
  events: Pick<EventStream, 'write'>;
  log: Log;
  now: () => number;
}

/** One connection of a session, as such a user. */
export interface ServedUser {
  terms: ServerTerms;
  /** Once it is over, or has not come about. */
  left(): void;
}

export interface MadeUsers {
  /** `wanted`: what roles give at the moment of the sign-in. */
  serve(
    db: ListedDb,
    chosen: { dbUser: string; dbName: string },
    as: { session: Session; wanted: () => MadeUser },
  ): ServedUser;
  /** Disables everybody who was left enabled and is not connected through this gateway. Gives how many are left. */
  sweep(): Promise<number>;
  /** Waits for what is under way, a few seconds at most: what is left stands in the store. */
  close(): Promise<void>;
}

/** After a session's end, until the server has noticed it. What is left then is for the sweep. */
const AGAIN_MS = [200, 500, 1_000, 2_000, 5_000, 15_000, 30_000];
const SWEEP_MS = 5 * 60_000;
const FIRST_SWEEP_MS = 2_000;
const CLOSING_MS = 3_000;
const OWN = { user: 'gatehouse', session: 'users' };

export function createMadeUsers(deps: MadeUsersDeps): MadeUsers {
  const { db, events, log, now } = deps;
  /** How many connections of this gateway are in, or about to be, by database and user. */
  const open = new Map<string, number>();
  /** Whoever let them in tries yet to let them out, by what the record was. */
  const leaving = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  const working = new Set<Promise<unknown>>();
  let isClosed = false;

  const work = <Result>(task: Promise<Result>): Promise<Result> => {
    const quiet = task.catch(() => {}).finally(() => working.delete(quiet));
    working.add(quiet);
    return task;
  };

  /** `busy`: somebody is in. Throws why the admin user could not. */
  async function letOut(of: ListedDb, dbUser: string, isDropped?: boolean): Promise<'busy' | 'done'> {
    const { cluster, id } = of.resource;
    const maker = await openMaker(deps, of, dbUser, OWN);
    try {
      const pending = await findPending(db, { cluster, id, dbUser });
      if (open.has(keyOf(of, dbUser))) return 'busy';
      const outcome = await maker.letOut(isDropped ?? pending?.dropped === 1);
      if (outcome === 'busy') return 'busy';
      if (outcome !== 'gone')
        await events.write(dbUserDeactivated, { ...fieldsOf(of, dbUser), dropped: outcome === 'dropped' });
      if (pending) await forgetPending(db, pending);
      return 'done';
    } finally {
      maker.close();
    }
  }

  /** Nobody waits for it. `of`: as it was when they came in, so that a record that is changed or removed meanwhile leaves nobody behind. */
  function letOutSoon(of: ListedDb, dbUser: string, isDropped: boolean, attempt = 0): void {
    const key = keyOf(of, dbUser);
    leaving.delete(key);
    if (open.has(key)) return;
    leaving.add(key);
    void work(letOut(of, dbUser, isDropped)).then(
      (outcome) => {
        if (outcome === 'busy') again();
        else leaving.delete(key);
      },
      (error: unknown) => {
        log.warn({ error, database: of.resource.name, dbUser }, 'a database user is not disabled yet');
        if (attempt === AGAIN_MS.length - 1) void work(tellLeft(of, dbUser, errorMessage(error))).catch(() => {});
        again();
      },
    );
    const again = () => {
      const wait = AGAIN_MS[attempt];
      if (wait === undefined || isClosed) leaving.delete(key);
      else later(wait, () => letOutSoon(of, dbUser, isDropped, attempt + 1));
    };
  }

  function later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms).unref();
    timers.add(timer);
  }

  async function tellLeft(of: ListedDb, dbUser: string, error: string): Promise<void> {
    const { cluster, id } = of.resource;
    const pending = await findPending(db, { cluster, id, dbUser });
    if (!pending || pending.told === 1) return;
    await events.write(dbUserLeft, { ...fieldsOf(of, dbUser), error });
    await markTold(db, pending);
  }

  async function sweepOne(pending: PendingUser): Promise<boolean> {
    const { cluster, id, db_user: dbUser } = pending;
    const key = JSON.stringify([cluster, id, dbUser]);
    if (open.has(key) || leaving.has(key)) return false;
    const of = await readDb(db, { cluster, name: id });
    if (of && targetOf(of) === pending.target) {
      try {
        return (await letOut(of, dbUser)) === 'done';
      } catch (error) {
        log.warn({ error, database: id, dbUser }, 'a database user is not disabled yet');
        await tellLeft(of, dbUser, errorMessage(error));
        return false;
      }
    }
    // Another gateway may be about to let them out yet.
    if (pending.told === 0) {
      await markTold(db, pending);
      return false;
    }
    // Nobody has anything left to sign in with.
    const error = 'the database was removed, or leads elsewhere now: look at the server it led to';
    const about = of
      ? fieldsOf(of, dbUser)
      : { user: dbUser, db_service: id, db_user: dbUser, db_protocol: '', db_uri: '' };
    await events.write(dbUserLeft, { ...about, error });
    await forgetPending(db, pending);
    return true;
  }

  async function sweep(): Promise<number> {
    let left = 0;
    for (const pending of await listPending(db, deps.clusterName)) {
      if (isClosed) return left;
      if (!(await sweepOne(pending))) left += 1;
    }
    return left;
  }

  const sweepSoon = (ms: number): void =>
    later(ms, () => {
      void work(sweep())
        .catch((error: unknown) => log.debug({ error }, 'database users are not looked after'))
        .then(() => {
          if (!isClosed) sweepSoon(SWEEP_MS);
        });
    });
  sweepSoon(FIRST_SWEEP_MS);

  return {
    sweep: () => work(sweep()),

    serve(of, { dbUser, dbName }, { session, wanted }) {
      const { cluster, id } = of.resource;
      const key = keyOf(of, dbUser);
      const who = { user: session.user, session: session.id };
      const isCertified = signInOf(of.spec) === 'certificate';
      let entered: MadeUser | undefined;

      async function letIn(maker: UserMaker): Promise<LetIn> {
        // What cancels comes after the session: it changes nothing.
        if (entered) return await maker.letInAgain();
        const given = wanted();
        const { roles, isDropped } = given;
        const noted = async () => {
          entered = given;
          open.set(key, (open.get(key) ?? 0) + 1);
          await notePending(db, { cluster, id, dbUser }, { target: targetOf(of), isDropped, now: now() });
        };
        const came = await maker.letIn(roles, noted);
        const fields = { ...dbSessionFields(session), db_roles: [...roles], created: came.isNew };
        await events.write(dbUserActivated, fields, contextOf(session));
        return came;
      }

      async function issue(): Promise<Issued> {
        const maker = await openMaker(deps, of, dbUser, who);
        try {
          const { credential } = await letIn(maker);
          return {
            ...{ user: dbUser, credential },
            async settled() {
              try {
                await maker.shut();
              } finally {
                maker.close();
              }
            },
          };
        } catch (error) {
          maker.close();
          throw error;
        }
      }

      return {
        terms: {
          ...{ user: dbUser, database: dbName, credential: { method: 'certificate' }, issue },
          ...(of.spec.protocol === 'mysql' ? { role: ownRole(dbUser) } : {}),
          ...dbSecurity(deps, of, isCertified ? dbUser : undefined),
        },
        left() {
          if (!entered) return;
          const { isDropped } = entered;
          const left = (open.get(key) ?? 1) - 1;
          if (left > 0) open.set(key, left);
          else open.delete(key);
          letOutSoon(of, dbUser, isDropped);
        },
      };
    },

    async close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSING_MS);
      await Promise.race([Promise.all(working), late]);
      clearTimeout(timer);
    },
  };
}

function keyOf({ resource: { cluster, id } }: Pick<ListedDb, 'resource'>, dbUser: string): string {
  return JSON.stringify([cluster, id, dbUser]);
}

/** Where it was made, and by whom. */
function targetOf({ spec }: ListedDb): string {
  return createHash('sha256')
    .update(JSON.stringify([dbTargetOf(spec), spec.adminUser]))
    .digest('base64url');
}

function fieldsOf({ resource, spec }: ListedDb, dbUser: string) {
  return {
    ...{ user: dbUser, db_service: resource.name, db_user: dbUser },
    ...{ db_protocol: spec.protocol, db_uri: spec.uri, db_labels: { ...resource.labels } },
  };
}
