/** One upgraded connection, whichever way it was upgraded, before anything is said on it. */
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { BINDING_BYTES, BINDING_LABEL } from '@gatehouse/contract/reach/tunnel/handshake';

export interface Link {
  transport: 'upgrade' | 'websocket';
  /** Destroying it destroys the socket below. */
  stream: Duplex;
  /** What both ends of this TLS connection know and nobody else; undefined on a plain socket or below TLS 1.3. */
  binding: Buffer | undefined;
  /** Grows with every byte heard, also while the reader of a stream has stopped. */
  bytesRead(): number;
}

/** Below TLS 1.3 an exporter binds only under conditions a program cannot see (RFC 7627). */
export function channelBinding(socket: Duplex): Buffer | undefined {
  if (!(socket instanceof TLSSocket) || socket.getProtocol() !== 'TLSv1.3') return undefined;
  return socket.exportKeyingMaterial(BINDING_BYTES, BINDING_LABEL, Buffer.alloc(0));
}

export function bytesReadOf(stream: Duplex): number {
  return 'bytesRead' in stream && typeof stream.bytesRead === 'number' ? stream.bytesRead : 0;
}
