/** Random bytes for the padding of packets, many at a time: ssh2 asks for a few with every packet, which costs more than they do. */
import { randomFillSync } from 'node:crypto';

const STOCK_BYTES = 8 * 1024;
const HEAD_BYTES = 5;
const BLOCK_BYTES = 16;
const MIN_PADDING = 4;
const PROBED = [0, 1, 10, 11, 12, 27, 1_000];

interface Packets {
  allocPacket(payloadBytes: number): Buffer;
}

/** Of a cipher with a tag. Without effect, should ssh2 make its packets in another way. */
export function padFromStock(sample: object): void {
  const packets = Object.getPrototypeOf(sample) as Partial<Packets>;
  const { allocPacket } = packets;
  if (!allocPacket || !PROBED.every((bytes) => isAlike(allocPacket.call(sample, bytes), padded(bytes)))) return;
  packets.allocPacket = padded;
}

const stock = Buffer.alloc(STOCK_BYTES);
let used = STOCK_BYTES;

/** Each byte of the stock is used once. */
function padded(payloadBytes: number): Buffer {
  const rest = BLOCK_BYTES - ((1 + payloadBytes) % BLOCK_BYTES);
  const padding = rest < MIN_PADDING ? rest + BLOCK_BYTES : rest;
  const packet = Buffer.allocUnsafe(HEAD_BYTES + payloadBytes + padding);
  packet.writeUInt32BE(packet.length - 4, 0);
  packet[4] = padding;
  if (used + padding > STOCK_BYTES) {
    randomFillSync(stock);
    used = 0;
  }
  packet.set(stock.subarray(used, used + padding), HEAD_BYTES + payloadBytes);
  used += padding;
  return packet;
}

function isAlike(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && one.subarray(0, HEAD_BYTES).equals(other.subarray(0, HEAD_BYTES));
}
