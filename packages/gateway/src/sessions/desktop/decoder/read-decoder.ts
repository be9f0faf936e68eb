/** Reads what the process that draws says: whoever has taken it over says what they like. */
import { z } from 'zod';
import { type FromDecoder, MAX_TILES } from './decoder-messages.ts';

const number = z.number().int().nonnegative().max(0xffff_ffff);
const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const drawn = z.object({
  ...{ width: number, height: number, draws: number, bytes },
  isMidway: z.boolean().optional(),
  tiles: z
    .array(z.object({ left: number, top: number, width: number, height: number, png: bytes }))
    .max(MAX_TILES)
    .optional(),
});
const fromDecoder = z.discriminatedUnion('type', [
  z.object({ type: z.literal('done'), id: number, drawn: drawn.optional() }),
  z.object({ type: z.literal('failed'), id: number, reason: z.string() }),
  z.object({ type: z.literal('said'), picture: number, bytes }),
  z.object({ type: z.literal('copied'), picture: number, text: z.string() }),
]);

/** Undefined: it is no message. */
export function readFromDecoder(message: unknown): FromDecoder | undefined {
  return fromDecoder.safeParse(message).data;
}
