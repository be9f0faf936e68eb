/**
 * Takes packets as long as other servers take them. ssh2 knows none above 35,000 bytes: a longer command would end the connection without
 * a word. Only of ciphers that tell a length in the clear, which are all that programs choose by themselves.
 */
import { createDecipheriv, createHmac, type DecipherGCM, type Hmac } from 'node:crypto';
import type { Connection } from 'ssh2';

/** As OpenSSH has it. */
const MAX_PACKET_BYTES = 256 * 1024;
/** Below it ssh2 does it by itself. */
const OWN_PACKET_BYTES = 34_000;
const HEAD_BYTES = 4;
const TAG_BYTES = 16;

/** What of ssh2 is reached into; the tests with long commands fail when a version has it otherwise. */
interface WithTag {
  _len: number;
  _lenBytes: number;
  _pktLen: number;
  _tagPos: number;
  _decipherInstance: DecipherGCM | null;
  _decipherSSLName: 'aes-128-gcm';
  _decipherKey: Parameters<typeof createDecipheriv>[1];
  _decipherIV: Uint8Array;
}

interface WithMac {
  inSeqno: number;
  _len: number;
  _block: Buffer;
  _blockPos: number;
  _blockSize: number;
  _pktLen: number;
  _macPos: number;
  _macActualLen: number;
  _macETM: boolean;
  _macInstance: Hmac | null;
  _macSSLName: string;
  _macKey: Buffer;
}

interface Inside {
  _protocol: { _decipher: object | undefined; parse(bytes: Buffer, from: number, to: number): unknown };
}

/** Where a packet is in its bytes. */
interface Progress {
  /** Of the four bytes of its length, those that have come. */
  head: number;
  length: number;
  /** All that is still to come of it. */
  left: number;
  begin(): void;
}

/** Call it before the first byte is read. */
export function takeLargePackets(client: Connection, isAllowed: () => boolean): void {
  const { _protocol: protocol } = client as unknown as Inside;
  const { parse } = protocol;
  protocol.parse = function (piece, from, to) {
    let at = from;
    while (at < to) {
      // Asked for at each packet: one of them may bring another.
      const progress = isAllowed() ? progressOf(protocol._decipher, piece.subarray(at, to)) : undefined;
      if (!progress) return parse.call(this, piece, at, to);
      const end = at + progress.left;
      if (progress.head < HEAD_BYTES && isLarge(progress.length)) {
        progress.begin();
        at += HEAD_BYTES - progress.head;
        if (at >= to) return undefined;
      }
      if (end >= to) return parse.call(this, piece, at, to);
      parse.call(this, piece.subarray(at, end), 0, end - at);
      at = end;
    }
    return undefined;
  };
}

function isLarge(length: number): boolean {
  return length > OWN_PACKET_BYTES && length <= MAX_PACKET_BYTES && length % TAG_BYTES === 0;
}

/** Undefined: its length cannot be told, or not yet. */
function progressOf(decipher: object | undefined, next: Buffer): Progress | undefined {
  if (!decipher) return undefined;
  if ('_lenBytes' in decipher && '_tagPos' in decipher) return withTag(decipher as WithTag, next);
  return '_macETM' in decipher && decipher._macETM === true ? withMac(decipher as WithMac, next) : undefined;
}

function withTag(decipher: WithTag, next: Buffer): Progress | undefined {
  const head = decipher._lenBytes;
  const length = lengthOf(head, decipher._len, next);
  if (length === undefined) return undefined;
  return {
    head,
    length,
    left: HEAD_BYTES - head + length - decipher._pktLen + TAG_BYTES - decipher._tagPos,
    begin() {
      const opened = createDecipheriv(decipher._decipherSSLName, decipher._decipherKey, decipher._decipherIV);
      decipher._decipherInstance = opened.setAutoPadding(false).setAAD(inFour(length));
      decipher._len = length;
      decipher._lenBytes = HEAD_BYTES;
    },
  };
}

function withMac(decipher: WithMac, next: Buffer): Progress | undefined {
  const head = decipher._blockPos;
  const known = head === HEAD_BYTES ? decipher._len : readBig(decipher._block.subarray(0, head));
  const length = lengthOf(head, known, next);
  if (length === undefined) return undefined;
  return {
    head,
    length,
    left: HEAD_BYTES - head + length - decipher._pktLen + decipher._macActualLen - decipher._macPos,
    begin() {
      decipher._block.set(inFour(length));
      decipher._blockPos = HEAD_BYTES;
      decipher._len = length;
      const mac = createHmac(decipher._macSSLName, decipher._macKey);
      decipher._macInstance = mac.update(inFour(decipher.inSeqno)).update(decipher._block);
    },
  };
}

/** `head` bytes of it were `known` before. */
function lengthOf(head: number, known: number, next: Buffer): number | undefined {
  const missing = HEAD_BYTES - head;
  if (next.length < missing) return undefined;
  return known * 256 ** missing + readBig(next.subarray(0, missing));
}

function readBig(bytes: Buffer): number {
  return bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length);
}

function inFour(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
