/** The database that somebody wants, as whom, and which one in it: found among what they see, and narrowed by its record. */
import { usualDatabase } from '@gatehouse/contract/kinds/db/db-address';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { narrowed } from './db-list.ts';
import { type Chosen, createDbRights, type DbRights } from './db-rights.ts';
import { type ListedDb, readDb } from './listed-db.ts';
import { refuseUnmade } from './made/admin-connection.ts';
import { mustAsk } from './must-ask.ts';

export interface WantedDbDeps {
  db: Db;
  access: Pick<AccessControl, 'decide' | 'of'>;
  clusterName: string;
}

/** Not decided yet: that is done when it is opened. */
export interface WantedDb {
  /** What they write waited for somebody's approval when it was found. */
  mustAsk: boolean;
  listed: ListedDb;
  chosen: Chosen;
  rights: DbRights;
}

/** Throws `not_found`, alike for what is not there and what is not seen. */
export async function findSeenDb({ db, access, clusterName }: WantedDbDeps, actor: Actor, name: string) {
  const found = await readDb(db, { cluster: clusterName, name });
  if (found && access.decide(actor, { type: 'see', kind: 'db', resource: found.resource }).allowed) return found;
  throw notFound('database', name);
}

export async function findWantedDb(
  deps: WantedDbDeps,
  actor: Actor,
  { name, ...asked }: Chosen & { name: string },
): Promise<WantedDb> {
  const listed = await findSeenDb(deps, actor, name);
  const chosen = choose(listed, asked);
  const rights = createDbRights(deps.access, { listed, chosen });
  rights.onTerms(actor);
  if (rights.made()) refuseUnmade(listed, chosen.dbUser);
  return { mustAsk: mustAsk(deps.access, actor), listed, chosen, rights };
}

/** What the record names narrows what roles give. */
export function choose({ spec, resource, wrong }: ListedDb, { dbUser, dbName }: Chosen): Chosen {
  if (wrong !== '')
    throw new AppError('conflict', `the record of '${resource.name}' lets nobody in until it is changed: ${wrong}`);
  const database = dbName || usualDatabase(spec.protocol, spec.database);
  if (database === '')
    throw new AppError('bad_request', `name a database of '${resource.name}': it has none that is used without a name`);
  if (narrowed([dbUser], spec.users).length === 0)
    throw new AppError(
      'denied',
      `the database '${resource.name}' takes the users ${spec.users.join(', ')}, not '${dbUser}'`,
    );
  if (narrowed([database], spec.names).length === 0)
    throw new AppError('denied', `'${resource.name}' has the databases ${spec.names.join(', ')}, not '${database}'`);
  return { dbUser, dbName: database };
}
