/** What a recording of VNC holds, and what it would of a host that lies: greetings, and updates in every form that is asked for. */
import { type VncPart, vncInit, vncUpdate } from '@gatehouse/testkit/desktop/vnc-host';
import type { Random } from '../random.ts';

const FORMS = [0, 1, 2, 5, -239, -308, -223, -224, 16];

export function brokenRfb(random: Random): Buffer[] {
  const [width, height] = [random.pick([1, 64, 320, 8_192, 65_535]), random.pick([1, 48, 200, 4_000])];
  const greeting = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(1, 1), Buffer.alloc(4)]);
  const begun = Buffer.concat([greeting, vncInit(width, height, 'desk')]);
  const pieces = [random.chance(0.95) ? begun : random.mutate(begun)];
  for (let left = random.below(40); left > 0; left -= 1) {
    const parts = Array.from({ length: 1 + random.below(4) }, () => part(random, { width, height }));
    const update = vncUpdate(...parts);
    if (random.chance(0.05)) update.writeUInt16BE(0xffff, 2);
    const bytes = random.chance(0.9) ? update : random.mutate(update);
    const cut = random.below(bytes.length);
    pieces.push(...(random.chance(0.2) ? [bytes.subarray(0, cut), bytes.subarray(cut)] : [bytes]));
  }
  return pieces;
}

function part(random: Random, screen: { width: number; height: number }): VncPart {
  const [width, height] = [1 + random.below(Math.min(64, screen.width)), 1 + random.below(Math.min(48, screen.height))];
  const at = { x: random.below(screen.width - width + 1), y: random.below(screen.height - height + 1), width, height };
  const encoding = random.pick(FORMS);
  return { ...at, encoding, body: bodyOf(random, encoding, at) };
}

function bodyOf(random: Random, encoding: number, { width, height }: { width: number; height: number }): Buffer {
  if (encoding === 0) return Buffer.alloc(width * height * 4, random.below(256));
  if (encoding === 1) return random.bytes(4);
  if (encoding === 2) {
    const count = random.chance(0.95) ? random.below(20) : random.below(5_000);
    return Buffer.concat([Buffer.of(0, 0, count >> 8, count & 255), random.bytes(4 + count * 12)]);
  }
  if (encoding === 5) return random.bytes(Math.ceil(width / 16) * Math.ceil(height / 16) * (1 + random.below(40)));
  if (encoding === -239) return Buffer.alloc(width * height * 4 + Math.ceil(width / 8) * height);
  return encoding === -308 ? Buffer.concat([Buffer.of(1, 0, 0, 0), random.bytes(16)]) : Buffer.alloc(0);
}
