/** Reads what a gateway says about a stream it asks for. */
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import type { z } from 'zod';

export function readMetadata<T>(schema: z.ZodType<T>, metadata: StreamMetadata): T {
  const parsed = schema.safeParse(metadata);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new StreamRefused('bad_request', `'${issue?.path.join('.')}': ${issue?.message}`);
}
