/** Reading and writing our cookies. */
import { ENDED_COOKIE } from '@gatehouse/contract/console/page-tags';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CookieName } from './call.ts';

/**
 * `__Host-` cookies need TLS in some browsers, so plain loopback HTTP uses the same names without prefix and without
 * Secure. A request over TLS never reads the bare names: a neighbour on plain HTTP could have planted them.
 */
function wireName(request: FastifyRequest, name: CookieName): string {
  return isSecure(request) ? `__Host-${name}` : name;
}

export function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https';
}

export function readCookie(request: FastifyRequest, name: CookieName): string | undefined {
  const wanted = wireName(request, name);
  let found: string | undefined;
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const cut = pair.indexOf('=');
    if (cut < 0 || pair.slice(0, cut).trim() !== wanted) continue;
    // Two cookies of one name mean that somebody planted one: neither is believed.
    if (found !== undefined) return undefined;
    found = pair.slice(cut + 1).trim();
  }
  return found;
}

export function writeCookie(request: FastifyRequest, reply: FastifyReply, name: CookieName, value: string): void {
  const parts = [`${wireName(request, name)}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
  if (isSecure(request)) parts.push('Secure');
  if (value === '') parts.push('Max-Age=0');
  addSetCookie(reply, parts.join('; '));
  // A new sign-in must not be ended by what was left of the one before.
  if (name === 'session' && readCookie(request, ENDED_COOKIE) !== undefined)
    writeCookie(request, reply, ENDED_COOKIE, '');
}

/** The last word on a cookie counts: two lines for one name are read differently by different browsers. */
function addSetCookie(reply: FastifyReply, text: string): void {
  const before = reply.getHeader('set-cookie') ?? [];
  const name = text.slice(0, text.indexOf('=') + 1);
  const kept = [before].flat().filter((line) => !String(line).startsWith(name));
  reply.removeHeader('set-cookie');
  for (const line of [...kept, text]) reply.header('set-cookie', line);
}
