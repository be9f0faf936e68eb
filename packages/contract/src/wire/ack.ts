/** The plain acknowledgement of the wire reference. */
import { z } from 'zod';

export const ack = z.object({ message: z.string() });
export const OK = { message: 'ok' } as const;
