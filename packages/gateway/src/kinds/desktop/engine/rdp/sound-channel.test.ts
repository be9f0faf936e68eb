import { expect, test } from 'vitest';
import { DesktopFailure, type Sound } from '../desktop-link.ts';
import { SoundChannel } from './sound-channel.ts';

const u16 = (...values: readonly number[]) => Buffer.concat(values.map((value) => Buffer.of(value & 0xff, value >> 8)));
const u32 = (value: number) => u16(value & 0xffff, value >>> 16);
const message = (type: number, body: Buffer, size = body.length) =>
  Buffer.concat([Buffer.of(type, 0), u16(size), body]);
const format = (tag: number, channels: number, rate: number, bits = 16, more = Buffer.alloc(0)) =>
  Buffer.concat([
    u16(tag, channels),
    u32(rate),
    u32((rate * channels * bits) / 8),
    u16((channels * bits) / 8, bits, more.length),
    more,
  ]);
const formats = (...offered: readonly Buffer[]) =>
  message(7, Buffer.concat([Buffer.alloc(14), u16(offered.length), Buffer.of(0, 8, 0, 0), ...offered]));
const [WAVES, MONO, STEREO] = [format(0x11, 2, 44_100, 4), format(1, 1, 48_000), format(1, 2, 44_100)];

function open() {
  const said: Buffer[] = [];
  const played: Sound[] = [];
  const channel = new SoundChannel({ send: (each) => said.push(each), played: (sound) => played.push(sound) });
  const hear = (bytes: Buffer) => channel.hear({ length: bytes.length, bytes });
  return { said, played, hear, channel };
}

/** As hosts say it: a head with the first four bytes, and the rest as a message of its own. */
function wave(samples: Buffer, block = 3): Buffer[] {
  const head = Buffer.concat([u16(0x1234, 0), Buffer.of(block, 0, 0, 0), samples.subarray(0, 4)]);
  return [message(2, head, 8 + samples.length), Buffer.concat([Buffer.alloc(4), samples.subarray(4)])];
}

test('of what a host offers one plain form is taken, and what it plays is handed on and confirmed', () => {
  const { said, played, hear } = open();
  hear(formats(WAVES, MONO, format(1, 2, 44_100, 16, Buffer.alloc(6, 9)), format(1, 2, 22_050)));
  expect(said[0]).toEqual(message(7, Buffer.concat([u32(1), Buffer.alloc(10), u16(1), Buffer.of(0, 5, 0, 0), STEREO])));
  hear(message(6, Buffer.concat([u16(7, 1_000), Buffer.alloc(1_000)])));
  expect(said[1]).toEqual(message(6, u16(7, 1_000)));

  const samples = Buffer.from(Array.from({ length: 40 }, (_, at) => at));
  for (const each of wave(samples)) hear(each);
  expect(played).toEqual([{ channels: 2, rate: 44_100, samples }]);
  expect(said[2]).toEqual(message(5, Buffer.concat([u16(0x1234), Buffer.of(3, 0)])));
  // What is no whole sample is left out.
  for (const each of wave(Buffer.alloc(10, 1))) hear(each);
  expect(played[1]?.samples).toEqual(Buffer.alloc(8, 1));
});

test('a host without a plain form hears that there is none, and is confirmed what it plays all the same', () => {
  const { said, played, hear } = open();
  hear(formats(WAVES, format(1, 6, 48_000), format(1, 2, 384_000), format(1, 2, 44_100, 24)));
  expect(said).toEqual([message(7, Buffer.concat([Buffer.alloc(14), u16(0), Buffer.of(0, 5, 0, 0)]))]);
  for (const each of wave(Buffer.alloc(400))) hear(each);
  expect([played, said.length]).toEqual([[], 2]);
});

test('cut at any byte, a message about sound is refused in words or passed over, and plays nothing', () => {
  for (const whole of [formats(MONO, STEREO), message(6, u16(1, 2)), wave(Buffer.alloc(40))[0]!])
    for (let at = 0; at < whole.length; at += 1) {
      const { hear, played } = open();
      try {
        hear(whole.subarray(0, at));
      } catch (error) {
        expect(error).toBeInstanceOf(DesktopFailure);
      }
      expect(played).toEqual([]);
    }
  const { hear, played, channel } = open();
  hear(formats(STEREO));
  const [head, rest] = wave(Buffer.alloc(40)) as [Buffer, Buffer];
  hear(head);
  expect(() => hear(rest.subarray(0, 20))).toThrow('about sound');
  // One that is too long is known by its beginning alone.
  hear(head);
  channel.hear({ length: 100_000, bytes: rest });
  hear(message(1, Buffer.alloc(0)));
  expect(played).toEqual([]);
});
