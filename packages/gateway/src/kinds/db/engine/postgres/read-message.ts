/** One whole message at a time, for the time before bytes are only passed on. */
import type { ByteSource } from '../byte-source.ts';
import { malformed } from '../db-failure.ts';

const MAX_MESSAGE_BYTES = 64 * 1024;
/** As the server itself has it. */
const MAX_STARTUP_BYTES = 10_000;

export interface Message {
  type: string;
  body: Buffer;
}

export async function readMessage(source: ByteSource, signal: AbortSignal): Promise<Message> {
  const head = await source.take(5, signal);
  const type = String.fromCharCode(head[0] ?? 0);
  const length = head.readUInt32BE(1);
  if (length < 4 || length > MAX_MESSAGE_BYTES) throw malformed(`a message that says it has ${length} bytes`);
  // A copy: the head's buffer is cut from what comes next.
  return { type, body: Buffer.from(await source.take(length - 4, signal)) };
}

/** The first of a connection has no type. */
export async function readStartup(source: ByteSource, signal: AbortSignal): Promise<Buffer> {
  const length = (await source.take(4, signal)).readUInt32BE(0);
  if (length < 8 || length > MAX_STARTUP_BYTES) throw malformed(`a first message that says it has ${length} bytes`);
  return Buffer.from(await source.take(length - 4, signal));
}
