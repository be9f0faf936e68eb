import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_PACKET_BYTES, PacketReader } from './packet-reader.ts';

class Refused extends Error {}
const refuse = (length: number) => new Refused(String(length));

function framed(body: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length, 0);
  return Buffer.concat([length, body]);
}

/** The same bytes in pieces of these lengths, over and over. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

test('packets come out as they went in, however they are cut', () => {
  const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 30 });
  const lengths = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(bodies, lengths, (sent, cuts) => {
      const reader = new PacketReader(refuse);
      const bytes = Buffer.concat(sent.map(framed));

      const got = cut(bytes, cuts).flatMap((piece) => [...reader.push(piece)].map((packet) => [...packet]));

      expect(got).toEqual(sent.map((body) => [...body]));
    }),
  );
});

test('a packet is cut off, and nothing comes of it', () => {
  const reader = new PacketReader(refuse);
  const whole = framed(Buffer.alloc(1000));

  expect([...reader.push(whole.subarray(0, 999))]).toEqual([]);
});

test('random bytes give packets within the bound or an error, and never hang', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (pieces) => {
      const reader = new PacketReader(refuse);
      try {
        for (const piece of pieces) {
          for (const packet of reader.push(Buffer.from(piece))) expect(packet.length).toBeLessThanOrEqual(200 * 20);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(Refused);
      }
    }),
  );
});

test.each([0, MAX_PACKET_BYTES + 1, 0x7fff_ffff, 0xffff_ffff])('a length of %i is refused at once', (length) => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length, 0);

  expect(() => [...new PacketReader(refuse).push(head)]).toThrow(new Refused(String(length)));
});

test('the longest packet is taken, a byte at a time as well', () => {
  const reader = new PacketReader(refuse);
  const body = Buffer.alloc(MAX_PACKET_BYTES, 7);

  const got = cut(framed(body), [1, 1, 1, 1, 4096]).flatMap((piece) => [...reader.push(piece)]);

  expect(got).toHaveLength(1);
  expect(got[0]?.equals(body)).toBe(true);
});
