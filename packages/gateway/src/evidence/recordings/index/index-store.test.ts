import { expect, onTestFinished, test } from 'vitest';
import { startRecordingWorld } from '../../../../testing/recordings/recording-world.ts';
import { giveLease, takeLease } from './index-store.ts';

test('one that is being read is of nobody else until it is given back, or for longer than that may take', async () => {
  const { db, close, addSession } = await startRecordingWorld();
  onTestFinished(() => close());
  const { id } = await addSession();
  const take = (now: number) => takeLease(db, id, { now, leaseMs: 100 });

  const first = await take(1_000);
  expect(first).toMatchObject({ sid: id, lease: 1_100, blocks: 0, complete: 0 });
  expect(await take(1_099)).toBeUndefined();
  const later = await take(1_100);
  expect(later).toMatchObject({ number: first?.number, lease: 1_200 });
  await giveLease(db, later?.number ?? 0, { now: 1_150 });
  expect(await take(1_151)).toMatchObject({ number: first?.number, lease: 1_251 });
});
