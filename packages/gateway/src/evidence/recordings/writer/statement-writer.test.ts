/** Statements on their way to a disk: who asks faster than it writes waits, and a disk that takes nothing holds nobody up. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { madeSession } from '../../../../testing/recordings/make-recording.ts';
import { recordedItems } from '../../../../testing/recordings/recorded-output.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { recordingPath } from '../stores/disk-store.ts';
import { createRecorder } from './create-recorder.ts';
import { recordStatements } from './record-statements.ts';

const OUTCOME = { ok: true, tag: 'SELECT 1', code: '', error: '', rows: 1, bytes: 20, ms: 1.234 };
const session = madeSession({
  action: { kind: 'db', resource: { id: 'd', name: 'orders' }, dbUser: 'reader', dbName: 'shop' },
});

function opened({ isFull = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-statements-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = recordingPath(folder, session.id);
  if (isFull) symlinkSync('/dev/full', path);
  const failures: string[] = [];
  const nothing = async () => {};
  const recorder = createRecorder({
    ...{ folder, signer: testSigner(), log: silentLog, now: () => session.created + 10, place: 'gateway', isOn: true },
    notes: {
      ...{
        begins: async () => {},
        began: async () => undefined,
        marked: nothing,
        tampered: nothing,
        skipped: nothing,
        full: nothing,
      },
      failed: async (_session, reason) => void failures.push(reason),
    },
    onEnded: () => {},
  });
  return { recorder, path, failures, open: () => recordStatements(recorder).open(session) };
}

test('what was asked and what came of it are read as they were written', async () => {
  const { recorder, path, open } = opened();
  const writer = await open();
  const n = writer.asked({ what: 'query', text: 'select 1', values: ['a'], backend: 7 });
  writer.sample(n, { columns: ['one'], rows: [['1'], [null]], isCut: false });
  writer.answered(n, OUTCOME);
  const failed = writer.asked({ what: 'query', text: 'selct' });
  writer.answered(failed, { ...OUTCOME, ok: false, error: 'syntax error', code: '42601', rows: 0 });
  writer.close({ cause: 'closed', message: 'the client left' });
  await recorder.settled();

  const items = await recordedItems(path);
  expect(items[0]).toMatchObject({ type: 'facts', facts: { kind: 'db', login: 'reader', database: 'shop' } });
  expect(items.slice(1)).toMatchObject([
    { type: 'asked', n: 1, what: 'query', text: 'select 1', values: ['a'], backend: 7 },
    { type: 'sample', n: 1, columns: ['one'], rows: [['1'], [null]], cut: false },
    { type: 'answered', outcome: { n: 1, ms: 1.23, rows: 1, bytes: 20, tag: 'SELECT 1' } },
    { type: 'asked', n: 2, text: 'selct' },
    { type: 'answered', outcome: { n: 2, error: 'syntax error', code: '42601' } },
    { type: 'end', message: 'the client left' },
  ]);
});

test.each([
  ['more than numbers hold', 2 ** 64, Number.MAX_SAFE_INTEGER],
  ['less than nothing', -3, 0],
  ['half a row', 2.5, 2],
  ['no number', Number.NaN, 0],
  ['no end', Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER],
])('a server that counts %s leaves the recording readable', async (_what, said, kept) => {
  const { recorder, path, open } = opened();
  const writer = await open();
  writer.answered(writer.asked({ what: 'query', text: 'select 1' }), { ...OUTCOME, rows: said, bytes: said, ms: -1 });
  writer.close({ cause: 'closed', message: 'the client left' });
  await recorder.settled();

  expect((await recordedItems(path)).slice(1)).toMatchObject([
    { type: 'asked' },
    { type: 'answered', outcome: { n: 1, rows: kept, bytes: kept, ms: 0 } },
    { type: 'end' },
  ]);
});

test('with more than a megabyte that is not on disk, whoever asks waits until it is', async () => {
  const { recorder, open } = opened();
  const writer = await open();
  expect(writer.behind()).toBeUndefined();
  const text = 'x'.repeat(600_000);
  writer.asked({ what: 'query', text });
  writer.asked({ what: 'query', text });
  const written = writer.behind();
  expect(written).toBeInstanceOf(Promise);
  await written;

  expect(writer.behind()).toBeUndefined();
  writer.close({ cause: 'closed', message: '' });
  await recorder.settled();
});

test('a disk that takes nothing is told, and nobody waits for it', async () => {
  const { failures, open } = opened({ isFull: true });
  const writer = await open();
  const told = new Promise<string>((resolve) => writer.onFailed(resolve));
  for (let count = 0; count < 3; count += 1) writer.asked({ what: 'query', text: 'x'.repeat(600_000) });
  await writer.behind();

  expect(await told).toContain('ENOSPC');
  expect(failures).toHaveLength(1);
  expect([writer.isOpen(), writer.behind()]).toEqual([false, undefined]);
});
