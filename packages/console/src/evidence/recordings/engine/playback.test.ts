import { expect, test } from 'vitest';
import { fakeClock, fakeRecording, fakeScreen, output } from '../../../../testing/recordings/player/fake-recording.ts';
import { AHEAD_CHARACTERS } from './piece-reader.ts';
import { createPlayback } from './playback.ts';

/** A letter each second, then a long silence, then two more. */
const LETTERS = [
  output(0, 'a'),
  output(1_000, 'b'),
  output(2_000, 'c'),
  output(3_000, 'd'),
  output(4_000, 'e'),
  output(60_000, 'f'),
  output(61_000, 'g'),
];
const END_MS = 62_000;

type Options = Parameters<typeof fakeRecording>[1] & { skipsIdle?: boolean; end?: number };

async function open(items = LETTERS, { skipsIdle = false, end = END_MS, ...options }: Options = {}) {
  const recording = fakeRecording(items, options);
  const time = fakeClock();
  const canvas = fakeScreen();
  const player = createPlayback({
    source: recording.source,
    screen: canvas.screen,
    clock: time.clock,
    skipsIdle,
  });
  player.setEnd(end, recording.live);
  player.start(0);
  await time.pass(0);
  return { recording, player, ...time, ...canvas };
}

test('what was printed appears when it was printed, and at the end it stops', async () => {
  const { player, pass, shown } = await open();
  player.play();

  await pass(2_500);
  expect(shown.text).toBe('abc');
  expect(player.position.get()).toBeCloseTo(2_500, -2);
  await pass(60_000);

  expect(shown.text).toBe('abcdefg');
  expect(player.view.get()).toMatchObject({ isPlaying: false, hasEnded: true });
  expect(player.position.get()).toBe(END_MS);
});

test('played again after the end, it begins anew', async () => {
  const { player, pass, shown } = await open();
  player.seek(END_MS);
  player.play();
  await pass(100);
  expect(player.view.get().hasEnded).toBe(true);

  player.toggle();
  await pass(100);

  expect(shown.text).toBe('a');
  expect(player.view.get()).toMatchObject({ isPlaying: true, hasEnded: false });
});

test.each([
  [0.5, 'ab'],
  [4, 'abcde'],
  [16, 'abcde'],
] as const)('at %s times the speed as much more is shown', async (speed, text) => {
  const { player, pass, shown } = await open();
  player.setSpeed(speed);
  player.play();

  await pass(2_100);

  expect(shown.text).toBe(text);
});

test('a pause holds everything where it is', async () => {
  const { player, pass, shown } = await open();
  player.play();
  await pass(1_500);
  player.pause();
  const at = player.position.get();

  await pass(30_000);

  expect(shown.text).toBe('ab');
  expect(player.position.get()).toBe(at);
});

test('a seek draws the screen of that time first, and what was printed since', async () => {
  const { player, pass, shown, recording } = await open();
  player.seek(60_500);
  await pass(0);
  expect(shown.text).toBe('abcdef');

  player.seek(2_200);
  await pass(0);

  expect(recording.asked).toContain('seek 2200');
  expect(shown).toMatchObject({ text: 'abc', drawn: 3 });
  expect(player.position.get()).toBe(2_200);
});

test('a seek to what is already here asks for nothing', async () => {
  const { player, pass, shown, recording } = await open();
  const before = recording.asked.length;

  player.seek(2_500);
  await pass(0);

  expect(shown.text).toBe('abc');
  expect(recording.asked.slice(before).filter((each) => each.startsWith('seek'))).toEqual([]);
});

test('while one drags, one seek runs at a time and the last one wins', async () => {
  const { player, pass, shown, recording } = await open();
  player.seek(END_MS);
  await pass(0);
  let answer = () => {};
  recording.delayed = new Promise((resolve) => {
    answer = resolve;
  });
  for (const ms of [50_000, 40_000, 30_000, 3_500]) player.seek(ms);
  recording.delayed = undefined;
  answer();
  await pass(0);

  expect(recording.asked.filter((each) => each.startsWith('seek'))).toEqual([
    'seek 0',
    `seek ${END_MS}`,
    'seek 50000',
    'seek 3500',
  ]);
  expect(shown.text).toBe('abcd');
  expect(player.position.get()).toBe(3_500);
});

test('a seek that takes long is given up for a newer one', async () => {
  const { player, pass, shown, recording } = await open();
  player.seek(END_MS);
  await pass(0);
  recording.delayed = new Promise(() => {});
  player.seek(50_000);
  await pass(1_000);
  recording.delayed = undefined;

  player.seek(30_000);
  await pass(0);

  expect(shown.text).toBe('abcde');
  expect(player.position.get()).toBe(30_000);
});

test('idle time is squeezed and told, and only when that is wanted', async () => {
  const { player, pass, shown } = await open(LETTERS, { skipsIdle: true });
  player.play();

  await pass(4_700);
  expect(player.view.get().skippedMs).toBeGreaterThan(50_000);
  await pass(500);
  expect(shown.text).toBe('abcdef');
  player.seek(5_000);
  player.setSkipsIdle(false);
  await pass(10_000);

  expect(shown.text).toBe('abcde');
  expect(player.view.get().skippedMs).toBeUndefined();
});

