/** Has a server with plain OpenSSH listen for a program: what comes in there is handed on. */
import type { Channel } from 'ssh2';
import { boundChannel, tellOwnClose } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { CameIn, Forwards, ForwardTarget, Listening } from '../../../sessions/commands/running-command.ts';
import type { SshConnection } from './connect-ssh.ts';

/** Twice the window that ssh2 gives a channel. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
const LISTEN_MS = 30_000;

interface Came {
  destIP?: string;
  destPort?: number;
  srcIP?: string;
  srcPort?: number;
  socketPath?: string;
}

/** As long as the connection is. */
export function listenOverSsh(
  { client, closed }: Pick<SshConnection, 'client' | 'closed'>,
  name: string,
): NonNullable<Forwards['listen']> {
  const listeners = new Map<string, (came: CameIn) => void>();
  const take = (key: string, { srcIP = '', srcPort = 0 }: Came, accept: () => Channel, reject: () => void) => {
    const listener = listeners.get(key);
    if (!listener) return reject();
    listener({ from: { host: srcIP.slice(0, 253), port: srcPort }, accept: () => bounded(accept()), reject });
  };
  client.on('tcp connection', (came: Came, accept, reject) =>
    take(`${came.destIP}:${came.destPort}`, came, accept, reject),
  );
  client.on('unix connection', (came: Came, accept, reject) => take(came.socketPath ?? '', came, accept, reject));

  return (at, onCameIn) =>
    new Promise<Listening>((resolve, reject) => {
      let isLate = false;
      const fail = (message: string, cause?: unknown) => {
        isLate = true;
        reject(new AppError('unavailable', message, { cause }));
      };
      const where = at.type === 'tcp' ? `${at.host}:${at.port}` : at.path;
      const timer = setTimeout(() => fail(`the server '${name}' did not listen on ${where}`), LISTEN_MS).unref();
      void closed.then(() => fail(`the connection to the server '${name}' was lost`));
      const heard = (error: Error | null | undefined, given?: number) => {
        clearTimeout(timer);
        if (error)
          return fail(
            `the server '${name}' does not listen on ${where}: the address may be in use, or its sshd has 'AllowTcpForwarding' turned off`,
            error,
          );
        const port = at.type === 'tcp' ? (given ?? at.port) : 0;
        const key = at.type === 'tcp' ? `${at.host}:${port}` : at.path;
        const close = () => {
          if (listeners.delete(key)) stop(at, port);
        };
        listeners.set(key, onCameIn);
        // Nobody waits for it any more.
        if (isLate) close();
        else resolve({ port, close });
      };
      if (at.type === 'tcp') client.forwardIn(at.host, at.port, heard);
      else client.openssh_forwardInStreamLocal(at.path, heard);
    });

  function stop(at: ForwardTarget, port: number): void {
    try {
      // Heard or not: what comes in is turned away from now on.
      if (at.type === 'tcp') client.unforwardIn(at.host, port, () => {});
      else client.openssh_unforwardInStreamLocal(at.path, () => {});
    } catch {
      // The connection is gone, and with it what listened.
    }
  }
}

function bounded(channel: Channel): Channel {
  boundChannel(channel, MAX_AHEAD_BYTES, () => channel.destroy());
  tellOwnClose(channel);
  channel.on('error', () => {});
  return channel;
}
