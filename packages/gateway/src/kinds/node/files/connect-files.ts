/** Opens the files of a server as a login: through the agent, whose process for it has that login's rights alone, or by SSH. */
import type { Duplex } from 'node:stream';
import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import { FILES_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { boundChannel } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import type { Reach } from '../../../reach/reach.ts';
import type { NodeConnections } from '../connect-node.ts';
import type { SshConnection } from '../engine/connect-ssh.ts';
import { SshFailure } from '../engine/ssh-failure.ts';
import type { FileSession } from './file-session.ts';
import { SftpClient } from './sftp/sftp-client.ts';

/** Twice the window that ssh2 gives a channel. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
const SUBSYSTEM_MS = 20_000;

export interface FileConnectionDeps {
  reach: Pick<Reach, 'toAgent'>;
  nodes: Pick<NodeConnections, 'connect'>;
}

export async function connectFiles(deps: FileConnectionDeps, { facts, signal }: FileSession): Promise<SftpClient> {
  const { id, action, user, signInId } = facts;
  const { resource, login } = action;
  const who = { user, session: id };
  if (nodeSpec.parse(resource.spec).type === 'agent')
    return SftpClient.greet(await deps.reach.toAgent(resource, FILES_TARGET, { who, metadata: { login }, signal }));
  // No terminal is needed for this, so the certificate allows none.
  const connection = await deps.nodes.connect({ resource, login, who: { ...who, signInId }, permits: [], signal });
  try {
    const channel = await openSubsystem(connection, resource.name);
    channel.once('close', () => connection.close());
    return await SftpClient.greet(channel);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function openSubsystem({ client, closed }: SshConnection, name: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const fail = (message: string, cause?: unknown) =>
      reject(
        new SshFailure('login_refused', message, {
          stage: 'login',
          cause,
          next: "look whether its configuration has the line 'Subsystem sftp internal-sftp'",
        }),
      );
    const timer = setTimeout(() => fail(`the server '${name}' did not begin to serve files`), SUBSYSTEM_MS).unref();
    void closed.then(() => fail(`the server '${name}' closed the connection instead of serving files`));
    client.subsys('sftp', (error, channel) => {
      clearTimeout(timer);
      if (error) fail(`the server '${name}' does not serve files by SFTP`, error);
      else {
        boundChannel(channel, MAX_AHEAD_BYTES, () => channel.destroy());
        // Nothing of SFTP travels there; unread it would lie in memory.
        channel.stderr.resume();
        resolve(channel);
      }
    });
  });
}