test('steps go from output to output, however far apart, and back', async () => {
  const { player, pass, shown } = await open();
  const texts: string[] = [];
  for (let step = 0; step < 6; step += 1) {
    await player.stepForward();
    texts.push(shown.text);
  }
  expect(texts).toEqual(['ab', 'abc', 'abcd', 'abcde', 'abcdef', 'abcdefg']);

  player.stepBack();
  await pass(0);
  expect(shown.text).toBe('abcdef');
  expect(player.position.get()).toBe(60_000);
  player.stepBack();
  await pass(0);
  expect(player.position.get()).toBe(59_000);
  expect(shown.text).toBe('abcde');
});

test('steps asked for while a seek runs are made from where it ends, unless another seek comes', async () => {
  const { player, pass, shown } = await open();
  player.seek(59_000);
  void player.stepForward();
  await pass(0);
  expect(shown.text).toBe('abcdef');
  expect(player.position.get()).toBe(60_000);

  player.seek(59_000);
  void player.stepForward();
  player.seek(59_000);
  await pass(0);
  expect(shown.text).toBe('abcde');
  expect(player.position.get()).toBe(59_000);
});

test('sizes are followed', async () => {
  const { player, pass, shown } = await open([
    output(0, 'a'),
    { type: 'size', ms: 500, cols: 132, rows: 50 },
    output(900, 'b'),
  ]);
  expect(shown.size).toBe('80x24');
  player.play();
  await pass(600);

  expect(shown.size).toBe('132x50');
});

test('lost output is told where it was lost', async () => {
  const { player, pass } = await open([output(0, 'a'), { type: 'gap', ms: 500, bytes: 4_096 }, output(900, 'b')]);
  player.play();
  await pass(600);

  expect(player.view.get().gapBytes).toBe(4_096);
});

test('little is read ahead, and what was played is let go', async () => {
  const long = Array.from({ length: 4_000 }, (_, index) => output(index * 10, 'x'.repeat(3_000)));
  const { player, pass, recording } = await open(long, { perPiece: 20, end: 40_000 });
  const aheadPieces = Math.ceil(AHEAD_CHARACTERS / (20 * 4_000)) + 2;
  expect(recording.asked).toEqual(['seek 0']);
  player.play();

  await pass(10_000);

  expect(recording.asked.length).toBeLessThanOrEqual(aheadPieces + 1_000 / 20 + 2);
});

test('a screen that draws slowly is waited for', async () => {
  const long = Array.from({ length: 400 }, (_, index) => output(index, 'x'.repeat(30_000)));
  const { player, pass, shown, drain } = await open(long, { perPiece: 5, end: 400 });
  shown.isSlow = true;
  player.setSpeed(16);
  player.play();
  for (let turn = 0; turn < 200; turn += 1) {
    await pass(16);
    drain();
  }

  expect(shown.mostUndrawn).toBeLessThan(500_000);
  expect(shown.text).toHaveLength(400 * 30_000);
});

test('a running session is followed as it prints, and played from before when one goes back', async () => {
  const { player, pass, shown, recording } = await open([output(0, 'a'), output(1_000, 'b')], {
    live: true,
    end: 5_000,
  });
  player.goLive();
  await pass(100);
  expect(shown.text).toBe('ab');

  recording.items.push(output(6_000, 'c'));
  await pass(1_500);
  expect(shown.text).toBe('abc');
  expect(player.view.get()).toMatchObject({ isFollowing: true, isPlaying: true });
  expect(player.position.get()).toBeGreaterThan(6_000);

  player.seek(500);
  await pass(100);
  expect(shown.text).toBe('a');
  expect(player.view.get().isFollowing).toBe(false);
  player.goLive();
  recording.items.push(output(8_000, 'd'), { type: 'end', ms: 8_100, text: 'exited' });
  recording.live = false;
  await pass(3_000);

  expect(shown.text).toBe('abcd');
  expect(player.view.get()).toMatchObject({ isLive: false, hasEnded: true, isFollowing: false, durationMs: 8_100 });
});

test('who catches up with a running session follows it', async () => {
  const { player, pass } = await open([output(0, 'a')], { live: true, end: 1_000 });
  player.setSpeed(16);
  player.play();

  await pass(3_000);

  expect(player.view.get().isFollowing).toBe(true);
});

test('a lost connection is tried again; in vain, it says so and can be tried by hand', async () => {
  const long = Array.from({ length: 40 }, (_, index) => output(index * 100, 'x'.repeat(300_000)));
  const { player, pass, shown, recording } = await open(long, { perPiece: 2, end: 4_000 });
  recording.failing = 2;
  player.play();
  await pass(8_000);
  expect(shown.text).toHaveLength(40 * 300_000);

  recording.failing = 4;
  player.seek(0);
  await pass(0);
  expect(player.view.get().failure?.message).toBe('Failed to fetch');
  recording.failing = 0;
  player.play();
  await pass(200);

  expect(player.view.get().failure).toBeUndefined();
  expect(shown.text).toHaveLength(2 * 300_000);
});

test('closed, it asks for nothing more', async () => {
  const { player, pass, recording } = await open([output(0, 'a')], { live: true });
  player.goLive();
  await pass(100);
  player.close();
  const before = recording.asked.length;

  await pass(20_000);

  expect(recording.asked.length).toBe(before);
});
