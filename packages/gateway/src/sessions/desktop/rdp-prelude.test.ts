/** What hosts send is followed whatever it is: cut, changed or made up, nothing of it throws into the session that is recorded. */
import { expect, test } from 'vitest';
import { recordedPdus } from '../../../testing/desktop/recorded-pdus.ts';
import { RdpPrelude, RdpSegments } from './rdp-prelude.ts';

const pdus = recordedPdus().pdus.map(({ bytes }) => bytes);

test('sizes, handshakes and boundaries of a real session are found', () => {
  const prelude = new RdpPrelude();
  const steps = pdus.map((pdu) => prelude.follow(pdu));
  expect(steps.filter((step) => step === 'again')).toHaveLength(1);
  expect(steps.filter((step) => step === 'active')).toHaveLength(2);
  expect(steps.indexOf('active')).toBe(11);
  expect(prelude.size).toEqual({ width: 1024, height: 640 });
  expect(prelude.opening).toHaveLength(7);
  expect(prelude.primer()).toBeDefined();
  expect(prelude.isBoundary).toBe(true);
});

test('cut anywhere or changed in any byte, a PDU is followed without a word', () => {
  let seed = 11;
  const random = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % most;
  };
  for (const pdu of pdus.filter(({ length }) => length < 5_000))
    for (let round = 0; round < 20; round += 1) {
      const changed = Buffer.from(pdu.subarray(0, 1 + random(pdu.length)));
      changed[random(changed.length)] = random(256);
      const segments = new RdpSegments();
      for (const before of pdus.slice(0, 12)) segments.follow(before);
      expect(() => segments.follow(changed)).not.toThrow();
    }
});

test('a host that never ends its handshake is kept only so far', () => {
  const segments = new RdpSegments();
  for (let count = 0; count < 2_000; count += 1) segments.follow(pdus[0] as Buffer);
  const kept = segments.prelude.opening.reduce((sum, { length }) => sum + length, 0);
  expect(kept).toBeLessThanOrEqual(128 * 1024);
  expect(segments.prelude.isBoundary).toBe(false);
});
