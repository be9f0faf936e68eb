/** Holds who has proved nothing to little: each new exchange of keys costs milliseconds, and every packet is looked at. */
import type { Connection } from 'ssh2';
import { takeLargePackets } from '../../platform/crypto/ssh/ssh2/large-packets.ts';

/** Eight keys with certificates, and what is said around them. */
const MAX_UNPROVED_BYTES = 512 * 1024;
/** Programs agree on keys once before they sign in. */
const MAX_UNPROVED_REKEYS = 2;
/** Later: what was not used is saved up to here. */
const MAX_REKEYS_AT_ONCE = 20;
const REKEY_EVERY_MS = 10_000;

/** What of ssh2 is reached into; the tests with floods fail when a version has it otherwise. */
interface Inside {
  _protocol: { parse(bytes: Buffer, from: number, length: number): unknown };
}

export interface Bounds {
  /** Somebody is known. */
  proved(): void;
}

/** Call it before the first byte is read. */
export function boundUnproved(client: Connection, { now, cut }: { now: () => number; cut: () => void }): Bounds {
  const { _protocol: protocol } = client as unknown as Inside;
  const { parse } = protocol;
  let bytes = 0;
  /** Since when, once somebody is known, new exchanges are saved up. */
  let filled: number | undefined;
  protocol.parse = function (piece, from, length) {
    bytes += length;
    if (filled === undefined && bytes > MAX_UNPROVED_BYTES) return cut();
    return parse.call(this, piece, from, length);
  };
  takeLargePackets(client, () => filled !== undefined);
  let left = MAX_UNPROVED_REKEYS;
  client.on('rekey', () => {
    if (filled !== undefined) {
      const more = Math.floor((now() - filled) / REKEY_EVERY_MS);
      left = Math.min(MAX_REKEYS_AT_ONCE, left + more);
      filled += more * REKEY_EVERY_MS;
    }
    left -= 1;
    if (left < 0) cut();
  });
  return {
    proved() {
      left = MAX_REKEYS_AT_ONCE;
      filled = now();
    },
  };
}
