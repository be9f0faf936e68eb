/** A client that sends its headers or its body a byte at a time must not hold a socket for ever; an upload may take its time. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

const WITHIN_MS = 60_000;

const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();

/** Node's own limit for whole requests must be off: it knows no exceptions. */
export function limitSlowBodies(app: FastifyInstance, withinMs = WITHIN_MS): void {
  app.server.headersTimeout = withinMs;
  app.addHook('onRequest', async (request) => {
    // Nothing more of it comes: an upgrade, which no answer ends, would be kept with all that hangs on its socket until the time is over.
    if (request.raw.complete) return;
    timers.set(request, setTimeout(cut, withinMs, new WeakRef(request.raw)).unref());
    // So would one whose client went away in the middle of it.
    request.raw.once('close', () => mayTakeLong(request));
  });
  app.addHook('onResponse', async (request) => {
    const { complete, socket } = request.raw;
    if (complete || socket.destroyed) mayTakeLong(request);
    // Refused before its body was read: the rest of it is still coming, and nothing but its socket tells when it does not.
    else socket.once('close', () => mayTakeLong(request));
  });
}

/** What is still sent is kept by its socket. One without a socket, which a test asks, would otherwise keep its gateway until the time is over. */
function cut(raw: WeakRef<FastifyRequest['raw']>): void {
  const request = raw.deref();
  if (request && !request.complete) request.destroy();
}

/** Whoever reads the body watches by themselves that it goes on. */
export function mayTakeLong(request: FastifyRequest): void {
  clearTimeout(timers.get(request));
}
