import { createRequire } from 'node:module';
import type Crypto from 'ssh2/lib/protocol/crypto.js';
import { expect, test } from 'vitest';
import { padFromStock } from './padding-stock.ts';

interface Packets {
  allocPacket(bytes: number): Buffer;
}

const crypto = loadUntouched();
const cipherInfo = crypto.CIPHER_INFO['aes128-gcm@openssh.com'];
const cipher = () =>
  crypto.createCipher({
    outbound: { ...{ seqno: 0, onWrite() {}, cipherInfo }, cipherKey: Buffer.alloc(16), cipherIV: Buffer.alloc(12) },
  }) as Packets;
const lengths = Array.from({ length: 200 }, (_, bytes) => bytes);
const shapeOf = (packet: Buffer) => [packet.length, packet.subarray(0, 5).toString('hex')];

test('packets are as ssh2 makes them, and no two have the same padding', () => {
  const before = lengths.map((bytes) => shapeOf(cipher().allocPacket(bytes)));
  const own = Reflect.get(Object.getPrototypeOf(cipher()), 'allocPacket');
  padFromStock(cipher());

  expect(Reflect.get(Object.getPrototypeOf(cipher()), 'allocPacket')).not.toBe(own);
  expect(lengths.map((bytes) => shapeOf(cipher().allocPacket(bytes)))).toEqual(before);
  const paddings = Array.from({ length: 5_000 }, () => cipher().allocPacket(3).subarray(8).toString('hex'));
  expect(new Set(paddings).size).toBe(paddings.length);
});

test('a cipher that makes its packets in another way is left alone', () => {
  class Other {
    allocPacket(bytes: number): Buffer {
      return Buffer.alloc(bytes);
    }
  }
  const { allocPacket } = Other.prototype;
  padFromStock(new Other());

  expect(Other.prototype.allocPacket).toBe(allocPacket);
});

/** Another file of the same worker may have connected already: what it changed of ssh2 would be taken for ssh2's own. */
function loadUntouched(): typeof Crypto {
  const require = createRequire(import.meta.url);
  const path = require.resolve('ssh2/lib/protocol/crypto.js');
  const loaded = require.cache[path];
  delete require.cache[path];
  try {
    return require(path);
  } finally {
    if (loaded) require.cache[path] = loaded;
  }
}
