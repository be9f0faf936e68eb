/// <reference path="./ssh2-internals.d.ts" />
/**
 * Makes ssh2 hand Node a key that Node knows: it opens a new cipher for every packet, and since Node 24 a key given as bytes
 * costs ten times as much to look at as the rest of it. Without effect, should the inside of ssh2 change.
 */
import { createSecretKey } from 'node:crypto';
import crypto from 'ssh2/lib/protocol/crypto.js';
import { padFromStock } from './padding-stock.ts';

const CIPHER = 'aes128-gcm@openssh.com';

/** Call it once, before the first connection. */
export function handKnownKeys(): void {
  const info = crypto.CIPHER_INFO[CIPHER];
  const [key, iv] = [Buffer.alloc(16), Buffer.alloc(12)];
  const side = { seqno: 0, onPayload() {}, onWrite() {} };
  const coded = { ...side, cipherInfo: info, cipherKey: key, cipherIV: iv };
  const decoded = { ...side, decipherInfo: info, decipherKey: key, decipherIV: iv };
  const cipher = crypto.createCipher({ outbound: coded });
  keepKnown(cipher, '_encKey');
  padFromStock(cipher);
  keepKnown(crypto.createDecipher({ inbound: decoded }), '_decipherKey');
}

function keepKnown(sample: object, name: string): void {
  if (!(Reflect.get(sample, name) instanceof Uint8Array)) return;
  Object.defineProperty(Object.getPrototypeOf(sample), name, {
    configurable: true,
    set(key: Uint8Array) {
      Object.defineProperty(this, name, { value: createSecretKey(key), writable: true });
    },
  });
}
