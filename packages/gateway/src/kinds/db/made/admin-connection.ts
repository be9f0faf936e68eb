/** Signs in to a database as its admin user, to let one person in or out. */
import { signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Reach } from '../../../reach/reach.ts';
import { connectTo } from '../db-rights.ts';
import { type DbProofs, dbTerms, dialDb } from '../dial-db.ts';
import { mysqlMaker } from '../engine/mysql/user-maker.ts';
import { postgresMaker } from '../engine/postgres/user-maker.ts';
import type { ServerTerms } from '../engine/server-terms.ts';
import type { UserMaker } from '../engine/user-maker.ts';
import type { ListedDb } from '../listed-db.ts';
import { madeUser } from '../made-user.ts';

export interface AdminDeps extends DbProofs {
  reach: Pick<Reach, 'dial'>;
}

/** With the time that its lock may take. Servers of MySQL wait ten seconds for who has dialled and is not in yet. */
const WITHIN_MS = 9_000;
/** Of PostgreSQL: where nothing else is said, the one that every server has. */
const USUAL_DATABASE = 'postgres';
const BY_PASSWORD = { method: 'password' } as const;

/** How the admin user signs in. Throws where nothing is stored for it. */
export function adminTerms(proofs: DbProofs, db: ListedDb): ServerTerms {
  return dbTerms(proofs, db, adminOf(db));
}

/** As whom, and into which database. */
export function adminOf({ spec: { adminUser, protocol } }: ListedDb): { dbUser: string; dbName: string } {
  return { dbUser: adminUser.name, dbName: protocol === 'postgres' ? adminUser.database || USUAL_DATABASE : '' };
}

/** Holds the lock on this user until it is closed. */
export async function openMaker(
  deps: AdminDeps,
  db: ListedDb,
  user: string,
  who: { user: string; session: string },
): Promise<UserMaker> {
  const { protocol, adminUser, tls } = db.spec;
  const open = protocol === 'mysql' ? mysqlMaker : postgresMaker;
  const terms = adminTerms(deps, db);
  const signal = AbortSignal.timeout(WITHIN_MS);
  const bare = await dialDb(deps.reach, db, { who });
  const byCertificate = { method: 'certificate', organization: deps.clusterName } as const;
  // Whatever becomes of it: the lock is let go of with the connection.
  const made = {
    ...{ user, admin: adminUser.name, isEncrypted: tls.mode !== 'off' },
    by: signInOf(db.spec) === 'certificate' ? byCertificate : BY_PASSWORD,
  };
  try {
    return await open(bare, terms, made, signal);
  } catch (error) {
    bare.destroy();
    throw error;
  }
}

/** A role has users made on the fly: nobody comes in as somebody that the database has, whose roles nobody holds to. */
export function refuseUnmade({ spec, resource }: Pick<ListedDb, 'spec' | 'resource'>, dbUser: string): void {
  if (spec.adminUser.name !== '') return;
  const isSpoken = spec.protocol === 'postgres' || spec.protocol === 'mysql';
  throw new AppError(
    'conflict',
    `a role of yours has the database user '${dbUser}' made when you connect (create_db_user_mode), and ${
      isSpoken
        ? `the record of '${resource.name}' names no admin user who makes it`
        : `that is done for PostgreSQL, MySQL and MariaDB alone, not for '${resource.name}'`
    }`,
  );
}

/** What is only tried makes nobody: whoever is not there yet could not be let in, and the server's words would lead to making them by hand. */
export function refuseMadeTry(
  access: Pick<AccessControl, 'of'>,
  actor: Actor,
  db: ListedDb,
  chosen: { dbUser: string; dbName: string },
): void {
  const { name } = db.spec.adminUser;
  if (name === '' || !madeUser(access.of(actor), connectTo(db, chosen))) return;
  throw new AppError(
    'bad_request',
    `'${chosen.dbUser}' is made when somebody connects, and nobody is made for a test`,
    {
      fields: { next: `name the admin user to try it: ${name}` },
    },
  );
}
