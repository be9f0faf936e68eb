import { writeFileSync } from 'node:fs';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { pathFor } from '@gatehouse/contract/wire/route';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRecording, type Happening } from '../../../../testing/recordings/playback/build-recording.ts';
import { seededRandom } from '../../../../testing/recordings/playback/ordinary-work.ts';
import {
  CLUSTER,
  type RecordingWorld,
  startRecordingWorld,
} from '../../../../testing/recordings/playback/recording-world.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const MUTATIONS = 500;
/** Each mutation is of a session of its own now and then, so that nothing kept of one answers for another. */
const PER_SESSION = 25;
const STATES = ['complete', 'truncated', 'corrupted', 'missing'];

let world: RecordingWorld;
let eve: TestBrowser;

beforeAll(async () => {
  world = await startRecordingWorld();
  await world.gateway.addUser('eve', { roles: ['auditor'] });
  eve = await world.gateway.signedIn('eve');
});
afterAll(() => world.close());

test('whatever is done to a file, each call answers quickly with a state or a piece', {
  // All of it is work, on a machine that has other work: 20 s where it has none.
  timeout: 400_000,
}, async () => {
  const random = seededRandom(42);
  const seen = new Map<string, number>();
  for (let round = 0; round < MUTATIONS / PER_SESSION; round += 1) {
    const sid = await world.record({ happenings: [], durationMs: 90_000 });
    const happenings = Array.from({ length: 90 }, (_, second): Happening => {
      const text = `\x1b[3${second % 8}m${'word '.repeat(Math.floor(random() * 60))}\x1b[0m ${second} é漢\r\n`;
      return { ms: second * 1_000, type: 'output', text };
    });
    const whole = buildRecording({ sid, started: 0 }, happenings, world.signer);
    for (let number = 0; number < PER_SESSION; number += 1) {
      writeFileSync(world.pathOf(sid), mutated(whole, random));
      const from = performance.now();
      const details = await ask(recordingRoutes.get.path, sid, '');
      expect(details.status).toBe(200);
      const { state, playable, reason } = recordingRoutes.get.reply.parse(JSON.parse(details.text));
      expect(STATES).toContain(state);
      expect(playable || reason !== '').toBe(true);
      seen.set(state, (seen.get(state) ?? 0) + 1);
      const ms = Math.floor(random() * 90_000);
      for (const [path, query] of [
        [recordingRoutes.screen.path, `?at=${ms}`],
        [recordingRoutes.playback.path, '?seek=0'],
        [recordingRoutes.playback.path, `?seek=${ms}`],
      ] as const) {
        const answer = await ask(path, sid, query);
        expect([200, 409], `${path} ${answer.text.slice(0, 200)}`).toContain(answer.status);
        // Never a button that cannot play: what was said to play gives a piece.
        if (playable) expect(answer.status, `${state} ${answer.text.slice(0, 200)}`).toBe(200);
      }
      expect(performance.now() - from).toBeLessThan(15_000);
    }
  }
  expect([...seen.keys()].length).toBeGreaterThanOrEqual(2);
  expect(world.gateway.logged()).not.toContain('internal error');
});

function ask(path: string, sid: string, query: string) {
  return eve.send({ method: 'GET', url: pathFor(path, { ...CLUSTER, sid }) + query });
}

function mutated(whole: Buffer, random: () => number): Buffer {
  const at = () => Math.floor(random() * whole.length);
  const bytes = Buffer.from(whole);
  switch (Math.floor(random() * 8)) {
    case 0:
      return bytes.subarray(0, at());
    case 1:
      bytes[at()] = Math.floor(random() * 256);
      return bytes;
    case 2:
      return Buffer.concat([bytes.subarray(0, at()), bytes.subarray(at())]);
    case 3:
      bytes.fill(0, at());
      return bytes;
    case 4: {
      const from = at();
      bytes.fill(Math.floor(random() * 256), from, Math.min(from + 200, bytes.length));
      return bytes;
    }
    case 5:
      return Buffer.concat([bytes, bytes.subarray(0, at())]);
    case 6:
      // Lengths in heads: 22 to 30 of the first, or anywhere.
      bytes.writeUInt32LE(
        Math.floor(random() * 0xffffffff),
        random() < 0.5 ? 22 + Math.floor(random() * 5) : Math.min(at(), whole.length - 4),
      );
      return bytes;
    default:
      return random() < 0.1 ? Buffer.alloc(0) : bytes.subarray(at());
  }
}
