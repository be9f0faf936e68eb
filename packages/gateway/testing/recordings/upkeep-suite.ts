/** Every gap is told with its cause, and nothing that plays is lost: the reconciler and retention, on real files and any store. */
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findRecording } from '../../src/evidence/recordings/recording-status-store.ts';
import { findExpired, removeExpired } from '../../src/evidence/recordings/upkeep/retention.ts';
import { recordedOutput } from './recorded-output.ts';
import type { RecordingWorld } from './recording-world.ts';

const DAY_MS = 86_400_000;

export function upkeepSuite(start: () => Promise<RecordingWorld>): void {
  let world: RecordingWorld;
  beforeEach(async () => {
    world = await start();
  });
  afterEach(() => world.close());

  const causes = async () => (await world.coverage()).gaps.map(({ sid, cause, reason }) => ({ sid, cause, reason }));

  test('sessions whose recordings are whole are all of them, and running ones do not count', async () => {
    await world.recorded();
    await world.recorded();
    const { writer } = await world.recorded('goes on');
    await world.reconciler.look();

    expect(await world.coverage()).toEqual({ sessions: 2, recorded: 2, share: 1, gaps: [], gapsComplete: true });
    writer.release();
  });

  test('a session that no role or cluster wants recorded is told as disabled, with who said so', async () => {
    const session = await world.addSession(false);
    await world.recorder.skip(session, 'a role turns it off');
    await world.end(session);
    const other = await world.addSession(false);
    await world.end(other);
    await world.reconciler.lookAtAll();

    expect(await causes()).toEqual([{ sid: session.id, cause: 'disabled', reason: 'a role turns it off' }]);
  });

  test('a disk that is full from the beginning, and one that fills up, are told, and what came before plays', async () => {
    const never = await world.addSession();
    symlinkSync('/dev/full', world.pathOf(never));
    const writer = await world.recorder.open(never);
    const failed = new Promise((resolve) => writer.onFailed(resolve));
    writer.write(0, Buffer.from('lost'));
    await writer.settled();
    expect(await failed).toContain('ENOSPC');
    await world.end(never);

    const { session, writer: second } = await world.recorded('goes on');
    second.release();
    await second.settled();
    const whole = readFileSync(world.pathOf(session));
    // Another gateway goes on with it where there is no room.
    unlinkSync(world.pathOf(session));
    symlinkSync('/dev/full', world.pathOf(session));
    // One whose folder is another: here, nothing of it is missed.
    await world.notes.marked(session.id, { end: 0, hash: '', place: '' });
    const third = await world.recorder.open(session);
    third.write(18, Buffer.from('lost'));
    await third.settled();
    rmSync(world.pathOf(session));
    writeFileSync(world.pathOf(session), whole);
    await world.end(session);
    rmSync(world.pathOf(never));
    // That it failed is noted behind the writer.
    await world.notes.settled();
    await world.reconciler.look();

    const reason = expect.stringContaining('ENOSPC');
    expect(await causes()).toEqual([
      { sid: never.id, cause: 'failed', reason },
      { sid: session.id, cause: 'failed', reason },
    ]);
    expect(await findRecording(world.db, never.id)).toMatchObject({ state: 'failed' });
    expect(await findRecording(world.db, session.id)).toMatchObject({ state: 'truncated' });
    expect(String(await recordedOutput(world.pathOf(session)))).toBe('what was printed\r\n');
    const events = await world.db.selectFrom('event').select('code').execute();
    expect(events.map(({ code }) => code)).toEqual(['GH312E', 'GH312E']);
  });

  test('a gateway that was killed leaves a truncated one, and says so', async () => {
    const { session, writer } = await world.recorded('goes on');
    const killed = readFileSync(world.pathOf(session));
    writer.release();
    await writer.settled();
    // A gateway that is killed seals nothing.
    await world.notes.marked(session.id, { end: 0, hash: '', place: '' });
    writeFileSync(world.pathOf(session), Buffer.concat([killed, killed.subarray(0, 50)]));
    await world.end(session, 'gateway_lost');
    await world.reconciler.look();

    expect(await causes()).toEqual([
      { sid: session.id, cause: 'truncated', reason: expect.stringContaining('the gateway that wrote it was stopped') },
    ]);
    expect(String(await recordedOutput(world.pathOf(session)))).toBe('what was printed\r\n');
  });

  test('a file that vanishes, is cut or is changed later is noticed, and noticed again when it is mended', async () => {
    const [gone, cut, changed] = [await world.recorded(), await world.recorded(), await world.recorded()];
    await world.reconciler.look();
    expect((await world.coverage()).share).toBe(1);
    const whole = readFileSync(world.pathOf(cut.session));
    unlinkSync(world.pathOf(gone.session));
    truncateSync(world.pathOf(cut.session), whole.length - 10);
    const bytes = readFileSync(world.pathOf(changed.session));
    bytes[120] = (bytes[120] as number) ^ 1;
    writeFileSync(world.pathOf(changed.session), bytes);
    await world.reconciler.lookAtAll();

    expect((await causes()).map(({ sid, cause }) => [sid, cause])).toEqual([
      [gone.session.id, 'missing'],
      [cut.session.id, 'corrupted'],
      [changed.session.id, 'corrupted'],
    ]);
    expect((await world.coverage()).share).toBe(0);

    writeFileSync(world.pathOf(cut.session), whole);
    await world.reconciler.lookAtAll();
    expect((await causes()).map(({ cause }) => cause)).toEqual(['missing', 'corrupted']);
  });

  test('a session of which nothing was ever noted, and one that has no file, are missing', async () => {
    const unnoted = await world.addSession();
    await world.end(unnoted);
    await world.reconciler.lookAtAll();

    expect(await causes()).toEqual([{ sid: unnoted.id, cause: 'missing', reason: 'there is no file of it any more' }]);
  });

  test('one recording that nobody can read does not stop the others from being looked at', async () => {
    const [bad, good] = [await world.recorded(), await world.recorded()];
    writeFileSync(world.pathOf(bad.session), Buffer.alloc(5_000, 0x50));
    await world.reconciler.look();

    expect(await findRecording(world.db, bad.session.id)).toMatchObject({ state: 'corrupted', gap: 'corrupted' });
    expect(await findRecording(world.db, good.session.id)).toMatchObject({ state: 'complete', gap: '' });
  });

  const limits = (change: object) => ({
    ...{ db: world.db, store: world.store, audit: world.audit, clusterName: 'main', isWriting: world.isWriting },
    ...{ retentionDays: 0, maxMegabytes: 0, now: world.now, log: { warn() {} } as never },
    ...change,
  });

  test('what is old goes, told first and then done, with its index; running ones and younger ones stay; it is no gap', async () => {
    const old = await world.recorded();
    const running = await world.recorded('goes on');
    await world.store.writeBeside(old.session.id, 'index', Buffer.from('index'));
    world.clock.now += 40 * DAY_MS;
    const young = await world.recorded();
    await world.reconciler.look();
    const retention = limits({ retentionDays: 30 });

    expect((await findExpired(retention)).map(({ sid }) => sid)).toEqual([old.session.id]);
    expect(existsSync(world.pathOf(old.session))).toBe(true);
    const removed = await removeExpired(retention, { username: 'root', signInId: 'x' });
    expect(removed.map(({ sid }) => sid)).toEqual([old.session.id]);
    expect([old, running, young].map(({ session }) => existsSync(world.pathOf(session)))).toEqual([false, true, true]);
    expect(await world.store.readBeside(old.session.id, 'index')).toBeUndefined();
    await world.reconciler.lookAtAll();
    expect(await world.coverage()).toMatchObject({ sessions: 1, recorded: 1, gaps: [] });
    expect(await findRecording(world.db, old.session.id)).toMatchObject({ state: 'removed', gap: '' });
    const event = await world.db.selectFrom('event').selectAll().where('code', '=', 'GH311I').executeTakeFirst();
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ sid: old.session.id, reason: 'older than 30 days' });
    expect(event?.user).toBe('root');
    running.writer.release();
  });

  test('what retention takes while somebody looks at it stays told as removed', async () => {
    const { session } = await world.recorded();
    await world.reconciler.look();
    world.clock.now += 40 * DAY_MS;
    const open = world.store.open.bind(world.store);
    vi.spyOn(world.store, 'open').mockImplementationOnce(async (sid) => {
      const source = await open(sid);
      await removeExpired(limits({ retentionDays: 30 }), undefined);
      return source;
    });
    await world.reconciler.check(session.id);

    expect(await findRecording(world.db, session.id)).toMatchObject({
      state: 'removed',
      reason: 'removed by retention: older than 30 days',
    });
  });

  test('when there is too much, the oldest go until there is not', async () => {
    const all = [await world.recorded(), await world.recorded(), await world.recorded()];
    for (const { session } of all) appendFileSync(world.pathOf(session), Buffer.alloc(600_000));
    await world.reconciler.look();

    const gone = await findExpired(limits({ maxMegabytes: 1 }));
    expect(gone.map(({ sid }) => sid)).toEqual(all.slice(0, 2).map(({ session }) => session.id));
    expect(await findExpired(limits({ maxMegabytes: 2 }))).toEqual([]);
  });

  test('a removal that was interrupted is finished', async () => {
    const { session } = await world.recorded();
    await world.reconciler.look();
    world.clock.now += 40 * DAY_MS;
    const broken = { ...world.store, remove: () => Promise.reject(new Error('killed')) };
    expect(await removeExpired(limits({ retentionDays: 30, store: broken }), undefined)).toEqual([]);
    expect(existsSync(world.pathOf(session))).toBe(true);
    await world.reconciler.lookAtAll();

    expect(existsSync(world.pathOf(session))).toBe(false);
  });
}
