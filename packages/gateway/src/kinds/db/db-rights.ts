/** What somebody may use on a connection that is open, beside the database they came for: as of the last decision about them. */
import type { ConnectTo } from '../../access/action.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import type { SessionPart } from '../../sessions/host/session-parts.ts';
import { narrowed } from './db-list.ts';
import type { ListedDb } from './listed-db.ts';
import { type MadeUser, madeUser } from './made-user.ts';

/** Of those that were changed to on one connection. */
const MAX_USED = 1_024;
/** Names that differ in case alone may be one to the server: what is denied is denied however it is written. */
const IGNORES_CASE: ReadonlySet<string> = new Set(['mysql', 'sqlserver']);

/** What a role that gives any name gives; no database of Redis is called so. */
const ANY = '*';

const LESS = 'access denied: your roles give you less in the database than you were let in with: connect again';

/** As whom, and which. */
export interface Chosen {
  dbUser: string;
  dbName: string;
}

export interface DbRights extends SessionPart {
  onTerms(owner: Actor): void;
  whyNot: NonNullable<SessionPart['whyNot']>;
  /** Whether this database may be used from now on, too. */
  mayUse(database: string): boolean;
  /** Whether nothing narrows which databases may be used. */
  mayUseAll(): boolean;
  /** Whether roles have the database user made, and with what; asked once more for each connection. */
  made(): MadeUser | undefined;
  /** The same, for who is let in by it: when less is given, they are let in no longer. */
  takeMade(): MadeUser;
}

/** What is decided about. */
export function connectTo({ resource, spec }: ListedDb, { dbUser, dbName }: Chosen) {
  return {
    ...{ type: 'connect', kind: 'db', dbUser, dbName },
    // Locks of one agent close one way to it, not the database.
    resource: { ...resource, owner: '' },
    ...(IGNORES_CASE.has(spec.protocol) ? { ignoresCase: true } : {}),
  } as const satisfies ConnectTo<'db'> & { resource: Resource };
}

export function createDbRights(
  access: Pick<AccessControl, 'decide' | 'of'>,
  { listed, chosen }: { listed: ListedDb; chosen: Chosen },
): DbRights {
  const used = new BoundedMap<string, true>(MAX_USED);
  const allows = (owner: Actor, dbName: string) =>
    narrowed([dbName], listed.spec.names).length > 0 &&
    access.decide(owner, connectTo(listed, { ...chosen, dbName })).allowed;
  const allowsAll = (owner: Actor) =>
    listed.spec.names.length === 0 &&
    allows(owner, ANY) &&
    !access.of(owner).roles.some(({ deny }) => (deny.principals.get('db_names') ?? []).length > 0);
  let mayUseNow: (database: string) => boolean = () => false;
  let mayUseAllNow = () => false;
  const madeFor = (owner: Actor) => madeUser(access.of(owner), connectTo(listed, chosen));
  let madeNow: MadeUser | undefined;
  let taken: MadeUser | undefined;

  return {
    /** It may have been left again since: a connection tells nobody where it is. */
    whyNot(owner) {
      if (taken && isLess(madeFor(owner), taken)) return { cause: 'denied', message: LESS };
      const lost = [...used.keys()].find((database) => !allows(owner, database));
      if (lost === undefined) return undefined;
      const message = `access denied: none of your roles lets you use '${lost}' of '${listed.resource.name}' any more`;
      return { cause: 'denied', message };
    },
    onTerms(owner) {
      mayUseNow = (database) => allows(owner, database);
      mayUseAllNow = () => allowsAll(owner);
      madeNow = madeFor(owner);
    },
    made: () => madeNow,
    takeMade() {
      // Between the decision and the sign-in it may have been taken away.
      if (!madeNow) throw new AppError('denied', LESS);
      taken = madeNow;
      return madeNow;
    },
    mayUse(database) {
      if (database === chosen.dbName) return true;
      if (!mayUseNow(database)) return false;
      used.set(database, true);
      return true;
    },
    mayUseAll: () => mayUseAllNow(),
  };
}

function isLess(now: MadeUser | undefined, before: MadeUser): boolean {
  return !now || before.roles.some((role) => !now.roles.includes(role));
}
