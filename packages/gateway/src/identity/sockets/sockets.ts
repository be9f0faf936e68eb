/** Where features put their websockets: each is tied to a sign-in before the feature sees it. */
import { CLOSE_CODES } from '@gatehouse/contract/identity/change-frames';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Clusters, findOwn, forwardedUrl } from '../../platform/http/cluster.ts';
import { isRelayed } from '../../platform/http/relayed-door.ts';
import { openSocketDoor } from '../../platform/http/socket-door.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import {
  acceptRelayed,
  acceptWithHello,
  acceptWithQuery,
  type SignedInSocket,
  type SocketSignIns,
} from './signed-in-socket.ts';

/** `hello`: in the first message, as our own console does. `address`: as the clients of the wire reference do. */
export type TokenSource = 'hello' | 'address';

/** Listens to the socket before it first waits for anything. */
export type ServeSocket = (opened: SignedInSocket, request: FastifyRequest) => void | Promise<void>;

export interface Sockets {
  /** Call it before the application is ready. A socket whose address names another cluster is handed over to that one, or refused, and never served. */
  add(path: string, token: TokenSource, serve: ServeSocket, refusals?: SocketRefusals): void;
}

export interface SocketRefusals {
  /** May throw to refuse the upgrade itself. */
  check?(request: FastifyRequest): void;
  /** For sockets whose clients read refusals as frames: told an unknown cluster once they are signed in, instead of before the upgrade. */
  refuse?(opened: SignedInSocket, request: FastifyRequest, why: AppError): void;
}

export function openSockets(app: FastifyInstance, signIns: SocketSignIns, clusters: Clusters): Sockets {
  const door = openSocketDoor(app);

  /** Hands a socket to the cluster it names; gives back why that did not take it. */
  async function handOver(
    { caller, socket, asked, active }: SignedInSocket,
    request: FastifyRequest,
    { path, clusterId, params }: Elsewhere,
  ): Promise<AppError | undefined> {
    try {
      const actor = await caller.now();
      const found = isRelayed(request) ? undefined : await clusters.find(clusterId, actor);
      if (found?.is !== 'leaf') return notFound('cluster', clusterId);
      await found.leaf.forwardSocket({ socket, active, request, url: forwardedUrl(path, params, request.url) }, actor);
      // What else it has to ask for, and by when, is for that cluster to say.
      asked();
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  return {
    add(path, token, serve, { check, refuse } = {}) {
      const admit = token === 'hello' ? acceptWithHello : acceptWithQuery;
      door.add(path, async (request, accept) => {
        check?.(request);
        const elsewhere = clusterBeyond(path, request, clusters.own);
        // Which leaves there are is nothing for strangers: whoever asks for one says first who they are.
        if (elsewhere && !refuse && !clusters.hasLeaves()) throw notFound('cluster', elsewhere.clusterId);
        // Before the upgrade: clients take a 503 for a gateway that is away and try again, and nobody is signed out by it.
        signIns.requireStore();
        const opened = await (isRelayed(request) ? acceptRelayed : admit)(signIns, request, accept);
        if (!opened) return;
        if (!elsewhere) {
          const served = serve(opened, request);
          opened.replay();
          await served;
          return;
        }
        const { socket } = opened;
        // What it says meanwhile waits on its connection.
        socket.pause();
        const why = await handOver(opened, request, elsewhere);
        if (why && refuse) refuse(opened, request, why);
        else if (why) socket.close(CLOSE_CODES.notServed, closeWords(why.message));
        socket.resume();
        opened.replay();
      });
    },
  };
}

/** Of the reason of a close; ws throws at a longer one, and the socket would stay open without anybody who listens. */
const MAX_REASON_BYTES = 123;

/** May be the words of another cluster, or a name that somebody made up: letters have up to four bytes. */
function closeWords(message: string): string {
  const bytes = Buffer.from(message);
  let end = Math.min(bytes.length, MAX_REASON_BYTES);
  // Never half a letter: what follows its first byte begins with the bits 10.
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

interface Elsewhere {
  path: string;
  clusterId: string;
  params: Record<string, string>;
}

const pathParams = z.record(z.string(), z.string().min(1).max(512));

function clusterBeyond(path: string, request: FastifyRequest, own: string): Elsewhere | undefined {
  // The router takes an address that ends where a name belongs for one whose name is empty.
  const { data } = pathParams.safeParse(request.params);
  if (!data) throw new AppError('bad_request', 'a part of the address is empty, or too long');
  const { clusterId, ...params } = data;
  return clusterId === undefined || findOwn(clusterId, own) ? undefined : { path, clusterId, params };
}
