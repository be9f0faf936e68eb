import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { madeRecording, madeSession, sourceOf, startScene } from '../../../../testing/recordings/make-recording.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { toAsciicast } from './asciicast.ts';
import { stateOf } from './check-recording.ts';
import { decodeHead, encodeHead, HEAD_BYTES, SEAL_BYTES } from './frames.ts';
import { findFrames, type RecordedItem, readItems } from './read-recording.ts';
import { type FoundFrame, walkFrames } from './walk-frames.ts';

const signer = testSigner();
const keys = [signer.publicKey];
const session = madeSession();
const { id: sid } = session;
const recording = madeRecording(signer, session);
const check = (bytes: Buffer, options: Parameters<typeof stateOf>[1] = { keys, sid }) =>
  stateOf(sourceOf(bytes), options);

async function framesOf(bytes: Buffer): Promise<FoundFrame[]> {
  const found: FoundFrame[] = [];
  for await (const frame of walkFrames(sourceOf(bytes))) found.push(frame);
  return found;
}

async function itemsOf(bytes: Buffer): Promise<RecordedItem[]> {
  const source = sourceOf(bytes);
  const items: RecordedItem[] = [];
  for await (const frame of findFrames(source)) items.push(...(await readItems(source, frame)));
  return items;
}

test('a whole recording is complete, signed every minute and to its end, and tells what happened when', async () => {
  const bytes = await recording;
  const frames = await framesOf(bytes);
  const seals = frames.filter(({ type }) => type === 'seal');
  const items = await itemsOf(bytes);

  expect(await check(bytes)).toMatchObject({ state: 'complete', reason: '', problem: undefined, end: bytes.length });
  expect((await check(bytes)).signedMs).toBe((await check(bytes)).durationMs);
  expect(seals.map(({ startMs }) => startMs).slice(0, 3)).toEqual([60_000, 120_000, 180_000]);
  expect(frames.at(-1)?.type).toBe('seal');
  expect(items[0]).toMatchObject({ type: 'facts', facts: { sid, user: 'ann', login: 'root' } });
  expect(items.filter(({ type }) => type !== 'output' && type !== 'facts')).toEqual([
    { ms: 0, type: 'size', cols: 80, rows: 24 },
    { ms: 50_000, type: 'join', user: 'bob', mode: 'observer' },
    { ms: 80_000, type: 'size', cols: 120, rows: 40 },
    { ms: 90_000, type: 'leave', user: 'bob', mode: 'observer' },
    { ms: 200_000, type: 'end', cause: 'exited', message: 'the shell ended' },
  ]);
});

test('cut anywhere it is truncated, never complete, and everything before the cut can be read', async () => {
  const bytes = await recording;
  const frames = await framesOf(bytes);

  for (let length = 0; length < bytes.length; length += 13) {
    const found = await check(bytes.subarray(0, length));
    expect(found.state).toBe('truncated');
    const whole = frames.filter(({ at, length: size }) => at + size <= length);
    expect(found.frames).toBe(whole.length);
    expect(await check(bytes.subarray(0, length), { keys, sid, running: true })).toMatchObject({ state: 'running' });
  }
});

test('a gateway that was killed leaves no more than its last minute unsigned, and the next one signs that too', async () => {
  const scene = await startScene({ signer, session });
  scene.writer.begin(0, { cols: 80, rows: 24 });
  for (let second = 0; second < 170; second += 10) {
    scene.writer.write(second, Buffer.from('0123456789'));
    await scene.passed(10_000);
  }
  const killed = await check(scene.bytes());
  expect(killed).toMatchObject({ state: 'truncated', reason: 'it breaks off before the session ended' });
  expect(killed.durationMs - killed.signedMs).toBeLessThan(60_000);
  scene.writer.release();
  await scene.writer.settled();
  const released = await check(scene.bytes());
  expect(released.signedMs).toBe(released.durationMs);
  await scene.close();
});

