import { mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { recordedOutput } from '../../../../testing/recordings/recorded-output.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { stateOf } from '../format/check-recording.ts';
import { OutputRate } from '../output-rate.ts';
import { openFileSource } from '../stores/disk-store.ts';
import { createRecorder } from './create-recorder.ts';
import { recordTerminals } from './record-terminals.ts';

const session = {
  id: '6b1c9a52-7d0e-4f3a-8f7e-0123456789ab',
  cluster: 'main',
  user: 'ann',
  created: 1_000,
  action: { kind: 'node', resource: { id: 'n', name: 'web-1' }, login: 'root' },
  agent: 'a',
};
const size = { cols: 80, rows: 24 };

function newRecorder() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-recordings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const recorder = createRecorder({
    folder,
    signer: testSigner(),
    log: silentLog,
    now: () => 5_000,
    place: 'gateway',
    notes: {
      begins: async () => {},
      began: async () => undefined,
      marked: async () => {},
      tampered: async () => {},
      skipped: async () => {},
      failed: async () => {},
      full: async () => {},
    },
    isOn: true,
    onEnded: () => {},
  });
  return { path: join(folder, `${session.id}.rec`), recorder: recordTerminals(recorder, new OutputRate()) };
}

const outputIn = async (path: string) => String(await recordedOutput(path));

test('what is durable is on disk, and whoever goes on after a crash neither repeats nor misses a byte', async () => {
  const { path, recorder } = newRecorder();
  const first = await recorder.open(session);
  first.begin(0, size);
  first.write(0, Buffer.from('hello '));
  expect(first.durable()).toBe(0);
  await first.settled();
  expect(first.durable()).toBe(6);
  expect(await outputIn(path)).toBe('hello ');
  first.release();

  // The process is gone; the holder still has all of it from the beginning.
  const second = await recorder.open(session);
  expect(second.durable()).toBe(6);
  second.begin(0, size);
  second.write(0, Buffer.from('hello wor'));
  second.write(9, Buffer.from('ld'));
  second.close({ cause: 'exited', message: '' });
  await recorder.settled();

  expect(await outputIn(path)).toBe('hello world');
});

test('a torn end is cut off, wherever it is torn', async () => {
  const { path, recorder } = newRecorder();
  const writer = await recorder.open(session);
  writer.write(0, Buffer.from('one'));
  await writer.settled();
  const whole = readFileSync(path);
  writer.write(3, Buffer.from('two'));
  await writer.settled();
  const both = readFileSync(path);

  for (let length = whole.length; length < both.length; length += 7) {
    writeFileSync(path, both);
    truncateSync(path, length);
    const again = await recorder.open(session);
    expect(again.durable()).toBe(3);
    again.release();
    await again.settled();
  }
  const zeros = Buffer.concat([both.subarray(0, whole.length + 45), Buffer.alloc(both.length - whole.length - 45)]);
  writeFileSync(path, zeros);
  const last = await recorder.open(session);
  expect(last.durable()).toBe(3);
  last.release();
  writer.release();
});

test('much output is acknowledged by size, without waiting for the second', async () => {
  const { recorder } = newRecorder();
  const writer = await recorder.open(session);
  const told = new Promise<void>((resolve) => writer.onDurable(resolve));
  // The second does not come.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let offset = 0; offset < 1024 * 1024; offset += 65_536) writer.write(offset, Buffer.alloc(65_536, 'x'));
  await told;
  writer.release();

  expect(writer.durable()).toBeGreaterThan(0);
});

test('a disk that takes no more is told, and nothing counts as kept', async () => {
  const { path, recorder } = newRecorder();
  symlinkSync('/dev/full', path);
  const writer = await recorder.open(session);
  const failed = new Promise<string>((resolve) => writer.onFailed(resolve));
  writer.write(0, Buffer.from('lost'));
  await writer.settled();
  writer.release();

  expect(await failed).toContain('ENOSPC');
  expect(writer.durable()).toBe(0);
});

test('one that was damaged in the middle is put aside, not cut off, and the new one tells what it has not', async () => {
  const { path, recorder } = newRecorder();
  const writer = await recorder.open(session);
  for (const [offset, text] of [
    [0, 'one'],
    [3, 'two'],
    [6, 'six'],
  ] as const) {
    writer.write(offset, Buffer.from(text));
    await writer.settled();
  }
  for (let offset = 9; offset < 18; offset += 1) {
    writer.write(offset, Buffer.from('x'));
    await writer.settled();
  }
  writer.release();
  await writer.settled();
  const bytes = readFileSync(path);
  const damaged = Buffer.from(bytes).fill(0x55, 0, 20);
  writeFileSync(path, damaged);
  const again = await recorder.open(session);
  again.begin(18, size);
  again.write(18, Buffer.from('on'));
  again.close({ cause: 'exited', message: '' });
  await again.settled();

  expect(readFileSync(path.replace('.rec', '.damaged')).equals(damaged)).toBe(true);
  expect(await outputIn(path)).toBe('on');
  const source = await openFileSource(path);
  expect(source && (await stateOf(source))).toMatchObject({ state: 'complete', hasGap: true });
  await source?.close();
});

test('a folder that somebody has removed is made again', async () => {
  const { path, recorder } = newRecorder();
  const first = await recorder.open(session);
  first.release();
  await first.settled();
  rmSync(dirname(path), { recursive: true });
  const second = await recorder.open(session, {}, { isNew: true });
  second.begin(0, size);
  second.write(0, Buffer.from('again'));
  second.close({ cause: 'exited', message: '' });
  await recorder.settled();

  expect(await outputIn(path)).toBe('again');
});

test('what is called new is gone on with all the same where there is a file of it', async () => {
  const { recorder } = newRecorder();
  const first = await recorder.open(session, {}, { isNew: true });
  first.begin(0, size);
  first.write(0, Buffer.from('before'));
  await first.settled();
  first.release();
  const second = await recorder.open(session, {}, { isNew: true });
  second.release();

  expect(second.durable()).toBe(6);
});
