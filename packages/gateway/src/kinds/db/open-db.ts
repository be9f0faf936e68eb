/** Opens sessions with databases: finds the one that is wanted, decides, accounts, and serves it in its protocol. */
import { randomUUID } from 'node:crypto';
import { type Duplex, duplexPair } from 'node:stream';
import { DB_TCP_SOCKET, dbRoute } from '@gatehouse/contract/kinds/db/databases';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { AccessControl } from '../../access/create-access.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { Reach } from '../../reach/reach.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import type { MfaPasses } from '../../sessions/tcp/mfa-passes.ts';
import type { TcpConnection, TcpDoor, TcpOpening } from '../../sessions/tcp/tcp-socket.ts';
import { narrowed } from './db-list.ts';
import type { DbSecrets } from './db-secrets.ts';
import { type DbDial, dbTerms, dialDb } from './dial-db.ts';
import { type ListedDb, readDb } from './listed-db.ts';
import { type ServedKeys, servePostgres } from './serve-postgres.ts';
import { tellRefusedByDb } from './session-audit.ts';
import { type StatementTelling, tellStatements } from './tell-statements.ts';

export interface OpenDbDeps {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
  host: SessionHost;
  reach: Pick<Reach, 'dial'>;
  secrets: Pick<DbSecrets, 'passwordOf'>;
  events: Pick<EventStream, 'write'>;
  passes: MfaPasses;
  keys: ServedKeys;
  clusterName: string;
  log: Log;
  now: () => number;
}

/** As whom, and which: both decided. */
interface Chosen {
  dbUser: string;
  dbName: string;
}

export async function findSeenDb(
  { db, access, clusterName }: Pick<OpenDbDeps, 'db' | 'access' | 'clusterName'>,
  actor: Actor,
  name: string,
): Promise<ListedDb> {
  const found = await readDb(db, { cluster: clusterName, name });
  if (found && access.decide(actor, { type: 'see', kind: 'db', resource: found.resource }).allowed) return found;
  throw notFound('database', name);
}

/** The door of programs to databases. */
export function dbTcpDoor(deps: OpenDbDeps): TcpDoor {
  return {
    kind: 'db',
    path: DB_TCP_SOCKET,
    passes: deps.passes,
    async find(actor, name, query) {
      const listed = await findSeenDb(deps, actor, name);
      const chosen = choose(listed, parseInput(dbRoute, query, 'query'));
      return {
        name: listed.resource.name,
        open: (opening) => openDbSession(deps, listed, chosen, opening),
        dial: (options) => connectDb(deps, listed, chosen, options),
      };
    },
  };
}

/** What the record names narrows what roles give; they decide when it is opened. */
function choose({ spec, resource }: ListedDb, { dbUser, dbName }: Chosen): Chosen {
  const database = dbName || spec.database;
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

/** What a record asks for and nobody would hold: to open it all the same would be less than was said. */
function notYet({ protocol, readOnly, limits }: ListedDb['spec']): string | undefined {
  if (protocol !== 'postgres') return `a door for '${protocol}'`;
  if (readOnly) return "'readOnly'";
  if (limits.initSql.length > 0) return "'limits.initSql'";
  return limits.statementTimeoutMs > 0 ? "'limits.statementTimeoutMs'" : undefined;
}

async function openDbSession(
  { host }: OpenDbDeps,
  { resource, spec }: ListedDb,
  { dbUser, dbName }: Chosen,
  { caller, address, requestId, call, proveFactor }: TcpOpening,
): Promise<HostedSession> {
  const missing = notYet(spec);
  if (missing !== undefined)
    throw new AppError(
      'not_available',
      `the database '${resource.name}' cannot be opened: ${missing} is not built yet`,
    );
  const hosted = await host.open({
    caller,
    // Locks of one agent close one way to it, not the database.
    action: { type: 'connect', kind: 'db', resource: { ...resource, owner: '' }, dbUser, dbName },
    address,
    requestId,
    call,
    proveFactor,
    request: randomUUID(),
    size: { cols: 0, rows: 0 },
    agent: undefined,
    recorded: false,
  });
  const { username, signInId } = caller;
  hosted.enter({ id: hosted.id, username, signInId, address, mode: 'peer', onRemoved: (end) => hosted.finish(end) });
  return hosted;
}

/** Answers before the database is dialled: a client hears in its own protocol why nothing came of it. */
async function connectDb(
  deps: OpenDbDeps,
  listed: ListedDb,
  chosen: Chosen,
  { who, hosted }: DbDial & { hosted: HostedSession },
): Promise<TcpConnection> {
  const { reach, secrets, events, keys, log, now } = deps;
  const { session } = hosted;
  const terms = dbTerms(secrets, listed, chosen);
  const [near, far] = duplexPair();
  let telling: StatementTelling | undefined;
  const dial = (): Promise<Duplex> => dialDb(reach, listed, { who });
  const served = servePostgres({
    client: far,
    terms,
    dial,
    keys,
    database: chosen.dbName,
    connected: () => hosted.connected(),
    teller({ backend }) {
      telling = tellStatements({
        events,
        session,
        door: 'tunnel',
        backend,
        values: listed.spec.values,
        log,
        now,
        failed: () => hosted.finish({ cause: 'failed', message: 'what is done there cannot be written down' }),
      });
      return telling;
    },
  });
  void served.over
    .catch(async (error: unknown) => {
      await tellRefusedByDb(events, session, errorMessage(error)).catch((lost: unknown) =>
        log.error({ error: lost, session: session.id }, 'a refusal could not be told'),
      );
      hosted.finish({ cause: 'failed', message: errorMessage(error) });
    })
    .finally(() => telling?.close());
  return { stream: near, end: (reason) => served.end(reason), isBusy: () => served.isBusy() };
}
