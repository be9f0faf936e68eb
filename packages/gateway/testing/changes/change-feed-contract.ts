/** What the change feed must do alike on every engine. */
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type ChangeFeed, openChangeFeed } from '../../src/platform/change-feed/change-feed.ts';
import { type Change, newestPosition, pruneChanges } from '../../src/platform/change-feed/change-store.ts';
import { publish } from '../../src/platform/change-feed/publish.ts';
import { type Log, silentLog } from '../../src/platform/std/log.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';

export function changeFeedContract(open: () => Promise<Storage>): void {
  let storage: Storage;
  let feed: ChangeFeed;
  const error = vi.fn<Log['error']>();
  const log: Log = { ...silentLog, error };

  beforeAll(async () => {
    storage = await open();
    feed = await openChangeFeed({ storage, log, now: Date.now });
  });
  afterAll(async () => {
    await feed.close();
    await storage.close();
  });

  const say = (topic: string, ...ids: string[]) =>
    storage.db.transaction().execute((tx) => publish(tx, ...ids.map((id) => ({ topic, id }))));

  function follow(topics: string[], options?: { after?: number }) {
    const heard: (Change | 'gap')[] = [];
    const subscription = feed.subscribe(
      topics,
      { change: (change) => void heard.push(change), gap: () => void heard.push('gap') },
      options,
    );
    onTestFinished(() => subscription.close());
    return { heard, ids: () => heard.map((item) => (item === 'gap' ? item : item.id)) };
  }

  test('a committed change is heard by those who follow its topic, with its data, soon', async () => {
    const { heard } = follow(['t1']);
    const others = follow(['t1-other']);

    await storage.db
      .transaction()
      .execute((tx) =>
        publish(tx, { topic: 't1', id: 'ann', data: { roles: ['editor'] } }, { topic: 't1-x', id: 'no' }),
      );
    await vi.waitFor(() => expect(heard).toHaveLength(1), { timeout: SOON_MS, interval: 5 });

    expect(heard).toMatchObject([{ topic: 't1', id: 'ann', data: { roles: ['editor'] } }]);
    await feed.settled();
    expect(heard).toHaveLength(1);
    expect(others.heard).toEqual([]);
  });

  test('a change that was rolled back is never heard', async () => {
    const { ids } = follow(['t2']);

    const failing = storage.db.transaction().execute(async (tx) => {
      await publish(tx, { topic: 't2', id: 'undone' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await say('t2', 'done');
    await feed.settled();

    expect(ids()).toEqual(['done']);
  });

  test('changes of many transactions at once are each heard once, in one order, with rising positions', async () => {
    const first = follow(['t3']);
    const second = follow(['t3', 't3-more']);
    const wanted = Array.from({ length: 60 }, (_, index) => `n${index}`);

    await Promise.all(wanted.map((id) => say('t3', `${id}a`, `${id}b`)));
    await feed.settled();

    const positions = first.heard.map((item) => (item === 'gap' ? -1 : item.position));
    expect(first.ids().toSorted()).toEqual(wanted.flatMap((id) => [`${id}a`, `${id}b`]).toSorted());
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(second.heard).toEqual(first.heard);
    for (const id of wanted) expect(first.ids().indexOf(`${id}b`)).toBeGreaterThan(first.ids().indexOf(`${id}a`));
  });

  test('a follower that comes back with its position hears what it missed, then goes on', async () => {
    await say('t4', 'before');
    await feed.settled();
    const known = feed.position();
    await say('t4', 'missed-1', 'missed-2');
    await feed.settled();

    const { ids } = follow(['t4'], { after: known });
    await say('t4', 'live');

    await vi.waitFor(() => expect(ids()).toEqual(['missed-1', 'missed-2', 'live']));
  });

  test('a follower behind what is kept is told to reload', async () => {
    await say('t5', 'old-1', 'old-2', 'old-3');
    await feed.settled();
    const long = feed.position() - 2;
    await pruneChanges(storage.db, { keepMs: 3_600_000, keepRows: 1 }, Date.now());

    const { ids } = follow(['t5'], { after: long });
    await say('t5', 'new');

    await vi.waitFor(() => expect(ids()).toEqual(['gap', 'new']));
  });

  test('old changes are dropped by age, but never the newest', async () => {
    await say('t6', 'a', 'b', 'c');
    await feed.settled();

    const dropped = await pruneChanges(storage.db, { keepMs: 1_000, keepRows: 100 }, Date.now() + 60_000);

    const left = await storage.db.selectFrom('change').select('id').execute();
    expect(dropped).toBeGreaterThanOrEqual(2);
    expect(left).toEqual([{ id: 'c' }]);
    expect(await newestPosition(storage.db)).toBe(feed.position());
  });

  test('a slow follower holds up neither writers nor others', async () => {
    const release = Promise.withResolvers<void>();
    const slow: string[] = [];
    const subscription = feed.subscribe(['t7'], {
      async change(change) {
        await release.promise;
        slow.push(change.id);
      },
      gap() {},
    });
    onTestFinished(() => subscription.close());
    const { ids } = follow(['t7']);

    await say('t7', 'one');
    await say('t7', 'two');
    await vi.waitFor(() => expect(ids()).toEqual(['one', 'two']));

    expect(slow).toEqual([]);
    release.resolve();
    await feed.settled();
    expect(slow).toEqual(['one', 'two']);
  });

  test('a follower that throws is logged and hears the next change', async () => {
    const heard: string[] = [];
    const subscription = feed.subscribe(['t8'], {
      change(change) {
        heard.push(change.id);
        if (change.id === 'bad') throw new Error('cannot take it');
      },
      gap() {},
    });
    onTestFinished(() => subscription.close());

    await say('t8', 'bad', 'good');
    await feed.settled();

    expect(heard).toEqual(['bad', 'good']);
    expect(error).toHaveBeenCalledWith(expect.objectContaining({ topic: 't8' }), expect.any(String));
  });

  test('nothing is heard after a subscription is closed', async () => {
    const heard: string[] = [];
    const subscription = feed.subscribe('all', { change: (change) => void heard.push(change.id), gap() {} });
    subscription.close();

    await say('t9', 'late');
    await feed.settled();

    expect(heard).toEqual([]);
  });

  test('a change that carries a whole document is refused', async () => {
    const failing = storage.db
      .transaction()
      .execute((tx) => publish(tx, { topic: 't10', id: 'big', data: 'x'.repeat(5_000) }));

    await expect(failing).rejects.toThrow('at most 4096');
  });
}
