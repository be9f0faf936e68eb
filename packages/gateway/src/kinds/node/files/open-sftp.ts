/** A stream that speaks SFTP 3 with the files of a server as a login: by a process of that login's at its agent, or by SSH. */
import type { Duplex } from 'node:stream';
import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import { FILES_TARGET } from '@gatehouse/contract/reach/agents/targets';
import type { Resource } from '../../../inventory/resource-store.ts';
import { boundChannel, tellOwnClose } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import type { DialOptions, Reach } from '../../../reach/reach.ts';
import type { NodeConnections } from '../connect-node.ts';
import type { SshConnection } from '../engine/connect-ssh.ts';
import { SshFailure } from '../engine/ssh-failure.ts';

/** Twice the window that ssh2 gives a channel. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
const SUBSYSTEM_MS = 20_000;

export interface SftpDeps {
  reach: Pick<Reach, 'toAgent'>;
  nodes: Pick<NodeConnections, 'connect'>;
}

export interface SftpLogin {
  /** The very object access was decided for. */
  resource: Resource;
  login: string;
  who: DialOptions['who'] & { signInId?: string };
  signal?: AbortSignal | undefined;
}

/** Whichever way the server is reached. */
export async function openSftp(deps: SftpDeps, wanted: SftpLogin): Promise<Duplex> {
  const { type } = nodeSpec.parse(wanted.resource.spec);
  return await (type === 'agent' ? openAgentSftp(deps, wanted) : openSshSftp(deps, wanted));
}

export function openAgentSftp(
  { reach }: Pick<SftpDeps, 'reach'>,
  { resource, login, who, signal }: SftpLogin,
): Promise<Duplex> {
  const { user, session } = who;
  return reach.toAgent(resource, FILES_TARGET, { who: { user, session }, metadata: { login }, signal });
}

/** Its connection ends with it. */
export async function openSshSftp(
  { nodes }: Pick<SftpDeps, 'nodes'>,
  { resource, login, who, signal }: SftpLogin,
): Promise<Duplex> {
  // No terminal is needed for this, so the certificate allows none.
  const connection = await nodes.connect({ resource, login, who, permits: [], signal });
  try {
    const channel = await openSubsystem(connection, resource.name);
    channel.once('close', () => connection.close());
    return channel;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** On a connection that others use too. */
export function openSubsystem(
  { client, closed }: Pick<SshConnection, 'client' | 'closed'>,
  name: string,
  waitMs = SUBSYSTEM_MS,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    let hasFailed = false;
    const fail = (message: string, cause?: unknown) => {
      hasFailed = true;
      reject(
        new SshFailure('login_refused', message, {
          stage: 'login',
          cause,
          next: "look whether its configuration has the line 'Subsystem sftp internal-sftp'",
        }),
      );
    };
    const timer = setTimeout(() => fail(`the server '${name}' did not begin to serve files`), waitMs).unref();
    void closed.then(() => fail(`the server '${name}' closed the connection instead of serving files`));
    client.subsys('sftp', (error, channel) => {
      clearTimeout(timer);
      if (error) fail(`the server '${name}' does not serve files by SFTP`, error);
      else {
        boundChannel(channel, MAX_AHEAD_BYTES, () => channel.destroy());
        tellOwnClose(channel);
        channel.on('error', () => {});
        // Too late: nobody waits for it any more, and the connection is also others'.
        if (hasFailed) channel.close();
        // Nothing of SFTP travels there; unread it would lie in memory.
        channel.stderr.resume();
        resolve(channel);
      }
    });
  });
}
