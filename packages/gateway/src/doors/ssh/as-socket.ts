/** What ssh2 asks of a socket beside what every stream has. A socket closes when the other side has said everything. */
import type { Duplex } from 'node:stream';

export function asSocket(stream: Duplex): Duplex {
  stream.once('end', () => stream.end());
  return Object.assign(stream, { remoteAddress: '', setNoDelay: () => stream });
}
