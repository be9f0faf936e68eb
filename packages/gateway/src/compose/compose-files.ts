/** Puts together what files of servers are made of. */
import type { AccessControl } from '../access/create-access.ts';
import type { Denials } from '../identity/explain/record-denials.ts';
import type { Identity } from '../identity/identity.ts';
import { fileHandlers } from '../kinds/node/files/file-handlers.ts';
import { createFileSessions, type FileSessions } from '../kinds/node/files/file-sessions.ts';
import { createFilesAudit } from '../kinds/node/files/files-audit.ts';
import { scpHandlers } from '../kinds/node/files/scp-handlers.ts';
import { createTickets } from '../kinds/node/files/tickets.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import { createSessionAudit } from '../sessions/host/session-audit.ts';
import type { SessionHost } from '../sessions/host/session-host.ts';
import type { Servers } from './compose-servers.ts';

export interface ComposeFilesDeps {
  db: Db;
  access: AccessControl;
  host: SessionHost;
  audit: Audit;
  denials: Denials;
  identity: Pick<Identity, 'proveAgain' | 'callerOf'>;
  servers: Pick<Servers, 'nodes' | 'reach' | 'kinds'>;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Files {
  handlers: FeatureHandlers<'files' | 'scp'>;
  sessions: FileSessions;
}

export function composeFiles(parts: ComposeFilesDeps): Files {
  const sessions = createFileSessions({
    ...parts,
    ...parts.servers,
    audit: createSessionAudit(parts.audit, parts.servers.kinds),
  });
  const deps = { ...parts, sessions, audit: createFilesAudit(parts), tickets: createTickets(parts) };
  return { sessions, handlers: { files: fileHandlers(deps), scp: scpHandlers(deps) } };
}
