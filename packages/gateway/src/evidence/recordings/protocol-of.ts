/** The protocol that a session's target speaks, where its record names one. */
import { z } from 'zod';

const speaking = z.object({ protocol: z.string() });

export function protocolOf({ spec }: { spec?: unknown }): { protocol?: string } {
  const { protocol } = speaking.safeParse(spec).data ?? {};
  return protocol === undefined ? {} : { protocol };
}
