/** The body of an object that is made, where rules are about its name: read before it is sent, and sent as it was read. */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '../../../platform/std/app-error.ts';

/** As API servers have it. */
const MAX_BYTES = 3 * 1024 * 1024;

const named = z.looseObject({ metadata: z.looseObject({ name: z.string().optional() }).optional() });

export interface NamedBody {
  /** Empty where the cluster is to choose it. */
  name: string;
  body: Buffer;
}

/** `headers`: names and values in turn. */
export async function readNamedBody(headers: readonly string[], source: Readable | undefined): Promise<NamedBody> {
  const value = (name: string) => {
    const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
    return at < 0 ? '' : headers[at + 1]!.trim().toLowerCase();
  };
  const [type = ''] = value('content-type').split(';');
  if (type.trim() !== 'application/json' || value('content-encoding') !== '')
    throw new AppError(
      'bad_request',
      'your roles say which names you may make there, so what is made must come as JSON that can be read',
    );
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of source ?? []) {
    size += (piece as Buffer).length;
    if (size > MAX_BYTES) throw new AppError('too_large', `what is made has more than ${MAX_BYTES} bytes`);
    pieces.push(piece as Buffer);
  }
  let parsed: z.output<typeof named>;
  try {
    parsed = named.parse(JSON.parse(Buffer.concat(pieces).toString('utf8')));
  } catch {
    throw new AppError('bad_request', 'what is made is no JSON object');
  }
  // Written anew: a key that is there twice would else be read in two ways.
  return { name: parsed.metadata?.name ?? '', body: Buffer.from(JSON.stringify(parsed)) };
}
