/** Connections from a server with plain OpenSSH to elsewhere: all of a session over one connection to it. */
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { givesCredentials } from '@gatehouse/tunnel/dial/forbidden-addresses';
import type { ClientChannel } from 'ssh2';
import { boundChannel, tellOwnClose } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Forwards, ForwardTarget } from '../../../sessions/commands/running-command.ts';
import type { SshConnection } from './connect-ssh.ts';
import { serverWords } from './server-words.ts';
import { listenOverSsh } from './ssh-listen.ts';

const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
const OPEN_MS = 30_000;

type OpenConnection = Pick<SshConnection, 'client' | 'closed' | 'close'>;

export function forwardsOverSsh(connection: OpenConnection, name: string, signal: AbortSignal): Forwards {
  whenAborted(signal, () => connection.close());
  return {
    open: (target) => openForward(connection, name, target),
    listen: listenOverSsh(connection, name),
    close: () => connection.close(),
  };
}

function openForward({ client, closed }: OpenConnection, name: string, target: ForwardTarget): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    let hasFailed = false;
    const fail = (message: string, cause?: unknown) => {
      hasFailed = true;
      reject(new AppError('unavailable', message, { cause }));
    };
    const to = target.type === 'tcp' ? `${target.host}:${target.port}` : target.path;
    if (target.type === 'tcp' && isCredentials(target.host))
      return fail(`nothing is connected to ${to}: it gives out credentials of a cloud`);
    const timer = setTimeout(() => fail(`the server '${name}' did not connect to ${to}`), OPEN_MS).unref();
    void closed.then(() => fail(`the connection to the server '${name}' was lost`));
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      clearTimeout(timer);
      if (error) return fail(`the server '${name}' does not connect to ${to}: ${serverWords(error)}`, error);
      boundChannel(channel, MAX_AHEAD_BYTES, () => channel.destroy());
      tellOwnClose(channel);
      channel.on('error', () => {});
      // Too late: nobody waits for it any more.
      if (hasFailed) channel.destroy();
      resolve(channel);
    };
    if (target.type === 'tcp') client.forwardOut('127.0.0.1', 0, target.host, target.port, opened);
    else client.openssh_forwardOutStreamLocal(target.path, opened);
  });
}

/** By its address, however that is written. Names are looked up by the server, and what they lead to only its own rules can tell. */
function isCredentials(host: string): boolean {
  // Of numbers in any notation it makes the address that the server would.
  const written = isIP(host) === 0 ? (URL.parse(`http://${host}`)?.hostname ?? '') : host;
  return isIP(written) !== 0 && givesCredentials(written);
}
