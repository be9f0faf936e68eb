/** Puts together what databases are made of: their records, the passwords for them, and the door of programs. */
import type { Alert } from '@gatehouse/contract/console/clusters';
import type { FastifyInstance } from 'fastify';
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { ResourceDocuments } from '../identity/apply/resource-documents.ts';
import type { DbAuthorities } from '../identity/authorities/db/create-db-authorities.ts';
import { dbAuthorityHandlers } from '../identity/authorities/db/db-authority-handlers.ts';
import type { Identity } from '../identity/identity.ts';
import type { Sockets } from '../identity/sockets/sockets.ts';
import type { ListIndex } from '../inventory/list-index/create-list-index.ts';
import { approvalHandlers } from '../kinds/db/approval/approval-handlers.ts';
import { type Approvals, createStatementApprovals } from '../kinds/db/approval/approvals.ts';
import type { CloudSignIns } from '../kinds/db/clouds/cloud-sign-ins.ts';
import { dbAlerts } from '../kinds/db/db-alerts.ts';
import { dbDocuments } from '../kinds/db/db-documents.ts';
import { dbHandlers } from '../kinds/db/db-handlers.ts';
import { createDbRecordings } from '../kinds/db/db-recordings.ts';
import { createDbSecrets } from '../kinds/db/db-secrets.ts';
import { dbSessionHandlers } from '../kinds/db/db-session-handlers.ts';
import type { DbStates } from '../kinds/db/db-states.ts';
import { dbTrustHandlers } from '../kinds/db/db-trust-handlers.ts';
import { createDoorTls, type ServedCertificate } from '../kinds/db/door-tls.ts';
import { createMadeUsers, type MadeUsers } from '../kinds/db/made/made-users.ts';
import { createMysqlDoor, type MysqlDoor } from '../kinds/db/mysql-door.ts';
import { createNativeDoor } from '../kinds/db/native-door.ts';
import { dbTcpDoor } from '../kinds/db/open-db.ts';
import { createServedKeys } from '../kinds/db/served-keys.ts';
import { createServedThreads } from '../kinds/db/served-threads.ts';
import { serveDbStreams } from '../kinds/db/stream-door.ts';
import { serveEditorSocket } from '../kinds/db/workbench/editor-socket.ts';
import { createStatementBook } from '../kinds/db/workbench/statement-book.ts';
import { WatchedSessions } from '../kinds/db/workbench/watched-session.ts';
import { createWorkbenchThread } from '../kinds/db/workbench/workbench-thread.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { EventStream } from '../platform/audit/event-stream.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { Clusters } from '../platform/http/cluster.ts';
import type { NativeDoor } from '../platform/http/hosts/first-bytes.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import { isPostgres } from '../platform/storage/named-lock.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { JoinTokens } from '../reach/agents/join-tokens/redeem-join-token.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { Reach } from '../reach/reach.ts';
import type { SessionHost } from '../sessions/host/session-host.ts';
import type { StatementRecorders } from '../sessions/statements/statement-recorder.ts';
import { createMfaPasses } from '../sessions/tcp/mfa-passes.ts';
import { serveTcpSocket } from '../sessions/tcp/tcp-socket.ts';

export interface ComposeDatabasesDeps {
  clusters: Clusters;
  db: Db;
  feed: ChangeFeed;
  box: SecretBox;
  dbAuthorities: DbAuthorities;
  states: DbStates;
  clouds: CloudSignIns;
  access: AccessControl;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  audit: Audit;
  events: EventStream;
  identity: Pick<
    Identity,
    'authenticate' | 'askForFactor' | 'proveAgain' | 'requireOwnFactor' | 'callerOf' | 'requireHere' | 'active'
  >;
  /** Served to people; undefined without TLS. */
  served(): ServedCertificate | undefined;
  /** The name that people open the gateway by. */
  publicHost(): string;
  requireStore(): void;
  host: SessionHost;
  /** Undefined: nothing is recorded. */
  statements: StatementRecorders | undefined;
  agents: AgentConnections;
  reach: Reach;
  index: ListIndex;
  tokens: JoinTokens;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Databases {
  /** Their records, for who keeps them in files. */
  documents: ResourceDocuments;
  handlers: FeatureHandlers<'databases' | 'dbAuthorities' | 'dbApprovals' | 'dbTrust'>;
  /** What somebody is warned of. */
  alerts(actor: Actor): Promise<Alert[]>;
  /** Call it before the application is ready. */
  serve(sockets: Sockets, app: FastifyInstance): void;
  /** Of programs that speak a database's own protocol with TLS; undefined without TLS. */
  native: NativeDoor | undefined;
  /** Listens to nobody before it is told to; undefined without TLS. */
  mysqlDoor: MysqlDoor | undefined;
  /** Users that are made on the fly. */
  made: Pick<MadeUsers, 'sweep'>;
  /** What was approved, for who runs it. */
  approvals: Pick<Approvals, 'take' | 'tidy'>;
  /** When every session that has ended is in its recording. */
  recorded(): Promise<void>;
  close(): Promise<void>;
}

const TIDY_MS = 10 * 60_000;

export function composeDatabases(parts: ComposeDatabasesDeps): Databases {
  const secrets = createDbSecrets(parts.box);
  const recordings = createDbRecordings({ recorder: parts.statements, log: parts.log });
  // With SQLite there is one gateway.
  const others = isPostgres(parts.db) ? parts : undefined;
  const keys = createServedKeys(others);
  const threads = createServedThreads(others);
  const made = createMadeUsers({ ...parts, secrets });
  const approvals = createStatementApprovals(parts);
  const tidying = setInterval(() => {
    void approvals
      .tidy()
      .catch((error: unknown) => parts.log.warn({ error }, 'approvals that ran out are not settled'));
  }, TIDY_MS).unref();
  const deps = { ...parts, approvals, secrets, passes: createMfaPasses(parts.now), keys, recordings, threads, made };
  const thread = createWorkbenchThread(parts);
  const tls = parts.served() && createDoorTls(parts);
  const mysqlDoor = tls && createMysqlDoor({ ...deps, tls });
  return {
    documents: dbDocuments(deps),
    native: tls && createNativeDoor({ ...deps, tls }),
    mysqlDoor,
    made,
    approvals,
    handlers: {
      databases: { ...dbHandlers(deps), ...dbSessionHandlers(deps) },
      dbAuthorities: dbAuthorityHandlers(deps),
      dbApprovals: approvalHandlers(deps),
      dbTrust: dbTrustHandlers({ ...deps, mysqlPort: () => mysqlDoor?.port() }),
    },
    alerts: (actor) => dbAlerts(deps, actor),
    serve(sockets, app) {
      serveDbStreams(app, deps);
      serveTcpSocket(sockets, dbTcpDoor(deps));
      serveEditorSocket(sockets, { ...deps, thread, book: createStatementBook(deps), watched: new WatchedSessions() });
    },
    recorded: () => recordings.settled(),
    async close() {
      clearInterval(tidying);
      await made.close();
      keys.close();
      threads.close();
      await thread.close();
    },
  };
}
