/** A reply that is JSON text already, made by another thread or kept from before: it is sent as it is. */
import type { ReplySent, Route } from '@gatehouse/contract/wire/route';

class ReadyReply {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** The bytes stand for what the route declares; tests hold them against it like any reply. */
export function readyReply<R extends Route>(bytes: Uint8Array): ReplySent<R> {
  return new ReadyReply(bytes) as unknown as ReplySent<R>;
}

export function readyBytes(result: unknown): Uint8Array | undefined {
  return result instanceof ReadyReply ? result.bytes : undefined;
}
