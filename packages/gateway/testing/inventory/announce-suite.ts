/** What agents announce, when it counts and when it goes: run against each engine. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANNOUNCEMENT_MS, type Announcer, createAnnouncer } from '../../src/inventory/announce.ts';
import { RESOURCE_TOPIC } from '../../src/inventory/resource-changes.ts';
import { type NewResource, putResources } from '../../src/inventory/resource-store.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';

const MINUTE_MS = 60_000;
const SWEPT = { timeout: 5_000 };

export function announceSuite(open: () => Pick<Storage, 'db'>): void {
  const clock = { now: 0 };
  const announcers: Announcer[] = [];
  const start = (returnMs = 0) => {
    const quick = { everyMs: 30, sweepEveryMs: 50, returnMs };
    const announcer = createAnnouncer({ db: open().db, now: () => clock.now, log: silentLog, ...quick });
    announcers.push(announcer);
    return announcer;
  };
  let announcer: Announcer;

  beforeEach(async () => {
    clock.now = 1_000_000;
    for (const table of ['resource', 'announcement', 'change'] as const) await open().db.deleteFrom(table).execute();
    announcer = start();
  });
  afterEach(async () => {
    for (const each of announcers.splice(0)) await each.close();
  });

  const rows = async () => {
    const all = await open()
      .db.selectFrom('resource')
      .select(['id', 'name', 'labels', 'owner', 'updated'])
      .orderBy('id')
      .execute();
    return all.map(({ labels, ...row }) => ({ ...row, labels: JSON.parse(labels) as object }));
  };
  const ids = async () => (await rows()).map(({ id }) => id);
  const changes = async () => {
    const all = await open().db.selectFrom('change').select(['topic', 'id']).execute();
    return all.filter(({ topic }) => topic === RESOURCE_TOPIC).map(({ id }) => id);
  };

  test('a report is the whole of what an agent offers', async () => {
    await announcer.report('a', [node('n1', { env: 'dev' }), node('n2'), node('n3')]);
    clock.now += 1;
    await announcer.report('a', [node('n1', { env: 'prod' }), node('n2')]);

    expect(await rows()).toEqual([
      { id: 'n1', name: 'n1', labels: { env: 'prod' }, owner: 'a', updated: 1_000_001 },
      { id: 'n2', name: 'n2', labels: {}, owner: 'a', updated: 1_000_000 },
    ]);
    await announcer.report('a', []);
    expect(await rows()).toEqual([]);
  });

  test('what has not changed is neither written nor told, also by another gateway and after a restart', async () => {
    const other = start();
    await announcer.report('a', [node('n1', { x: '1', y: '2' })]);
    const told = await changes();
    clock.now += MINUTE_MS;

    expect(await announcer.report('a', [node('n1', { y: '2', x: '1' })])).toEqual({ refused: [] });
    expect(await other.report('a', [node('n1', { x: '1', y: '2' })])).toEqual({ refused: [] });
    expect(await start().alive('a')).toBe(true);

    expect(await rows()).toMatchObject([{ id: 'n1', updated: 1_000_000 }]);
    expect(await changes()).toEqual(told);
  });

  test('calls of a moment are told of at once, and each is answered for itself', async () => {
    const owners = Array.from({ length: 40 }, (_, index) => `agent-${index}`);

    const answers = await Promise.all(owners.map((owner, index) => announcer.report(owner, [node(`n${index % 30}`)])));
    const known = await Promise.all([...owners, 'stranger'].map((owner) => announcer.alive(owner)));

    expect(answers.map(({ refused }) => refused.length)).toEqual(owners.map((_, index) => (index < 30 ? 0 : 1)));
    expect(known).toEqual([...owners.map(() => true), false]);
    expect((await rows()).length).toBe(30);
    expect((await changes()).length).toBeLessThan(3);
  });

  test('a name or id of another is refused, and had once it is free', async () => {
    await open()
      .db.transaction()
      .execute((tx) => putResources(tx, [{ ...node('hand'), id: 'h1' }], 0));
    await announcer.report('a', [node('n1')]);

    const offered = [node('n1', {}, 'other'), node('n2'), node('hand', {}, 'h2'), node('fresh', {}, 'n1')];
    const first = await announcer.report('b', offered);
    await announcer.report('a', []);
    const second = await announcer.report('b', offered);

    expect(first.refused).toEqual([
      { kind: 'node', name: 'n1', reason: "the name 'n1' belongs to another agent" },
      { kind: 'node', name: 'hand', reason: "the name 'hand' belongs to one that was entered by hand" },
      { kind: 'node', name: 'fresh', reason: "the id 'n1' belongs to another agent" },
    ]);
    expect(second.refused).toEqual([first.refused[1]]);
    expect(await ids()).toEqual(['h1', 'n1', 'n2', 'other']);
  });

  test('what is offered twice is taken once', async () => {
    const { refused } = await announcer.report('a', [node('n1'), node('n1', { x: 'y' }), node('n1', {}, 'n2')]);

    expect(refused.map(({ reason }) => reason)).toEqual(['it is offered twice', 'it is offered twice']);
    expect(await rows()).toMatchObject([{ id: 'n1', labels: {} }]);
  });

  test('the same name may stand in another kind and another cluster', async () => {
    await announcer.report('a', [node('n1')]);

    const { refused } = await announcer.report('b', [
      { ...node('n1'), cluster: 'leaf' },
      { ...node('n1'), kind: 'db' },
    ]);

    expect(refused).toEqual([]);
  });

  test('an agent that is alive keeps what it offers, and one that is silent loses it', async () => {
    await announcer.report('a', [node('n1', { env: 'dev' })]);
    await announcer.report('b', [node('n2')]);
    clock.now += ANNOUNCEMENT_MS - 1;
    expect(await announcer.alive('b')).toBe(true);
    const told = (await changes()).length;
    clock.now += 1;

    await expect.poll(ids, SWEPT).toEqual(['n2']);
    expect((await changes()).length).toBe(told + 1);
    expect(await announcer.alive('a')).toBe(false);
    expect(await open().db.selectFrom('resource_label').selectAll().execute()).toEqual([]);

    await announcer.report('a', [node('n1', { env: 'dev' })]);
    expect(await ids()).toEqual(['n1', 'n2']);
  });

  test('after a gateway was away, agents have time to come back before what they offer goes', async () => {
    await announcer.report('a', [node('n1')]);
    await announcer.report('b', [node('n2')]);
    await announcer.close();
    clock.now += 10 * ANNOUNCEMENT_MS;

    const restarted = start(1_000);
    await restarted.report('c', [node('n3')]);
    await restarted.gone('c', 0);
    await expect.poll(ids, SWEPT).toEqual(['n1', 'n2']);
    expect(await restarted.alive('a')).toBe(true);

    await expect.poll(ids, SWEPT).toEqual(['n1']);
  });

  test('an agent that has gone has its time to come back', async () => {
    await announcer.report('a', [node('n1')]);
    await announcer.report('b', [node('n2')]);
    await announcer.report('c', [node('n3')]);
    await Promise.all([announcer.gone('a', 3_000), announcer.gone('b', 3_000), announcer.gone('c', 0)]);

    await expect.poll(ids, SWEPT).toEqual(['n1', 'n2']);
    expect(await announcer.alive('a')).toBe(true);
    clock.now += 3_000;

    await expect.poll(ids, SWEPT).toEqual(['n1']);
  });

  test('of gone and back in one moment, the later counts', async () => {
    await announcer.report('a', [node('n1')]);
    await announcer.report('b', [node('n2')]);

    await Promise.all([
      announcer.gone('a', 0),
      announcer.report('a', [node('n1')]),
      announcer.alive('b'),
      announcer.gone('b', 0),
    ]);

    await expect.poll(ids, SWEPT).toEqual(['n1']);
  });

  test('a gateway that lost an agent to another one cannot make it go', async () => {
    const other = start();
    await announcer.report('a', [node('n1')]);
    expect(await other.alive('a')).toBe(true);
    await announcer.gone('a', 0);
    await other.report('b', [node('n2')]);
    await other.gone('b', 0);

    await expect.poll(ids, SWEPT).toEqual(['n1']);
  });

  test('one that the store cannot take does not keep out the others', async () => {
    const unwritable = { ...node('n1'), spec: { count: 1n } };

    const [wrong, right] = await Promise.allSettled([
      announcer.report('a', [unwritable]),
      announcer.report('b', [node('n2')]),
    ]);

    expect([wrong.status, right.status]).toEqual(['rejected', 'fulfilled']);
    expect(await ids()).toEqual(['n2']);
  });

  test('closing writes what was announced before, and refuses what comes after', async () => {
    const reported = announcer.report('a', [node('n1')]);
    await announcer.close();

    expect(await reported).toEqual({ refused: [] });
    expect(await ids()).toEqual(['n1']);
    await expect(announcer.report('a', [])).rejects.toThrow('the gateway is closing');
  });
}

function node(name: string, labels: Record<string, string> = {}, id = name): NewResource {
  return {
    cluster: 'c',
    kind: 'node',
    id,
    name,
    labels,
    spec: { type: 'agent', hostname: name },
    owner: '',
    expires: undefined,
  };
}
