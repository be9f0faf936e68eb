/**
 * One session of a machine without a browser, approved by somebody elsewhere who holds a hardware key.
 *
 *   cli      makes a key, shows an address that is made of it, and a code
 *   cli      POST ssh/certs with the key   held until it is answered
 *   browser  opens the address, compares the code, touches the key
 *   cli      gets a certificate for that one session
 */
import { z } from 'zod';
import { isLineText, STEERING } from '../std/line-text.ts';
import { ack } from '../wire/ack.ts';
import { defineRoutes } from '../wire/route.ts';
import { MAX_HEADLESS_COMMAND } from './headless-command.ts';
import { userName } from './sign-in.ts';
import { assertionResponse } from './webauthn.ts';

/** As the wire counts them. */
export const HEADLESS_STATES = { pending: 1, denied: 2, approved: 3 } as const;

const words = (most: number) => z.string().max(most).refine(isLineText, STEERING);

/** What a request says beside its key. */
export const headlessAsked = {
  user: userName,
  /** Made of the key: who has another key has another one. */
  headless_id: z.uuid(),
  /** `login@server`, as ssh is told it. */
  target: words(400).min(3),
  /** What alone is to run there, as `headlessCommand` writes it for whoever approves it; nothing for a shell. */
  command: words(MAX_HEADLESS_COMMAND).optional(),
  /** What asks, and on which machine. */
  client: words(120).optional(),
} as const;

export const headlessRequest = z.object({
  header: z.object({
    kind: z.string(),
    version: z.string(),
    metadata: z.object({ name: z.string(), expires: z.string().optional() }),
  }),
  user: z.string(),
  /** In base64. */
  public_key: z.string(),
  state: z.number().int(),
  mfa_device: z.string().optional(),
  client_ip_address: z.string(),
  /** Ours, beside the names of the wire. */
  gatehouse: z
    .object({
      /** Shown on both sides; they must be the same. */
      code: z.string(),
      server: z.string(),
      login: z.string(),
      command: z.string(),
      client: z.string(),
      /** It asks from another place than the browser that looks at it. */
      elsewhere: z.boolean(),
      /** Of that browser. */
      browserAddress: z.string(),
      created: z.string(),
      expires: z.string(),
    })
    .optional(),
});
export type HeadlessRequest = z.output<typeof headlessRequest>;

export const headlessRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/headless',
    summary: 'Requests of machines without a browser that wait for the caller’s answer.',
    auth: 'signed-in',
    reply: z.array(
      z.object({
        requestId: z.string(),
        server: z.string(),
        login: z.string(),
        client: z.string(),
        expires: z.string(),
      }),
    ),
  },
  get: {
    method: 'GET',
    path: '/v1/webapi/headless/:requestId',
    summary:
      'What a machine without a browser asks of the caller. Waits up to half a minute for the request to come; those of others never do.',
    auth: 'signed-in',
    reply: headlessRequest,
  },
  answer: {
    method: 'PUT',
    path: '/v1/webapi/headless/:requestId',
    summary: 'Approves such a request by a hardware key or passkey, or denies it.',
    auth: 'signed-in',
    body: z.object({
      action: z.enum(['accept', 'denied']),
      webauthnAssertionResponse: assertionResponse.optional(),
    }),
    reply: ack,
  },
});
