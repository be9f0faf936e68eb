/** What a desktop shows on its way to a disk: each thing read as it was written, pointers as an eye needs them, and a host that is faster waits. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LAST_SIZE, recordedPdus } from '../../../../testing/desktop/recorded-pdus.ts';
import { madeSession, STARTED, sourceOf } from '../../../../testing/recordings/make-recording.ts';
import { recordedItems } from '../../../../testing/recordings/recorded-output.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { silentLog } from '../../../platform/std/log.ts';
import {
  demandedSize,
  isFast,
  remoteFxHeaders,
  SHARE_DATA_TYPES,
  shareDataType,
} from '../../../sessions/desktop/rdp-marks.ts';
import { stateOf } from '../format/check-recording.ts';
import { type FrameRef, findFrames } from '../format/read-recording.ts';
import { OutputRate } from '../output-rate.ts';
import { recordingPath } from '../stores/disk-store.ts';
import { createRecorder } from './create-recorder.ts';
import { recordDesktops } from './record-desktops.ts';

const SIZE = { width: 1280, height: 800 };
const session = madeSession({
  action: { kind: 'desktop', resource: { id: 'w', name: 'win-1', spec: { protocol: 'rdp' } }, login: 'ann' },
});

function opened({ isFull = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-desktops-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = recordingPath(folder, session.id);
  if (isFull) symlinkSync('/dev/full', path);
  const signer = testSigner();
  const nothing = async () => {};
  let time = STARTED;
  const recorder = createRecorder({
    ...{ folder, signer, log: silentLog, now: () => time, place: 'gateway', isOn: true, onEnded: () => {} },
    notes: {
      ...{ begins: async () => {}, began: async () => undefined, marked: nothing, tampered: nothing, skipped: nothing },
      ...{ full: nothing, failed: nothing },
    },
  });
  const passed = (ms: number) => {
    time += ms;
  };
  return { recorder, path, signer, passed, open: () => recordDesktops(recorder, new OutputRate()).open(session) };
}

test('what a desktop shows, and what happens beside it, is read as it was written', async () => {
  const { recorder, path, signer, open } = opened();
  const writer = await open();
  writer.begin('rdp', SIZE);
  writer.picture(Buffer.from([3, 0, 0, 5, 9]));
  writer.joined('bob', 'observer');
  writer.pointer(640, 400, 1);
  writer.note({ kind: 'clipboard', direction: 'receive', length: 12 });
  writer.note({ kind: 'take-over', user: 'bob' });
  writer.size({ width: 1024, height: 768 });
  writer.segment({ width: 800, height: 600 });
  writer.picture(Buffer.from([3, 0, 0, 4]));
  writer.close({ cause: 'closed', message: 'ann left' });
  await recorder.settled();

  const items = await recordedItems(path);
  expect(items[0]).toMatchObject({ facts: { kind: 'desktop', protocol: 'rdp', login: 'ann' } });
  expect(items.slice(1)).toMatchObject([
    { type: 'segment', protocol: 'rdp', ...SIZE },
    { type: 'size', cols: 1280, rows: 800 },
    { type: 'output', bytes: Buffer.from([3, 0, 0, 5, 9]) },
    { type: 'join', user: 'bob' },
    { type: 'pointer', x: 640, y: 400, buttons: 1 },
    { type: 'note', note: { kind: 'clipboard', direction: 'receive', length: 12 } },
    { type: 'note', note: { kind: 'take-over', user: 'bob' } },
    { type: 'size', cols: 1024, rows: 768 },
    { type: 'segment', protocol: 'rdp', width: 800, height: 600 },
    { type: 'size', cols: 800, rows: 600 },
    { type: 'output' },
    { type: 'end', message: 'ann left' },
  ]);
  expect(writer.durable()).toBe(9);
  const bytes = readFileSync(path);
  const check = { keys: [signer.publicKey], sid: session.id };
  expect(await stateOf(sourceOf(bytes), check)).toMatchObject({ state: 'complete', facts: { kind: 'desktop' } });
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  expect(await stateOf(sourceOf(bytes), check)).toMatchObject({ state: 'corrupted' });
});

test('where the size changes, what follows is whole for a client that begins there', async () => {
  const { recorder, path, open } = opened();
  const writer = await open();
  writer.begin('rdp', { width: 800, height: 600 });
  const { pdus } = recordedPdus();
  for (const { bytes } of pdus) writer.picture(bytes);
  writer.close({ cause: 'closed', message: '' });
  await recorder.settled();

  const items = await recordedItems(path);
  const begins = items.flatMap((item, at) => (item.type === 'segment' ? [at] : []));
  expect(begins.map((at) => items[at])).toMatchObject([{ width: 800, height: 600 }, LAST_SIZE]);
  const [first, second] = begins.map((at, index) =>
    items.slice(at, begins[index + 1]).flatMap((item) => (item.type === 'output' ? [item.bytes] : [])),
  );
  const opening = first?.findIndex((pdu) => demandedSize(pdu)) ?? 0;
  expect(opening).toBe(7);
  expect(second?.slice(0, opening)).toEqual(first?.slice(0, opening));
  expect(demandedSize(second?.[opening] ?? Buffer.alloc(0))).toEqual(LAST_SIZE);
  const active = second?.findIndex((pdu) => shareDataType(pdu) === SHARE_DATA_TYPES.fontMap) ?? 0;
  expect(second?.slice(opening, active).filter(isFast)).toEqual([]);
  expect(remoteFxHeaders(second?.[active + 1] ?? Buffer.alloc(0))).toBeDefined();
});

test('a pointer that moves is kept about twenty times a second, each press and each release always', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { recorder, path, passed, open } = opened();
  const writer = await open();
  writer.begin('rdp', SIZE);
  for (let ms = 0; ms < 500; ms += 5) {
    writer.pointer(ms, 7, 0);
    passed(5);
    vi.advanceTimersByTime(5);
  }
  writer.pointer(500, 7, 1);
  writer.pointer(501, 7, 0);
  writer.pointer(-3, 70_000, 0);
  writer.close({ cause: 'closed', message: '' });
  await recorder.settled();

  const pointers = (await recordedItems(path)).filter((item) => item.type === 'pointer');
  expect(pointers.length).toBeGreaterThan(10);
  expect(pointers.length).toBeLessThan(25);
  expect(pointers.slice(-3)).toMatchObject([
    { x: 500, y: 7, buttons: 1 },
    { x: 501, y: 7, buttons: 0 },
    { x: 0, y: 65_535, buttons: 0 },
  ]);
});

test('whatever is cut off, it plays up to the cut', async () => {
  const { recorder, path, passed, open } = opened();
  const writer = await open();
  writer.begin('rdp', SIZE);
  for (let second = 0; second < 5; second += 1) {
    writer.picture(Buffer.alloc(2_000, second));
    await recorder.settled();
    passed(1_000);
  }
  const whole = readFileSync(path);
  const frames: FrameRef[] = [];
  for await (const frame of findFrames(sourceOf(whole))) frames.push(frame);
  expect(frames.map(({ endMs }) => endMs)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  for (const { at, length, startMs } of frames.slice(1))
    for (const cut of [at + 1, at + 60, at + length - 1])
      expect(await stateOf(sourceOf(whole.subarray(0, cut)))).toMatchObject({
        state: 'truncated',
        durationMs: startMs - 1_000,
        end: at,
      });
  writer.close({ cause: 'closed', message: '' });
  await recorder.settled();
});

test('with more than four megabytes that are not on disk the host waits until they are', async () => {
  const { recorder, open } = opened();
  const writer = await open();
  writer.begin('rdp', SIZE);
  const told = vi.fn();
  writer.onDurable(told);
  for (let count = 0; count < 5; count += 1) writer.picture(Buffer.alloc(1024 * 1024, count));
  const written = writer.behind();
  expect(written).toBeInstanceOf(Promise);
  await written;
  expect(writer.behind()).toBeUndefined();
  writer.close({ cause: 'closed', message: '' });
  await recorder.settled();
  expect(told).toHaveBeenCalled();
});

test('a disk that takes nothing is told, and no host waits for it', async () => {
  const { open } = opened({ isFull: true });
  const writer = await open();
  const told = new Promise<string>((resolve) => writer.onFailed(resolve));
  for (let count = 0; count < 5; count += 1) writer.picture(Buffer.alloc(1024 * 1024));
  await writer.behind();
  expect(await told).toContain('ENOSPC');
  expect([writer.isOpen(), writer.behind()]).toEqual([false, undefined]);
});
