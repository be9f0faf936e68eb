/** Lets a client of SFTP at one of our doors use the files of a server: opened as the login, relayed by packet, told to the audit log. */
import type { Duplex } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { Touched } from './files-audit.ts';
import { openSftp, type SftpDeps } from './open-sftp.ts';
import { relaySftp, type SftpRelay } from './sftp/relay/relay-sftp.ts';
import { sftpAudit } from './sftp-audit.ts';

export interface RelayFilesDeps extends SftpDeps {
  db: Db;
  audit: Audit;
}

export interface RelayFiles extends Pick<Touched, 'facts' | 'address'> {
  /** Speaks SFTP 3; read and written here, and left open for whoever gave it. */
  client: Duplex;
  /** The session is over. */
  signal: AbortSignal;
}

/** Rejects where the server cannot be reached or does not serve files. */
export async function relayFiles(
  deps: RelayFilesDeps,
  { facts, address, client, signal }: RelayFiles,
): Promise<SftpRelay> {
  const { id, action, user, signInId } = facts;
  const { resource, login } = action;
  const server = await openSftp(deps, { resource, login, who: { user, session: id, signInId }, signal });
  const relay = relaySftp({ client, server, onObserved: sftpAudit(deps, { facts, address }) });
  const forget = whenAborted(signal, () => relay.end('the session is over'));
  void relay.ended.then(forget);
  return relay;
}
