/** The thread of `targets/pictures.ts`: draws what hosts broke, as pages, players and the gateway's own process do, and says which seed it was that did more than it may. */
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { RemoteFxPainter } from '@gatehouse/contract/kinds/desktop/remotefx/painter';
import { RfbPicture } from '@gatehouse/gateway/sessions/desktop/decoder/rfb-picture';
import { RdpSegments } from '@gatehouse/gateway/sessions/desktop/rdp-prelude';
import { recordedPdus } from '@gatehouse/gateway/testing/desktop/recorded-pdus';
import { createRandom, type Random } from '../random.ts';
import { brokenUpdate, withHeaders } from './broken-remotefx.ts';
import { brokenRfb } from './broken-rfb.ts';

export interface Drawn {
  thrown: number;
  problem?: string;
}

/** A page stands still meanwhile. */
const MAX_PUSH_MS = 1_000;
const SIZES = [
  { width: 320, height: 200 },
  { width: 64, height: 64 },
  { width: 1, height: 1 },
  { width: 0, height: 0 },
  { width: 1_281, height: 803 },
];
const RECORDED = recordedPdus().pdus.map(({ bytes }) => bytes);
const DEMAND = RECORDED.find((pdu) => pdu.length === 425) ?? Buffer.alloc(0);

class Problem extends Error {}

async function timed(what: string, work: () => void | Promise<void>): Promise<void> {
  // Of this thread: a machine that has other work is no fault of a painter.
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  const ms = (user + system) / 1_000;
  if (ms > MAX_PUSH_MS) throw new Problem(`${what} took ${ms.toFixed(0)} ms of a processor`);
}

/** Draws inside of its surface, tells its client all else in the order in which it came, and never throws. */
async function paint(random: Random): Promise<number> {
  let size = random.pick(SIZES);
  const given = new Map<Uint8Array, number>();
  let told = -1;
  const painter = new RemoteFxPainter({
    surface: {
      get width() {
        return size.width;
      },
      get height() {
        return size.height;
      },
      paint(points, { left, top, width, height }) {
        const isInside = left >= 0 && top >= 0 && left + width <= size.width && top + height <= size.height;
        if (!isInside || width <= 0 || height <= 0) throw new Problem(`drawn at ${left},${top} ${width} × ${height}`);
        if (points.length !== size.width * size.height * 4) throw new Problem('drawn of points of another size');
      },
      read: ({ width, height }) => new Uint8ClampedArray(width * height * 4),
    },
    push(pdu) {
      const at = given.get(pdu);
      // What the painter says of its own.
      if (at === undefined) return;
      if (at <= told) throw new Problem('the client hears a message late, or twice');
      told = at;
    },
    turn: async () => {
      if (random.chance(0.3)) await setImmediate();
    },
  });
  const push = (pdu: Buffer) => {
    const own = Buffer.from(pdu);
    given.set(own, given.size);
    painter.push(own);
  };
  push(withHeaders(random, size));
  for (let left = random.below(30); left > 0; left -= 1) {
    const update = brokenUpdate(random, size);
    await timed('an update', async () => {
      for (const pdu of update) push(pdu);
      // Behind what the client draws, all that waits is drawn in one go.
      if (random.chance(0.5)) await painter.settled();
    });
    if (random.chance(0.05)) await painter.settled();
    if (random.chance(0.02)) push(Buffer.from(DEMAND));
    if (random.chance(0.02)) size = random.pick(SIZES);
    if (random.chance(0.02)) push(withHeaders(random, size));
  }
  await painter.settled();
  return given.size;
}

/** Refuses in words of its own, or draws. */
async function drawRfb(random: Random): Promise<number> {
  const picture = new RfbPicture();
  const pieces = brokenRfb(random);
  try {
    for (const piece of pieces) await picture.feed([piece]);
    picture.look({ as: 'raw' });
  } catch (error) {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
  } finally {
    picture.close();
  }
  return pieces.length;
}

/** What whoever comes later is told: kept of anything, and never larger than its limit. */
async function follow(random: Random): Promise<number> {
  const segments = new RdpSegments();
  const pdus = RECORDED.slice(0, random.below(RECORDED.length));
  for (const pdu of pdus) segments.follow(random.chance(0.9) ? pdu : random.mutate(pdu));
  const bytes = segments.prelude.all().reduce((sum, { length }) => sum + length, 0);
  if (bytes > 4 * 2 ** 20) throw new Problem(`a handshake of ${bytes} bytes is kept`);
  return pdus.length;
}

parentPort?.on('message', async ({ seed, rounds }: { seed: number; rounds: number }) => {
  let thrown = 0;
  let own = seed;
  try {
    for (let round = 0; round < rounds; round += 1) {
      own = (seed + round) >>> 0;
      const random = createRandom(own);
      thrown += await random.pick([paint, paint, paint, drawRfb, follow])(random);
    }
    parentPort?.postMessage({ thrown } satisfies Drawn);
  } catch (error) {
    const problem = `a picture of seed ${own}: ${error instanceof Problem ? error.message : (error as Error).stack}`;
    parentPort?.postMessage({ thrown, problem } satisfies Drawn);
  }
});
