import { expect, test } from 'vitest';
import { AHEAD_S, BEHIND_S, createSoundPlayer } from './sound-player.ts';

function openAudio() {
  const started: { at: number; channels: Float32Array[]; rate: number }[] = [];
  const audio = {
    ...{ currentTime: 10, state: 'running', destination: {}, isClosed: false, resumed: 0 },
    async resume() {
      audio.resumed += 1;
    },
    async close() {
      audio.isClosed = true;
    },
    createBuffer(channels: number, count: number, rate: number) {
      const data = Array.from({ length: channels }, () => new Float32Array(count));
      return { duration: count / rate, data, rate, getChannelData: (at: number) => data[at] };
    },
    createBufferSource: () => ({
      buffer: undefined as undefined | { data: Float32Array[]; rate: number },
      connect() {},
      start(at: number) {
        started.push({ at, channels: this.buffer?.data ?? [], rate: this.buffer?.rate ?? 0 });
      },
    }),
  };
  return { started, audio, player: createSoundPlayer(audio as never) };
}

function piece(samples: readonly number[], channels = 2, rate = 48_000): Uint8Array {
  // As it lies in a frame, behind other bytes.
  const bytes = new Uint8Array(1 + 5 + 2 * samples.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(1, channels);
  view.setUint32(2, rate, true);
  for (const [at, sample] of samples.entries()) view.setInt16(6 + 2 * at, sample, true);
  return bytes.subarray(1);
}

test('pieces are played one behind the other, each channel apart', () => {
  const { started, audio, player } = openAudio();
  player.play(piece([16_384, -32_768, 0, 8_192]));
  player.play(piece(Array.from({ length: 9_600 }, () => 0)));
  player.play(piece([1], 1, 8_000));
  expect(started.map(({ at }) => Number(at.toFixed(5)))).toEqual([10 + AHEAD_S, 10.10004, 10.20004]);
  expect(started[0]?.channels.map((channel) => [...channel])).toEqual([
    [0.5, 0],
    [-1, 0.25],
  ]);
  expect(started.map(({ rate }) => rate)).toEqual([48_000, 48_000, 8_000]);
  player.close();
  expect(audio.isClosed).toBe(true);
});

test('what comes faster than it is heard is left out, and after a silence it begins anew', () => {
  const { started, audio, player } = openAudio();
  const second = Array.from({ length: 96_000 }, () => 0);
  for (let at = 0; at < 5; at += 1) player.play(piece(second));
  expect(started).toHaveLength(1);
  expect(BEHIND_S).toBeLessThan(1);
  audio.currentTime = 20;
  player.play(piece(second));
  expect(started[1]?.at).toBe(20 + AHEAD_S);
});

test('what is no sound is passed over', () => {
  const { started, player } = openAudio();
  for (const bytes of [
    new Uint8Array(),
    new Uint8Array(4),
    piece([]),
    piece([1, 2], 0),
    piece([1, 2], 9),
    piece([1, 2], 2, 1),
  ])
    player.play(bytes);
  expect(started).toEqual([]);
});

test('a page that nobody has touched yet plays from the first click or key on, and nothing of before', () => {
  const { started, audio, player } = openAudio();
  audio.state = 'suspended';
  player.play(piece([1, 2]));
  expect(started).toEqual([]);
  expect(audio.resumed).toBe(1);
  window.dispatchEvent(new Event('pointerdown'));
  expect(audio.resumed).toBe(2);
  audio.state = 'running';
  player.play(piece([1, 2]));
  expect(started).toHaveLength(1);
  player.close();
  window.dispatchEvent(new Event('keydown'));
  expect(audio.resumed).toBe(2);
});
