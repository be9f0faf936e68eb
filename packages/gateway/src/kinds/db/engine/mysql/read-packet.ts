/** One whole packet at a time, for the time before bytes are only passed on. */
import type { ByteSource } from '../byte-source.ts';
import { malformed } from '../db-failure.ts';

const MAX_PACKET_BYTES = 64 * 1024;

export interface Packet {
  sequence: number;
  body: Buffer;
}

/** `sequence`: the number that it must have, which tells that nobody has left one out. */
export async function readPacket(source: ByteSource, sequence: number, signal: AbortSignal): Promise<Packet> {
  const head = await source.take(4, signal);
  const length = head.readUIntLE(0, 3);
  const found = head[3] ?? 0;
  if (length === 0 || length > MAX_PACKET_BYTES) throw malformed(`a packet that says it has ${length} bytes`);
  if (found !== (sequence & 0xff))
    throw malformed(`a packet with the number ${found} where ${sequence & 0xff} is next`);
  // A copy: the head's buffer is cut from what comes next.
  return { sequence: found, body: Buffer.from(await source.take(length, signal)) };
}
