/** What the gateway said when a sign-in through a provider did not work; the page that tells it gets it from here, never from its address. */
import { z } from 'zod';
import { defineRoutes } from '../wire/route.ts';

/** `callback`: the provider's answer could not be used. `unauthorized`: the provider knows them, and nothing here is theirs. */
export const LOGIN_FAILURES = ['generic', 'callback', 'unauthorized'] as const;
export type LoginFailure = (typeof LOGIN_FAILURES)[number];

export const loginFailureRoutes = defineRoutes({
  message: {
    method: 'GET',
    path: '/v1/webapi/login/failure',
    summary: 'The message this gateway wrote for a failed sign-in, by what stands in the address of the page.',
    auth: 'public',
    limited: 'often',
    query: z.object({ kind: z.enum(LOGIN_FAILURES), said: z.string().min(1).max(4096) }),
    reply: z.object({ message: z.string() }),
  },
});
