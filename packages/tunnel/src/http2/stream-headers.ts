/** Structured values in the headers of a stream: bounded JSON in base64url, so that any text survives. */
import {
  METADATA_BYTES,
  type StreamMetadata,
  streamMetadata,
  streamTarget,
} from '@gatehouse/contract/reach/tunnel/streams';
import type { z } from 'zod';
import { parseMessage } from '../messages.ts';
import { TunnelError } from '../tunnel-error.ts';

export function toHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function fromHeader<T>(schema: z.ZodType<T>, header: string | string[] | undefined): T {
  if (typeof header !== 'string') throw new TunnelError('bad_peer', 'a header is missing');
  return parseMessage(schema, Buffer.from(header, 'base64url'));
}

/** What a caller asks for is checked here, so that its mistake does not read as the agent's. */
export function checkRequest(target: string, metadata: StreamMetadata): string {
  const issue = streamTarget.safeParse(target).error?.issues[0] ?? streamMetadata.safeParse(metadata).error?.issues[0];
  if (issue) throw new TunnelError('bad_request', `a stream's target or metadata ${issue.message}`);
  const header = toHeader(metadata);
  if (header.length > (METADATA_BYTES * 4) / 3) {
    throw new TunnelError('bad_request', `a stream's metadata must be at most ${METADATA_BYTES} bytes`);
  }
  return header;
}
