/** What only the running gateway knows of itself, told to its owner through the local socket. No secret is among it. */
import { readError, type Send } from '@gatehouse/contract/wire/client';
import { z } from 'zod';

/** Operations of the local socket. One for each: a store that hangs keeps nobody from hearing of the rest. */
export const LOOK_INSIDE = '/local/doctor';
export const LOOK_AT_STORE = '/local/doctor/store';
export const LOOK_AT_BUCKET = '/local/doctor/bucket';
export const LOOK_AT_STORE_CLOCK = '/local/doctor/store-clock';

const place = z.object({ host: z.string(), port: z.number() });

const insideFacts = z.object({
  version: z.string(),
  origin: z.string(),
  tls: z.enum(['off', 'files', 'self-made']),
  listening: z.object({
    web: place,
    ssh: place.optional(),
    mysql: place.optional(),
    diagnostics: place.optional(),
  }),
});
export type InsideFacts = z.output<typeof insideFacts>;

const finding = z.object({ ok: z.boolean(), message: z.string(), next: z.string().optional() });
/** In milliseconds; 0 where both are one. */
const storeClock = z.object({ aheadMs: z.number() });

async function ask<T>(send: Send, url: string, reply: z.ZodType<T>): Promise<T> {
  const received = await send({ method: 'POST', url });
  if (received.status !== 200) throw readError(received, url);
  return reply.parse(JSON.parse(received.text));
}

export const askInside = (send: Send) => ask(send, LOOK_INSIDE, insideFacts);
export const askStore = (send: Send) => ask(send, LOOK_AT_STORE, finding);
export const askBucket = (send: Send) => ask(send, LOOK_AT_BUCKET, finding);
export const askStoreClock = (send: Send) => ask(send, LOOK_AT_STORE_CLOCK, storeClock);
