/** The door of programs to databases where nobody stands between: decided like the websocket beside it, and then its bytes are the connection's own. */
import { TLSSocket } from 'node:tls';
import { DB_STREAM } from '@gatehouse/contract/kinds/db/databases';
import { PASS_HEADER, STREAM_UPGRADE } from '@gatehouse/contract/sessions/tcp-frames';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Identity } from '../../identity/identity.ts';
import { type Clusters, findOwn } from '../../platform/http/cluster.ts';
import { addUpgrade } from '../../platform/http/socket-door.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { carryProgram } from './carry-program.ts';
import { findDbToServe, type OpenDbDeps } from './open-db.ts';
import type { Served } from './served.ts';

export interface StreamDoorDeps extends OpenDbDeps {
  clusters: Pick<Clusters, 'own'>;
  identity: Pick<Identity, 'authenticate' | 'callerOf' | 'active'>;
  /** Throws while nobody can tell who may still do what. */
  requireStore(): void;
}

const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${STREAM_UPGRADE}\r\n\r\n`;
/** A laptop that sleeps says nothing: without being asked, its sessions would stay for hours. */
const ALIVE_MS = 30_000;
/** Said by whoever passes on requests of others. */
const PASSED_ON_BY = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'] as const;
const params = z.object({ clusterId: z.string().max(512), name: z.string().max(253) });

/** Call it where the socket door of the application is open. */
export function serveDbStreams(app: FastifyInstance, deps: StreamDoorDeps): void {
  const { identity, clusters, passes } = deps;
  addUpgrade(app, DB_STREAM, async (request, _reply, take) => {
    const client = requireStraight(request);
    // Clients take a 503 for a gateway that is away and try again, and nobody is signed out by it.
    deps.requireStore();
    const actor = await identity.authenticate(request, {});
    const { clusterId, name } = params.parse(request.params);
    // Through another cluster there is the websocket.
    if (!findOwn(clusterId, clusters.own)) throw notFound('cluster', clusterId);
    const found = await findDbToServe(deps, actor, name, request.query);
    const { signInId } = actor;
    const pass = String(request.headers[PASS_HEADER] ?? '');
    const hosted = await found.open({
      caller: identity.callerOf(actor),
      ...{ address: request.ip, requestId: request.id, call: 'db stream' },
      proveFactor: async () => {
        if (passes.isGood(pass, { signIn: signInId, kind: 'db', name: found.name })) return;
        throw new AppError('mfa_required', 'a role of yours asks for a second factor for each session');
      },
    });
    // Half of what was sent cannot be held back and handed over later: it is cut, and may be dialled again.
    hosted.parts.attach({ onCut: (end) => hosted.finish(end) });
    if (hosted.end) throw new AppError('denied', hosted.end.message);
    let served: Served;
    try {
      // What throws here is an answer yet; behind the 101 there is none. Nothing is read or said before this turn is over.
      served = found.serve(client, hosted);
    } catch (error) {
      hosted.finish({ cause: 'failed', message: errorMessage(error) });
      throw error;
    }
    const { head } = take();
    // Who says no more may still listen.
    client.allowHalfOpen = true;
    client.setNoDelay(true).setKeepAlive(true, ALIVE_MS);
    client.write(SWITCHING);
    if (head.length > 0) client.unshift(head);
    carryProgram(client, hosted, () => identity.active(signInId), served);
  });
}

/** Gives the connection, where it is the client's own. */
function requireStraight(request: FastifyRequest): TLSSocket {
  const { socket } = request.raw;
  const wants = request.headers.upgrade?.toLowerCase();
  if (wants !== STREAM_UPGRADE)
    throw new AppError(
      'bad_request',
      `this address is for the upgrade '${STREAM_UPGRADE}', and '${wants}' was asked for`,
    );
  const isPassedOn = PASSED_ON_BY.some((header) => request.headers[header] !== undefined);
  if (isPassedOn || !(socket instanceof TLSSocket))
    throw new AppError(
      'not_available',
      'something stands between that may cut a stream while it rests: ask for the websocket',
    );
  return socket;
}
