/** What a client of the wire reference is sent of a recording, and when: what draws it is one that only notes what it is given. */
import { expect, test } from 'vitest';
import { recordDesktop } from '../../../../testing/desktop/record-desktop.ts';
import { sourceOf } from '../../../../testing/recordings/make-recording.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { readItems } from '../format/read-recording.ts';
import { walkFrames } from '../format/walk-frames.ts';
import { playDesktop } from './play-desktop.ts';

const source = sourceOf(await recordDesktop(testSigner()));

async function recordedOutputs(): Promise<number> {
  let outputs = 0;
  for await (const frame of walkFrames(source))
    if (frame.type === 'frame')
      outputs += (await readItems(source, frame)).filter(({ type }) => type === 'output').length;
  return outputs;
}

interface PlayedMessage {
  type: number;
  ms: number;
  at: number;
}

async function play({ speed = 1, untilMs = Number.POSITIVE_INFINITY, leaveAfter = Number.POSITIVE_INFINITY } = {}) {
  let at = 0;
  let fed = 0;
  let looks = 0;
  const told: PlayedMessage[] = [];
  const sizes: string[] = [];
  const whole = await playDesktop({
    ...{ source, untilMs },
    desktop: {
      begin: async ({ width, height }) => void sizes.push(`${width}×${height}`),
      async feed(pdus) {
        fed += pdus.length;
      },
      async look() {
        looks += 1;
        const tiles = [{ left: 0, top: 0, width: 64, height: 64, png: Buffer.from('png') }];
        return { width: 0, height: 0, draws: looks, bytes: new Uint8Array(), tiles };
      },
    },
    clock: {
      speed,
      async reach(ms) {
        at = Math.max(at, ms);
        return true;
      },
    },
    async send(message, ms) {
      told.push({ type: message[0]!, ms, at });
      return told.length < leaveAfter;
    },
  });
  return { whole, told, sizes, fed, looks, endedAt: at };
}

test('the size comes before anything, tiles ten times a second at most, pointers at their time, and all of it is drawn', async () => {
  const { whole, told, sizes, fed, looks, endedAt } = await play();
  expect(whole).toBe(true);
  expect(sizes).toEqual(['800×600', '1024×640']);
  expect(told[0]).toMatchObject({ type: 1, ms: 0 });
  expect(told.filter(({ type }) => type === 1).length).toBe(2);
  expect(told.some(({ type }) => type === 3)).toBe(true);
  expect(fed).toBe(await recordedOutputs());
  expect(looks).toBeLessThanOrEqual(1 + endedAt / 100 + sizes.length);
  // Nothing is told before its time, nor much later.
  expect(told.every(({ ms, at }) => at >= ms && at - ms <= 100)).toBe(true);
  const tiles = told.filter(({ type }) => type === 27);
  expect(tiles.length).toBe(looks);
  expect(tiles.map(({ ms }) => ms)).toEqual(tiles.map(({ ms }) => ms).sort((a, b) => a - b));
});

test('played faster, what is seen within a tenth of a second is shown together', async () => {
  const [slow, fast] = [await play(), await play({ speed: 16 })];
  expect(fast.fed).toBe(slow.fed);
  expect(fast.looks).toBeLessThan(slow.looks / 2);
  expect(fast.endedAt).toBe(slow.endedAt);
});

test('nothing behind the damage is shown, and nothing to who has left', async () => {
  const cut = await play({ untilMs: 4_000 });
  expect(cut.whole).toBe(true);
  expect(Math.max(...cut.told.map(({ ms }) => ms))).toBeLessThanOrEqual(4_000);
  const left = await play({ leaveAfter: 3 });
  expect([left.whole, left.told.length]).toEqual([false, 3]);
});
