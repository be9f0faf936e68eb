/** Where features put their websockets: each is tied to a sign-in before the feature sees it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findCluster } from '../../platform/http/cluster.ts';
import { openSocketDoor } from '../../platform/http/socket-door.ts';
import { type AppError, notFound } from '../../platform/std/app-error.ts';
import { acceptWithHello, acceptWithQuery, type SignedInSocket, type SocketSignIns } from './signed-in-socket.ts';

/** `hello`: in the first message, as our own console does. `address`: as the clients of the wire reference do. */
export type TokenSource = 'hello' | 'address';

/** Listens to the socket before it first waits for anything. */
export type ServeSocket = (opened: SignedInSocket, request: FastifyRequest) => void | Promise<void>;

export interface Sockets {
  /** Call it before the application is ready. A socket whose address names an unknown cluster is refused, and never served. */
  add(path: string, token: TokenSource, serve: ServeSocket, refusals?: SocketRefusals): void;
}

export interface SocketRefusals {
  /** May throw to refuse the upgrade itself. */
  check?(request: FastifyRequest): void;
  /** For sockets whose clients read refusals as frames: told an unknown cluster once they are signed in, instead of before the upgrade. */
  refuse?(opened: SignedInSocket, request: FastifyRequest, why: AppError): void;
}

export function openSockets(app: FastifyInstance, signIns: SocketSignIns, clusterName: string): Sockets {
  const door = openSocketDoor(app);
  return {
    add(path, token, serve, { check, refuse } = {}) {
      const admit = token === 'hello' ? acceptWithHello : acceptWithQuery;
      door.add(path, async (request, accept) => {
        check?.(request);
        const unknown = unknownCluster(request, clusterName);
        if (unknown && !refuse) throw unknown;
        // Before the upgrade: clients take a 503 for a gateway that is away and try again, and nobody is signed out by it.
        signIns.requireStore();
        const opened = await admit(signIns, request, accept);
        if (!opened) return;
        const served = unknown ? refuse?.(opened, request, unknown) : serve(opened, request);
        opened.replay();
        await served;
      });
    },
  };
}

const pathParams = z.object({ clusterId: z.string().optional() });

function unknownCluster(request: FastifyRequest, own: string): AppError | undefined {
  const { clusterId } = pathParams.parse(request.params);
  return clusterId === undefined || findCluster(clusterId, own) ? undefined : notFound('cluster', clusterId);
}
