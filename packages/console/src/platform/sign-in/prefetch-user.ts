/** Asks who is signed in while the code that reads the answer is still on its way. Is in the first script: no zod here. */
import type { Received } from '@gatehouse/contract/wire/client';
import type { ApiSend } from '../api/send.ts';
import type { BrowserServices } from '../browser/browser-services.tsx';
import { readToken, timeLeftMs } from './token.ts';

/** The path of `clusterRoutes.context` for the current cluster; a test holds them together. */
export const USER_URL = '/v1/webapi/sites/-current-/context';

/** Nothing when there was no good answer. */
export type PrefetchedUser = Promise<Received | undefined>;

/** Nothing is asked for somebody whom the guard will send to the login page. */
export function prefetchUser({
  send,
  storage,
  now,
}: Pick<BrowserServices, 'send' | 'storage' | 'now'>): PrefetchedUser | undefined {
  if (timeLeftMs(readToken(storage), now()) <= 0) return undefined;
  return send({ method: 'GET', url: USER_URL }).catch(() => undefined);
}

/** A refusal is asked for again: whoever leaves for the login page then did not listen yet when it came. */
export function sendAfter(early: PrefetchedUser, send: ApiSend): ApiSend {
  return async (request, signal) => {
    const answer = await early;
    return answer?.status === 200 && request.url === USER_URL ? answer : send(request, signal);
  };
}
