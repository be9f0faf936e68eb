import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { buildRecording, type Happening } from '../playback/testing/build-recording.ts';
import { ordinaryWork, seededRandom } from '../playback/testing/ordinary-work.ts';
import type { RecordingSource } from '../recording-store.ts';
import { testSigner } from '../testing/test-signer.ts';
import { indexRecording } from './index-recording.ts';
import { linesOf } from './line-blocks.ts';
import type { RecordingIndex } from './recording-index.ts';
import { screenAt } from './screen-at.ts';
import { ScreenPlayer } from './screen-player.ts';

const signer = testSigner();

function sourceOf(bytes: Buffer): RecordingSource {
  return {
    bytes: bytes.length,
    read: async (from, length) => bytes.subarray(from, from + length),
    close: async () => {},
  };
}

async function indexed(bytes: Buffer, options: { running?: boolean; previous?: RecordingIndex } = {}) {
  let index: RecordingIndex | undefined;
  const blocks: string[] = [];
  await indexRecording({
    source: sourceOf(bytes),
    previous: options.previous,
    running: options.running ?? false,
    async onCheckpoint(made, fresh) {
      index = made;
      blocks.push(...fresh);
    },
  });
  return { index: index!, blocks, lines: blocks.flatMap(linesOf) };
}

async function played(happenings: readonly Happening[], ms: number): Promise<string> {
  const player = new ScreenPlayer({ cols: 80, rows: 24 }, 1_000);
  for (const happening of happenings) {
    if (happening.ms > ms) break;
    if (happening.type === 'output') player.write(Buffer.from(happening.text));
    if (happening.type === 'size') player.resize(happening);
  }
  await player.drained();
  const { ansi } = player.draw(100);
  player.dispose();
  return ansi;
}

test('a screen found by seeking is the screen of playing from the start, at any time', async () => {
  const happenings = [...ordinaryWork({ seed: 7, durationMs: 3_600_000, bytes: 4_000_000 })];
  const bytes = buildRecording({ sid: randomUUID() }, happenings, signer);
  const { index } = await indexed(bytes);
  expect(index.keyframes.length).toBeGreaterThan(4);
  const random = seededRandom(3);

  for (let round = 0; round < 25; round += 1) {
    const ms = Math.floor(random() * index.durationMs);
    const { screen } = await screenAt({ source: sourceOf(bytes), index, ms, use: 'play' });
    expect(screen.ansi, `at ${ms}`).toBe(await played(happenings, ms));
  }
});
