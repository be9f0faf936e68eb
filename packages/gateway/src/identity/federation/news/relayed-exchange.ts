/** What checks made for calls ask for, where a leaf passes on what somebody gave: where they are is known by their sign-in. */
import { randomUUID } from 'node:crypto';
import type { Who } from '../../../platform/http/actor.ts';
import type { Exchange } from '../../../platform/http/call.ts';
import type { IdentityDeps } from '../../identity-deps.ts';

export async function relayedExchange(
  { cache, settings }: Pick<IdentityDeps, 'cache' | 'settings'>,
  { signInId }: Who,
): Promise<Exchange> {
  const live = await cache.signIn(signInId);
  return {
    requestId: randomUUID(),
    address: live?.signIn.address ?? '',
    userAgent: live?.signIn.userAgent ?? '',
    origin: settings.publicOrigin(),
    cookie: () => undefined,
    setCookie() {},
    clearCookie() {},
    mayBeKept() {},
    gone: () => new AbortController().signal,
    header: () => undefined,
  };
}
