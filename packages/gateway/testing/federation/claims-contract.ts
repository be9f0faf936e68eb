/** What a leaf may claim towards its root: how much, how often, and of whose keys; run against each engine. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { announceKeys } from '../../src/identity/federation/news/key-announcement.ts';
import { signJws } from '../../src/identity/federation/passport/jws.ts';
import { putLeaf, updateLeaf } from '../../src/identity/federation/stores/remote-cluster-store.ts';
import type { Caller } from '../../src/platform/http/actor.ts';
import { join, type TestCluster } from './two-clusters.ts';
import { type Visitor, visitor } from './visitor.ts';

const ROLE = 'kind: role\nversion: v6\nmetadata: {name: dev}\nspec: {allow: {logins: [dev]}}';
const soon = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: SOON_MS });

export function claimsContract(open: (name: string) => Promise<TestCluster>): void {
  let root: TestCluster;
  let leaf: TestCluster;
  let ann: Visitor;
  let there: Caller;
  beforeEach(async () => {
    [root, leaf] = [await open('localhost'), await open('east')];
    await call(root.admin.send, roleRoutes.create, { body: { content: ROLE } });
    await join(root, leaf, { role_map: [{ remote: 'dev', local: ['access'] }] });
    await root.addUser('ann', { roles: ['dev'] });
    ann = await visitor(root, leaf, 'ann');
    await soon(() => expect(root.identity.federation.links().leaf(leafId()).isConnected).toBe(true));
    // What it asks for is said once it is connected: heard any later, it would count after what a test says for it.
    await soon(() => expect(root.identity.federation.leaves.byId(leafId())!.wants).not.toEqual([]));
    there = leaf.identity.callerOf(await ann.admit());
    await there.now();
  });
  afterEach(async () => {
    await leaf.close();
    await root.close();
  });

  const leafId = () => leaf.storage.cluster.clusterId;
  const isOut = () => soon(() => expect(there.now()).rejects.toThrow('not signed in'));
  const codes = async (cluster: TestCluster) => (await cluster.events()).map(({ code }) => code);
  /** As a leaf that says what it likes. */
  const lineOf = () => {
    const said: { type: string; [key: string]: unknown }[] = [];
    const cut = vi.fn();
    const over = new AbortController();
    const tell = root.identity.federation.news.withLeaf(leafId(), {
      over: over.signal,
      cut,
      say: (message) => void said.push(message as (typeof said)[number]),
    });
    return { said, cut, over, tell };
  };
  const sessionAt = (number: number) => ({
    type: 'session',
    session: `b5ad2d1c-7b4f-4a0c-9d39-${String(number).padStart(12, '0')}`,
    kind: 'node',
    resource: 'web-1',
  });

  test('a leaf that tells of sessions without end fills no log, and is told meanwhile what ends', async () => {
    const { said, tell, over } = lineOf();
    const { signInId: sid } = await ann.actor();
    await tell({ type: 'watch', sids: [sid] });
    const flood = (async () => {
      for (let number = 0; number < 4_000 && !over.signal.aborted; number++) await tell({ ...sessionAt(number), sid });
    })();
    const written = async () => (await codes(root)).filter((code) => code === 'GH221I').length;
    await soon(async () => expect(await written()).toBeGreaterThanOrEqual(500));
    await call(ann.browser.send, signInRoutes.signOut, {});
    await soon(() => expect(said).toContainEqual({ type: 'over', sid, reason: 'signed_out' }));
    await soon(async () =>
      expect((await root.events()).find(({ code }) => code === 'GH222W')?.data).toMatchObject({
        name: 'east',
        what: 'news',
      }),
    );

    expect(await written()).toBeLessThan(700);
    over.abort();
    await Promise.race([flood, root.settled()]);
  });

  test('a session that is told twice is written once, and so it is on another line', async () => {
    const { signInId: sid } = await ann.actor();
    for (const { tell } of [lineOf(), lineOf()]) {
      await tell({ type: 'watch', sids: [sid] });
      await tell({ ...sessionAt(1), sid });
      await tell({ ...sessionAt(1), sid });
    }
    const { tell } = lineOf();
    await tell({ type: 'watch', sids: [sid] });
    await tell({ ...sessionAt(2), sid });

    const rows = async () => (await root.events()).filter(({ code }) => code === 'GH221I');
    await soon(async () => expect((await rows()).map(({ data }) => data.sid)).toContain(sessionAt(2).session));
    expect(await rows()).toHaveLength(2);
  });

  test('traits that a leaf asks for one way and another, without end, are written seldom, and the last counts', async () => {
    const { tell } = lineOf();
    const seen = vi.fn();
    root.identity.federation.leaves.onChange(seen);
    for (let count = 0; count < 500; count++) await tell({ type: 'wants', traits: [`t${count}`] });
    await soon(() => expect(root.identity.federation.leaves.byId(leafId())!.wants).toEqual(['t499']));

    expect(seen.mock.calls.length).toBeLessThan(100);
  });

  test('what only a newer version tells is passed over, on both sides, and what is wrong cuts the line', async () => {
    const { tell } = lineOf();
    await tell({ type: 'weather', sun: true });
    const hear = leaf.identity.federation.news.withRoot('root', {
      over: new AbortController().signal,
      cut: () => {},
      say: () => {},
    });
    await hear({ type: 'weather', sun: true });
    await hear({ type: 'over', sid: 'x', reason: 'signed_out', more: 'words' });

    await expect(tell({ type: 'watch', sids: 'all' })).rejects.toThrow();
    await expect(hear({ type: 'over' })).rejects.toThrow();
  });

  test('a key is announced with its own signature: that of another cluster is passed over', async () => {
    const west = await open('west');
    await join(root, west);
    await soon(() => expect(root.identity.federation.leaves.byKey('x')).toBeUndefined());
    await call(west.admin.send, trustedClusterRoutes.rotateKey, { body: { overlapSeconds: 600 } });
    const others = (await west.identity.federation.keys.now()).next!.publicKey;
    const { keys } = leaf.identity.federation;
    const claims = {
      ...{ v: 1, iss: leafId(), aud: root.storage.cluster.clusterId },
      ...{ key: (await keys.now()).current.publicKey, next: others },
    };
    const { tell, cut } = lineOf();
    const ownProof = await signJws('gatehouse-next-key', { ...claims, key: others }, keys.sign);
    for (const proof of [undefined, ownProof])
      await tell({ type: 'keys', announcement: await signJws('gatehouse-keys', { ...claims, proof }, keys.sign) });

    expect(cut).not.toHaveBeenCalled();
    expect(root.identity.federation.leaves.byId(leafId())!.next).toBeUndefined();
    const westId = west.storage.cluster.clusterId;
    await soon(() => expect(root.identity.federation.leaves.byId(westId)!.next).toBe(others));
    await west.close();
  });

  test('whoever joined with the next key of another, and never showed that it holds it, makes way', async () => {
    await call(leaf.admin.send, trustedClusterRoutes.rotateKey, { body: { overlapSeconds: 600 } });
    const { next } = await leaf.identity.federation.keys.now();
    await soon(() => expect(root.identity.federation.leaves.byId(leafId())!.next).toBe(next!.publicKey));
    await root.storage.db.transaction().execute(async (tx) => {
      await updateLeaf(tx, leafId(), { next: undefined });
      await putLeaf(tx, {
        ...{ id: '99999999-9999-4999-8999-999999999999', name: 'squatter', key: next!.publicKey, next: undefined },
        ...{ version: '1', created: 1, createdBy: 'admin' },
      });
    });
    await soon(() => expect(root.identity.federation.leaves.byKey(next!.publicKey)?.name).toBe('squatter'));
    const between = { from: leafId(), to: root.storage.cluster.clusterId };
    await lineOf().tell({ type: 'keys', announcement: await announceKeys(leaf.identity.federation.keys, between) });

    expect(root.identity.federation.leaves.byKey(next!.publicKey)?.name).toBe('east');
  });

  test('somebody who holds more than a passport carries is told so, and cuts no line', async () => {
    const { tell, said, cut } = lineOf();
    const { signInId: sid } = await ann.actor();
    await tell({ type: 'watch', sids: [sid] });
    const roles = Array.from({ length: 300 }, (_, index) => `role-${index}`);
    const { passportFor, leaves } = root.identity.federation;
    const known = leaves.byId(leafId())!;
    const gateway = leaf.identity.federation.gatewayId;
    const actor = await ann.actor();
    const groups = Array.from({ length: 200 }, (_, index) => `${index}`.padEnd(90, 'x'));
    const wanting = { ...known, wants: ['groups'] };
    await root.setRoles('ann', ['dev'], { groups });
    await soon(() => expect(passportFor(actor, wanting, gateway)).rejects.toThrow('fewer traits'));

    await root.setRoles('ann', ['dev', ...roles]);
    await soon(() => expect(passportFor(actor, known, gateway)).rejects.toThrow('(301 roles)'));
    await soon(() => expect(said.map(({ type }) => type)).toContain('over'));
    expect(cut).not.toHaveBeenCalled();
    await isOut();
  });
}