describe('a change shows', () => {
  test('of any single byte, wherever it is', async () => {
    const bytes = await recording;

    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 0x21;
      expect((await check(changed)).state, `byte ${at}`).not.toBe('complete');
    }
  });

  test('when 500 hostile mutations are tried: always a clear state, never complete, never a crash', async () => {
    const bytes = await recording;
    const frames = await framesOf(bytes);
    const random = generator(7);
    const states = new Set<string>();
    for (let run = 0; run < 500; run += 1) {
      const changed = mutate(bytes, random, frames);
      if (changed.equals(bytes)) continue;
      const found = await check(changed);
      states.add(found.state);
      expect(['truncated', 'corrupted']).toContain(found.state);
      expect(found.reason).not.toBe('');
      expect(await readAll(changed)).toBeLessThan(50_000_000);
    }

    expect([...states].sort()).toEqual(['corrupted', 'truncated']);
  });

  test('when frames are put in again, taken out or exchanged, at the first of them', async () => {
    const bytes = await recording;
    const frames = await framesOf(bytes);
    const part = (index: number) => {
      const { at, length } = frames[index] as FoundFrame;
      return bytes.subarray(at, at + length);
    };
    const all = frames.map((_, index) => part(index));
    const at = (frames[5] as FoundFrame).at;

    expect(await check(Buffer.concat(all.filter((_, index) => index !== 5)))).toMatchObject({
      state: 'corrupted',
      problem: { at },
    });
    const again = [...all.slice(0, 5), part(4), ...all.slice(5)];
    expect(await check(Buffer.concat(again))).toMatchObject({ state: 'corrupted', problem: { at } });
    expect((await check(bytes.subarray((frames[1] as FoundFrame).at))).state).toBe('corrupted');
  });

  test('when somebody without the key writes all of it anew', async () => {
    const forged = await madeRecording(testSigner(), session);

    expect(await check(forged, { sid })).toMatchObject({ state: 'complete' });
    expect(await check(forged)).toMatchObject({
      state: 'corrupted',
      problem: { reason: expect.stringContaining('key') },
    });
  });

  test('when everything behind a seal is cut off and chained anew', async () => {
    const bytes = await recording;
    const frames = await framesOf(bytes);
    const seal = frames.findIndex(({ type }) => type === 'seal');
    const kept = frames[seal] as FoundFrame;
    const before = createHash('sha256')
      .update(bytes.subarray(kept.at, kept.at + SEAL_BYTES))
      .digest();
    const last = frames.at(-1) as FoundFrame;
    const end = frames.at(-2) as FoundFrame;
    const moved = Buffer.from(bytes.subarray(end.at, end.at + end.length));
    encodeHead({ ...end, before }).copy(moved);
    const seen = Buffer.concat([bytes.subarray(0, kept.at + SEAL_BYTES), moved, bytes.subarray(last.at)]);

    expect((await check(seen)).state).toBe('corrupted');
  });

  test('when it is given as the recording of another session', async () => {
    expect(await check(await recording, { keys, sid: randomUUID() })).toMatchObject({
      state: 'corrupted',
      problem: { at: 0, reason: `it is a recording of session ${sid}` },
    });
  });
});

test('as asciicast it has the facts, every line and every mark', async () => {
  let text = '';
  for await (const lines of toAsciicast(sourceOf(await recording))) text += lines;
  const [head, ...events] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

  expect(head).toEqual({ version: 2, width: 80, height: 24, timestamp: 1769860800, title: 'ann: root@web-1' });
  expect(events[0]).toEqual([0, 'r', '80x24']);
  expect(events.filter(([, type]) => type === 'm').map(([at, , what]) => [at, what])).toEqual([
    [50, 'bob joined as observer'],
    [90, 'bob left'],
    [200, 'ended: the shell ended'],
  ]);
  expect(events.filter(([, type]) => type === 'o')).toHaveLength(40);
});

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

function mutate(bytes: Buffer, random: (below: number) => number, frames: readonly FoundFrame[]): Buffer {
  const changed = Buffer.from(bytes);
  const at = random(bytes.length);
  const frame = frames[random(frames.length)] as FoundFrame;
  switch (random(8)) {
    case 0:
      return changed.subarray(0, at);
    case 1:
      return Buffer.concat([changed.subarray(0, at), changed.subarray(at + 1 + random(200))]);
    case 2:
      return Buffer.concat([changed.subarray(0, at), Buffer.alloc(1 + random(300), random(256)), changed.subarray(at)]);
    case 3:
      return changed.fill(random(256), at, at + 1 + random(500));
    case 4: {
      // Lengths and times of a head, as large as they can be.
      changed.writeUInt32LE(0xffffffff, frame.at + 12 + random(HEAD_BYTES - 16));
      return changed;
    }
    case 5: {
      const head = decodeHead(changed.subarray(frame.at));
      if (head) encodeHead({ ...head, rawBytes: random(9_000_000), kinds: random(256) }).copy(changed, frame.at);
      return changed;
    }
    case 6:
      return Buffer.concat([changed, Buffer.alloc(1 + random(500), random(256))]);
    default: {
      for (let count = 0; count < 20; count += 1) changed[random(changed.length)] = random(256);
      return changed;
    }
  }
}

/** How much a reader that trusts nothing gets out of it. */
async function readAll(bytes: Buffer): Promise<number> {
  const source = sourceOf(bytes);
  let total = 0;
  for await (const frame of findFrames(source)) {
    const items = await readItems(source, frame).catch(() => []);
    for (const item of items) if (item.type === 'output') total += item.bytes.length;
  }
  return total;
}
