/** The second factor that a connector with `mfa: gateway` wants before anybody is signed in. */
import { z } from 'zod';
import { defineRoutes } from '../../wire/route.ts';
import { signInReply } from '../sign-in.ts';
import { assertionResponse, authenticateChallenge } from '../webauthn.ts';

const code = z.string().min(1).max(128);

export const ssoFactorRoutes = defineRoutes({
  challenge: {
    method: 'POST',
    path: '/v1/webapi/sso/factor/challenge',
    summary: 'What a device must answer before a sign-in through a provider is finished.',
    auth: 'public',
    limited: true,
    csrf: 'always',
    body: z.object({ code }),
    reply: authenticateChallenge,
  },
  answer: {
    method: 'POST',
    path: '/v1/webapi/sso/factor',
    summary: 'Finishes a sign-in through a provider with a device of the user.',
    auth: 'public',
    limited: true,
    csrf: 'always',
    body: z.object({ code, totp: z.string().max(16).optional(), webauthn: assertionResponse.optional() }),
    reply: z.object({ signIn: signInReply, redirect: z.string() }),
  },
});
