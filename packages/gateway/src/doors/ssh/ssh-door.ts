/** The door of programs that speak SSH: a listener of its own. Who has proved nothing yet is few, and not for long. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Sockets } from '../../identity/sockets/sockets.ts';
import type { ListenAddress } from '../../platform/config/address.ts';
import { listenError } from '../../platform/config/listen-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import { containConnections } from '../../platform/std/contain-connections.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { serveConnection } from './serve-connection.ts';
import { serveSshSocket } from './ssh-socket.ts';
import { UnprovedFew } from './unproved-few.ts';

export interface SshDoor {
  listen(address: ListenAddress): Promise<void>;
  /** The same over websockets, whether or not anybody listens. */
  serve(sockets: Sockets): void;
  /** Undefined while nobody listens. */
  port(): number | undefined;
  /** Nobody comes in any more; who is in stays. */
  close(): void;
}

export function createSshDoor(deps: SshDoorDeps): SshDoor {
  let server: Server | undefined;
  const unproved = new UnprovedFew();

  const serve = (socket: Socket) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d)/, '');
    const leave = unproved.enter(clientKey(address), () => socket.destroy());
    if (!leave) {
      socket.destroy();
      return;
    }
    socket.once('close', leave);
    socket.setNoDelay(true);
    serveConnection(deps, { stream: socket, address, names: deps.hostNames(), onProved: leave }).catch(
      (error: unknown) => {
        deps.log.error({ error }, 'the SSH door made a mistake');
        socket.destroy();
      },
    );
  };

  return {
    async listen(address) {
      const listening = createServer(serve);
      containConnections(listening, 'ssh');
      await new Promise<void>((resolve, reject) => {
        listening.once('error', (error) => reject(listenError(error, address, 'ssh.listen')));
        listening.listen({ host: address.host, port: address.port }, resolve);
      });
      server = listening;
    },
    serve: (sockets) => serveSshSocket(sockets, deps),
    port: () => (server?.address() as AddressInfo | null | undefined)?.port,
    close() {
      server?.close();
      server = undefined;
    },
  };
}
