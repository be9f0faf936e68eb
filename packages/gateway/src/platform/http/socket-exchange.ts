/** The facts of an upgrade that checks made for calls ask for. A socket sets no cookies. */
import type { FastifyRequest } from 'fastify';
import type { Exchange } from './call.ts';
import { readCookie } from './cookies.ts';
import { ownOrigin } from './csrf.ts';

export function socketExchange(request: FastifyRequest): Exchange {
  return {
    requestId: request.id,
    address: request.ip ?? '',
    userAgent: String(request.headers['user-agent'] ?? '').slice(0, 512),
    origin: ownOrigin(request),
    cookie: (name) => readCookie(request, name),
    setCookie() {},
    clearCookie() {},
    mayBeKept() {},
    gone() {
      const gone = new AbortController();
      if (request.raw.socket.destroyed) gone.abort();
      else request.raw.socket.once('close', () => gone.abort());
      return gone.signal;
    },
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}
