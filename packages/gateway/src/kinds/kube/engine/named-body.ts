/** The body of an object that is made, where rules are about its name: read before it is sent, and sent as it was read. */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '../../../platform/std/app-error.ts';
import { readWholeBody } from './whole-body.ts';

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
  const whole = await readWholeBody(source);
  let parsed: z.output<typeof named>;
  try {
    parsed = named.parse(JSON.parse(whole.toString('utf8')));
  } catch {
    throw new AppError('bad_request', 'what is made is no JSON object');
  }
  // Written anew: a key that is there twice would else be read in two ways.
  return { name: parsed.metadata?.name ?? '', body: Buffer.from(JSON.stringify(parsed)) };
}
