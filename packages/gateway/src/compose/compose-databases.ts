/** Puts together what databases are made of: their records, the passwords for them, and the door of programs. */
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { Identity } from '../identity/identity.ts';
import type { Sockets } from '../identity/sockets/sockets.ts';
import type { ListIndex } from '../inventory/list-index/create-list-index.ts';
import { dbHandlers } from '../kinds/db/db-handlers.ts';
import { createDbSecrets } from '../kinds/db/db-secrets.ts';
import { dbSessionHandlers } from '../kinds/db/db-session-handlers.ts';
import { dbTcpDoor } from '../kinds/db/open-db.ts';
import { createServedKeys } from '../kinds/db/serve-postgres.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { EventStream } from '../platform/audit/event-stream.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { Reach } from '../reach/reach.ts';
import type { SessionHost } from '../sessions/host/session-host.ts';
import { createMfaPasses } from '../sessions/tcp/mfa-passes.ts';
import { serveTcpSocket } from '../sessions/tcp/tcp-socket.ts';

export interface ComposeDatabasesDeps {
  db: Db;
  box: SecretBox;
  access: AccessControl;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  audit: Audit;
  events: EventStream;
  identity: Pick<Identity, 'proveAgain'>;
  host: SessionHost;
  agents: AgentConnections;
  reach: Reach;
  index: ListIndex;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Databases {
  handlers: FeatureHandlers<'databases'>;
  /** Call it before the application is ready. */
  serve(sockets: Sockets): void;
}

export function composeDatabases(parts: ComposeDatabasesDeps): Databases {
  const secrets = createDbSecrets(parts.box);
  const deps = { ...parts, secrets, passes: createMfaPasses(parts.now), keys: createServedKeys() };
  return {
    handlers: { databases: { ...dbHandlers(deps), ...dbSessionHandlers(deps) } },
    serve: (sockets) => serveTcpSocket(sockets, dbTcpDoor(deps)),
  };
}
