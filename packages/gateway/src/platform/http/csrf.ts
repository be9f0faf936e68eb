/** Keeps other sites from riding on a sign-in: double-submitted token, and the Origin header where the browser sends one. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Route } from '@gatehouse/contract/wire/route';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../std/app-error.ts';
import { readCookie, writeCookie } from './cookies.ts';

const TOKEN = /^[0-9a-f]{64}$/;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The token of this browser, made and sent when it has none. */
export function ensureCsrfToken(request: FastifyRequest, reply: FastifyReply): string {
  const held = readCookie(request, 'grv_csrf');
  const token = held && TOKEN.test(held) ? held : randomBytes(32).toString('hex');
  writeCookie(request, reply, 'grv_csrf', token);
  return token;
}

/** Every state-changing call that carries cookies is checked; sign-in calls also when they carry none. */
export function checkCsrf(request: FastifyRequest, route: Pick<Route, 'csrf'>): void {
  if (SAFE_METHODS.has(request.method) || route.csrf === 'provider') return;
  checkOrigin(request);
  if (request.headers.cookie === undefined && route.csrf !== 'always') return;
  const cookie = readCookie(request, 'grv_csrf');
  const header = request.headers['x-csrf-token'];
  if (typeof header === 'string' && cookie && sameToken(cookie, header)) return;
  throw new AppError('csrf_failed', 'the request did not come from this console: reload the page and try again');
}

/** A browser says where a request comes from; a foreign page must not get as far as the token comparison. */
export function checkOrigin(request: FastifyRequest): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  if (origin !== ownOrigin(request)) throw new AppError('csrf_failed', 'the request came from another site');
}

export function ownOrigin(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}

function sameToken(cookie: string, header: string): boolean {
  // The pattern also fixes the length, which timingSafeEqual needs equal.
  if (!TOKEN.test(cookie) || !TOKEN.test(header)) return false;
  return timingSafeEqual(Buffer.from(cookie), Buffer.from(header));
}
