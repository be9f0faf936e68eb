/** Lets calls that came through the owner's local socket into the same API, marked so that identity can tell them apart. */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Kept beside the requests, not in a header: nothing a client sends can put a request in here. */
const localRequests = new WeakSet<IncomingMessage>();

export function localDoor(app: FastifyInstance): RequestListener {
  return (request, response) => {
    localRequests.add(request);
    app.routing(request, response);
  };
}

/** Whether the caller is whoever may open the local socket: the owner of the gateway, or root. */
export function isLocal(request: FastifyRequest): boolean {
  return localRequests.has(request.raw);
}
