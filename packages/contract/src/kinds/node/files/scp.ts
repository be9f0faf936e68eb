/** The file copy calls of the wire reference: one file each way, as a login of a server. */
import { z } from 'zod';
import { assertionResponse } from '../../../identity/webauthn.ts';
import { parseJson } from '../../../std/parse-json.ts';
import { defineRoutes } from '../../../wire/route.ts';
import { MAX_PATH_LENGTH } from './paths.ts';

const place = z.string().min(1).max(MAX_PATH_LENGTH);
/** The answer of a key as JSON in the address, as clients of that wire send it. */
const webauthn = z
  .string()
  .max(16_384)
  .transform((text, context) => {
    const parsed = z.object({ webauthnAssertionResponse: assertionResponse }).safeParse(parseJson(text));
    if (parsed.success) return parsed.data.webauthnAssertionResponse;
    context.addIssue({ code: 'custom', message: 'is not the answer of a key' });
    return z.NEVER;
  })
  .optional();

const path = '/v1/webapi/sites/:clusterId/nodes/:id/:login/scp';

export const scpRoutes = defineRoutes({
  download: {
    method: 'GET',
    path,
    summary: 'Downloads the file at a location, which may be relative to the home of the login.',
    auth: 'signed-in',
    query: z.object({ location: place, filename: z.string().max(MAX_PATH_LENGTH).optional(), webauthn }),
    reply: undefined,
    replyAs: 'bytes',
  },
  upload: {
    method: 'POST',
    path,
    summary: 'Uploads a file to a location: a folder that exists, or the path it shall have.',
    auth: 'signed-in',
    query: z.object({ location: place, filename: z.string().min(1).max(255), webauthn }),
    bodyAs: 'bytes',
    reply: undefined,
  },
});
