/** Puts together what files of servers are made of. */
import type { AccessControl } from './access/create-access.ts';
import type { Audit } from './audit/emit.ts';
import type { Identity } from './auth/identity.ts';
import type { ChangeFeed } from './changes/change-feed.ts';
import type { Servers } from './compose-servers.ts';
import type { Denials } from './explain/record-denials.ts';
import { fileHandlers } from './files/file-handlers.ts';
import { createFileSessions, type FileSessions } from './files/file-sessions.ts';
import { createFilesAudit } from './files/files-audit.ts';
import { scpHandlers } from './files/scp-handlers.ts';
import { createTickets } from './files/tickets.ts';
import type { FeatureHandlers } from './http/api-handlers.ts';
import type { Owners } from './sessions/host/owners.ts';
import { createSessionAudit } from './sessions/host/session-audit.ts';
import type { Log } from './std/log.ts';
import type { Db } from './storage/tables.ts';

export interface FileParts {
  db: Db;
  feed: ChangeFeed;
  access: AccessControl;
  owners: Owners;
  audit: Audit;
  denials: Denials;
  identity: Pick<Identity, 'proveAgain' | 'byCookie' | 'callerOf'>;
  servers: Pick<Servers, 'nodes' | 'reach'>;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Files {
  handlers: FeatureHandlers<'files' | 'scp'>;
  sessions: FileSessions;
}

export function composeFiles(parts: FileParts): Files {
  const sessions = createFileSessions({ ...parts, ...parts.servers, audit: createSessionAudit(parts.audit) });
  const deps = { ...parts, sessions, audit: createFilesAudit(parts), tickets: createTickets(parts) };
  return { sessions, handlers: { files: fileHandlers(deps), scp: scpHandlers(deps) } };
}
