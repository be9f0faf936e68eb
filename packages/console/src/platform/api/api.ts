/** Calls of the contract's routes over this console's way of sending. */
import { call } from '@gatehouse/contract/wire/client';
import type { ReplyRead, Route } from '@gatehouse/contract/wire/route';
import { ZodError } from 'zod';
import { UnreadableAnswerError } from './failures.ts';
import { logFailure, logSuccess } from './log-failure.ts';
import type { ApiSend } from './send.ts';

type Given<R extends Route> = Parameters<typeof call<R>>[2];

/** `api(route, given, signal?)`, typed from the route. A refused call throws a `CallError`. */
export type Api = <R extends Route>(route: R, given: Given<R>, signal?: AbortSignal) => Promise<ReplyRead<R>>;

export function apiOver(send: ApiSend): Api {
  return async (route, given, signal) => {
    const name = `${route.method} ${route.path}`;
    try {
      const reply = await call((request) => send(request, signal), route, given);
      logSuccess(name);
      return reply;
    } catch (error) {
      const told = error instanceof ZodError ? new UnreadableAnswerError(error) : error;
      if (!signal?.aborted) logFailure(name, told);
      throw told;
    }
  };
}
