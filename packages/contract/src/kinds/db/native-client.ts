/** What one cluster tells another of a program of a database that came to its door with TLS of its own: in the query of `DB_TCP_SOCKET`. */
import { z } from 'zod';
import { DB_PROTOCOLS } from './db-address.ts';

const number32 = z.number().int().min(0).max(0xffff_ffff);

/** With what a client of MySQL was greeted, before anybody knew where it wants to. */
export const greetedClient = z.strictObject({
  /** By which number it knows its connection. */
  own: number32,
  /** In base64. */
  nonce: z.base64().max(64),
  basic: number32,
  extended: number32,
  sequence: z.number().int().min(0).max(255),
});
export type GreetedFacts = z.output<typeof greetedClient>;

export const nativeClient = z.object({
  /** Which are spoken at the door it came to; absent: whatever the database speaks. */
  speaks: z
    .string()
    .max(100)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(DB_PROTOCOLS)))
    .optional(),
  /** JSON of `greetedClient`. */
  greeted: z.string().max(400).optional(),
});
