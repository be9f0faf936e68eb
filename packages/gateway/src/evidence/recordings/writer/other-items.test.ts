/** A session that is no terminal is recorded by the same recorder, with items of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { madeSession } from '../../../../testing/recordings/make-recording.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { silentLog } from '../../../platform/std/log.ts';
import type { PastItem, SessionRecorder } from '../../../sessions/recorder.ts';
import { stateOf } from '../format/check-recording.ts';
import { ITEMS, MAX_RAW_BYTES } from '../format/frames.ts';
import { openFileSource, recordingPath } from '../stores/disk-store.ts';
import { createRecorder } from './create-recorder.ts';

/** Of a later version, such as statements sent to a database and what came back. */
const STATEMENT = 15;
const ROWS = ITEMS.sample;
const session = madeSession({ action: { kind: 'db', resource: { id: 'd', name: 'orders' }, login: 'reader' } });
const signer = testSigner();

function newRecorder() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-recordings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const recorder = createRecorder({
    folder,
    signer,
    log: silentLog,
    now: () => session.created + 2_000,
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
  const check = async () => {
    const source = await openFileSource(recordingPath(folder, session.id));
    try {
      return await stateOf(source!, { keys: [signer.publicKey], sid: session.id });
    } finally {
      await source?.close();
    }
  };
  return { recorder, check };
}

/** A writer of its own kind: it counts statements, and knows the recorder by its interface alone. */
class StatementWriter {
  readonly #recorder: SessionRecorder;
  #count: number;

  constructor(recorder: SessionRecorder) {
    this.#recorder = recorder;
    this.#count = recorder.durable();
  }

  statement(text: string): void {
    this.#count += 1;
    this.#add(STATEMENT, text);
  }

  rows(text: string): void {
    this.#add(ROWS, text);
  }

  #add(type: number, text: string): void {
    this.#recorder.append({ type, ms: this.#recorder.now(), bytes: Buffer.from(text), to: this.#count });
  }
}

const told = ({ type, bytes }: PastItem) => [type, String(bytes)];

async function pastOf(recorder: SessionRecorder, from: number) {
  const items: PastItem[] = [];
  for await (const item of recorder.past(from)) if (item.type === STATEMENT || item.type === ROWS) items.push(item);
  return items.map(told);
}

test('items of another kind are kept, gone on with after a crash, and verified', async () => {
  const { recorder, check } = newRecorder();
  const before: SessionRecorder = await recorder.open(session);
  const first = new StatementWriter(before);
  first.statement('select 1');
  first.rows('1');
  await recorder.settled();
  expect(before.durable()).toBe(1);
  before.release();
  await recorder.settled();

  const after = await recorder.open(session);
  const second = new StatementWriter(after);
  second.statement('select 2');
  after.joined('bob', 'observer');
  await recorder.settled();
  expect(after.durable()).toBe(2);
  expect(await pastOf(after, 0)).toEqual([
    [STATEMENT, 'select 1'],
    [ROWS, '1'],
    [STATEMENT, 'select 2'],
  ]);
  expect(await pastOf(after, 1)).toEqual([[STATEMENT, 'select 2']]);
  after.close({ cause: 'exited', message: 'the client left' });
  await recorder.settled();

  expect(await check()).toMatchObject({
    state: 'complete',
    problem: undefined,
    hasGap: false,
    durationMs: 2_000,
    signedMs: 2_000,
    facts: { kind: 'db', resource: { name: 'orders' } },
  });
});

test('items that no reader would take are refused, and the recording goes on', async () => {
  const { recorder, check } = newRecorder();
  const writer = await recorder.open(session);
  const item = { type: STATEMENT, ms: 0, bytes: Buffer.from('select 1'), to: 1 };
  writer.append({ ...item });

  for (const bad of [{ bytes: Buffer.alloc(MAX_RAW_BYTES) }, { type: 16 }, { to: 0 }])
    expect(() => writer.append({ ...item, ...bad })).toThrow('fits nowhere');
  writer.close({ cause: 'exited', message: '' });
  await recorder.settled();

  expect(await check()).toMatchObject({ state: 'complete' });
});

test('the number of statements in this test is nobody else’s yet', () => {
  expect(Object.values(ITEMS)).not.toContain(STATEMENT);
});
