/**
 * Holds an SSH server to what it may send and make us send. ssh2 keeps whatever comes beyond the window, and answers requests of
 * a server that does not read the answers: either would fill the memory.
 */
import type { Duplex, Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';

/** What a server may leave lying of what it is sent: all the input of a terminal, or the pieces of an upload. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Call it as soon as the channel is there. `most` is more than its window. */
export function boundChannel(channel: ClientChannel, most: number, onTooMuch: () => void): void {
  for (const readable of [channel, channel.stderr] as Readable[]) {
    const push = readable.push.bind(readable);
    readable.push = (chunk: Buffer | null) => {
      if (chunk === null || readable.readableLength + chunk.length <= most) return push(chunk);
      onTooMuch();
      return false;
    };
  }
}

/** Call it before ssh2 takes the stream over. */
export function boundWrites(stream: Duplex): void {
  const write: (bytes: Uint8Array) => boolean = stream.write.bind(stream);
  stream.write = ((bytes: Uint8Array) => {
    if (stream.writableLength <= MAX_UNREAD_BYTES) return write(bytes);
    stream.destroy(new Error('the server does not read what it is sent'));
    return false;
  }) as typeof stream.write;
}
