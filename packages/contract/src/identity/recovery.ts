/** Recovery codes: shown once, each good for one sign-in when the second factor is lost. */
import { z } from 'zod';
import { defineRoutes } from '../wire/route.ts';
import { password, tokenId, userName } from './sign-in.ts';

/** Codes as they are shown; `created` is absent when none were made. */
export const recoveryCodes = z.object({
  codes: z.array(z.string()).optional(),
  created: z.string().optional(),
});
export type RecoveryCodes = z.output<typeof recoveryCodes>;

export const recoveryRoutes = defineRoutes({
  status: {
    method: 'GET',
    path: '/v1/webapi/recovery',
    summary: 'When the caller’s recovery codes were made and how many are left.',
    auth: 'signed-in',
    reply: z.object({ created: z.string().nullable(), left: z.number().int() }),
  },
  createCodes: {
    method: 'POST',
    path: '/v1/webapi/recovery/codes',
    summary: 'Makes new recovery codes with a privilege token; the old ones stop working.',
    auth: 'signed-in',
    body: z.object({ tokenId }),
    reply: z.object({ codes: z.array(z.string()), created: z.string() }),
  },
  begin: {
    method: 'POST',
    path: '/v1/webapi/recovery/begin',
    summary: 'Takes a recovery code, and the password of a user who has one, for a token that enrols a new device.',
    auth: 'public',
    limited: true,
    csrf: 'always',
    body: z.object({ user: userName, pass: password.optional(), code: z.string().max(256) }),
    reply: z.object({ tokenId: z.string() }),
  },
});
