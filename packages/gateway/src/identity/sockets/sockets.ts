/** Where features put their websockets: each is tied to a sign-in before the feature sees it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openSocketDoor } from '../../platform/http/socket-door.ts';
import { acceptWithHello, acceptWithQuery, type SignedInSocket, type SocketSignIns } from './signed-in-socket.ts';

/** `hello`: in the first message, as our own console does. `address`: as the clients of the wire reference do. */
export type TokenSource = 'hello' | 'address';

/** Listens to the socket before it first waits for anything. */
export type ServeSocket = (opened: SignedInSocket, request: FastifyRequest) => void | Promise<void>;

export interface Sockets {
  /** Call it before the application is ready. `check` may throw to refuse the upgrade itself. */
  add(path: string, token: TokenSource, serve: ServeSocket, check?: (request: FastifyRequest) => void): void;
}

export function openSockets(app: FastifyInstance, signIns: SocketSignIns): Sockets {
  const door = openSocketDoor(app);
  return {
    add(path, token, serve, check) {
      const admit = token === 'hello' ? acceptWithHello : acceptWithQuery;
      door.add(path, async (request, accept) => {
        check?.(request);
        // Before the upgrade: clients take a 503 for a gateway that is away and try again, and nobody is signed out by it.
        signIns.requireStore();
        const opened = await admit(signIns, request, accept);
        if (!opened) return;
        const served = serve(opened, request);
        opened.replay();
        await served;
      });
    },
  };
}
