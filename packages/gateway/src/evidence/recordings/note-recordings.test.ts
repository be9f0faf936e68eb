import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startRecordingWorld } from '../../../testing/recordings/recording-world.ts';
import { findRecording } from './recording-status-store.ts';

async function world() {
  const world = await startRecordingWorld();
  onTestFinished(() => world.close());
  return world;
}

test('what was noted with its session is begun without another commit, and whatever was sealed of it is known', async () => {
  const { db, recorder, notes, addSession } = await world();
  const session = await addSession();
  await db.transaction().execute((tx) => recorder.begins(tx, session.id));
  await sql`create trigger written_twice before insert on recording begin select raise(abort, 'written twice'); end`.execute(
    db,
  );

  const writer = await recorder.open(session);
  writer.close({ cause: 'exited', message: '' });
  await recorder.settled();
  const mark = { end: 10, hash: 'ab', place: 'gateway' };
  await notes.marked(session.id, mark);
  expect(await notes.began(session.id)).toEqual(mark);
});

test('one that was not is noted by itself', async () => {
  const { db, recorder, addSession } = await world();
  const session = await addSession();
  const gone = new Error('the session was not written');
  await expect(
    db.transaction().execute(async (tx) => {
      await recorder.begins(tx, session.id);
      throw gone;
    }),
  ).rejects.toBe(gone);
  expect(await findRecording(db, session.id)).toBeUndefined();

  const writer = await recorder.open(session);
  expect(await findRecording(db, session.id)).toMatchObject({ state: 'live' });
  writer.close({ cause: 'exited', message: '' });
  await recorder.settled();
});
