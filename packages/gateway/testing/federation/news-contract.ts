/** What ends at a leaf by what happens at its root, through a real tunnel; run against each engine. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { remoteClusterRoutes, trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { announceKeys } from '../../src/identity/federation/news/key-announcement.ts';
import { signJws } from '../../src/identity/federation/passport/jws.ts';
import { putLeaf, updateLeaf } from '../../src/identity/federation/stores/remote-cluster-store.ts';
import type { Caller } from '../../src/platform/http/actor.ts';
import { codeOf, enrolApp, PASSWORD } from '../identity-gateway.ts';
import { join, type TestCluster, trustContent } from './two-clusters.ts';
import { type Visitor, visitor } from './visitor.ts';

const HERE = { clusterId: '-current-' };
const ROLE = (name: string, spec = `{allow: {logins: [${name}]}}`) =>
  `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}`;
const MAP = [
  { remote: 'dev', local: ['access'] },
  { remote: 'ops', local: ['auditor'] },
];
const soon = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: SOON_MS });

export function newsContract(open: (name: string) => Promise<TestCluster>): void {
  let root: TestCluster;
  let leaf: TestCluster;
  let ann: Visitor;
  let there: Caller;
  beforeEach(async () => {
    [root, leaf] = [await open('localhost'), await open('east')];
    for (const role of ['dev', 'ops', 'other'])
      await call(root.admin.send, roleRoutes.create, { body: { content: ROLE(role) } });
    await join(root, leaf, { role_map: MAP });
    await root.addUser('ann', { roles: ['dev'] });
    ann = await visitor(root, leaf, 'ann');
    await connected();
    there = leaf.identity.callerOf(await ann.admit());
    await there.now();
  });
  afterEach(async () => {
    await leaf.close();
    await root.close();
  });

  const leafId = () => leaf.storage.cluster.clusterId;
  const connected = (is = true) =>
    soon(() => expect(root.identity.federation.links().leaf(leafId()).isConnected).toBe(is));
  const isOut = (caller = there) => soon(() => expect(caller.now()).rejects.toThrow('not signed in'));
  const codes = async (cluster: TestCluster) => (await cluster.events()).map(({ code }) => code);
  const later = () => {
    for (const { clock } of [root, leaf]) clock.advance(2_000);
  };

  test('signing out at the root ends what stands on it at the leaf, and a passport from before opens nothing', async () => {
    const before = await ann.passport();
    await call(ann.browser.send, signInRoutes.signOut, {});

    await isOut();
    await expect(leaf.identity.federation.admit(before, 'root')).rejects.toThrow('has ended here');
  });

  test('other roles at the root are other roles at the leaf, and none that is mapped is no entry', async () => {
    await root.setRoles('ann', ['ops']);
    await soon(async () => expect((await there.now()).roles).toEqual(['auditor']));
    await root.setRoles('ann', ['other']);
    await isOut();
  });

  test('who is deleted at the root is gone at the leaf', async () => {
    await call(root.admin.send, userRecordRoutes.remove, { params: { username: 'ann' } });

    await isOut();
  });

  test('a lock at the root is held at the leaf, by its reason, until it is lifted there', async () => {
    const lock = await call(root.admin.send, lockRoutes.create, {
      params: HERE,
      body: { targets: { user: 'ann' }, message: 'laptop stolen', force: false },
    });
    await isOut();
    const held = async () => (await call(leaf.admin.send, lockRoutes.list, { params: HERE })) ?? [];
    await soon(async () =>
      expect(await held()).toMatchObject([
        { targets: { user: 'root/ann' }, message: 'laptop stolen', createdBy: 'the cluster root' },
      ]),
    );
    expect(await codes(leaf)).toContain('GH224I');

    await call(root.admin.send, lockRoutes.remove, { params: { ...HERE, name: lock.name } });
    await soon(async () => expect(await held()).toEqual([]));
    later();
    const again = await visitor(root, leaf, 'ann');
    expect(await again.admit()).toMatchObject({ username: 'root/ann' });
  });

  test('a lock on a role of the root is held on those who hold it there', async () => {
    await call(root.admin.send, lockRoutes.create, {
      params: HERE,
      body: { targets: { role: 'dev' }, message: '', force: false },
    });

    await isOut();
    await soon(async () =>
      expect(await call(leaf.admin.send, lockRoutes.list, { params: HERE })).toMatchObject([
        { targets: { user: 'root/ann' } },
      ]),
    );
  });

  test('what happened while the tunnel was down counts once it is up again', async () => {
    const [held] = (await call(leaf.admin.send, trustedClusterRoutes.list, {})) ?? [];
    const switched = (enabled: boolean) =>
      call(leaf.admin.send, trustedClusterRoutes.update, {
        params: { name: 'root' },
        body: {
          content: trustContent('root', {
            enabled,
            root_key: held!.rootKey!,
            web_proxy_addr: root.origin,
            role_map: MAP,
          }),
        },
      });
    await switched(false);
    await connected(false);
    await call(root.admin.send, lockRoutes.create, {
      params: HERE,
      body: { targets: { user: 'ann' }, message: 'gone', force: false },
    });
    await switched(true);

    await soon(async () =>
      expect(await call(leaf.admin.send, lockRoutes.list, { params: HERE })).toMatchObject([
        { targets: { user: 'root/ann' }, message: 'gone' },
      ]),
    );
  });

  test('traits that roles of the leaf ask for are sent, and those alone', async () => {
    expect(root.identity.federation.leaves.byId(leafId())!.wants).not.toContain('team');
    const spec = "{allow: {node_labels: {team: '{{external.team}}'}}}";
    await call(leaf.admin.send, roleRoutes.update, {
      params: { name: 'auditor' },
      body: { content: ROLE('auditor', spec) },
    });

    await soon(() => expect(root.identity.federation.leaves.byId(leafId())!.wants).toContain('team'));
  });

  test('a key that is rotated with an overlap is known at the other side before it signs, whichever side it is', async () => {
    for (const cluster of [root, leaf])
      await call(cluster.admin.send, trustedClusterRoutes.rotateKey, { body: { overlapSeconds: 60 } });
    const [next, leafNext] = await Promise.all(
      [root, leaf].map(async ({ identity }) => (await identity.federation.keys.now()).next!.publicKey),
    );
    await soon(() => expect(leaf.identity.federation.trusts.all()[0]!.rootNext).toBe(next));
    await soon(() => expect(root.identity.federation.leaves.byId(leafId())!.next).toBe(leafNext));
    for (const { clock } of [root, leaf]) clock.advance(61_000);

    await ann.admit();
    expect((await there.now()).username).toBe('root/ann');
    expect(leaf.identity.federation.trusts.all()[0]!.rootKey).toBe(next);
  });

  test('a leaf that is removed at the root is told so, and does not come back by itself', async () => {
    await call(root.admin.send, remoteClusterRoutes.remove, { params: { name: 'east' } });

    await soon(async () =>
      expect(await call(leaf.admin.send, trustedClusterRoutes.list, {})).toMatchObject([
        { status: 'ended', trouble: expect.stringContaining('was removed') },
      ]),
    );
    await isOut();
  });

  test('a second factor that the leaf wants is asked for and checked at the root', async () => {
    const who = { username: 'root/ann', signInId: there.signInId };
    expect(await leaf.identity.askForFactor(who)).toEqual({ webauthn_challenge: null, totp_challenge: false });

    const exchange = {} as never;
    await expect(leaf.identity.proveAgain(who, { code: '000000', key: undefined }, exchange)).rejects.toThrow(
      'the code is not right',
    );
    expect(await codes(root)).toContain('T1000W');
  });

  test('a code of an app that is registered at the root opens at the leaf, once', async () => {
    const secret = await enrolApp(root, ann.browser);
    leaf.clock.now = root.clock.now;
    const who = { username: 'root/ann', signInId: there.signInId };
    expect(await leaf.identity.askForFactor(who)).toMatchObject({ totp_challenge: true });
    const prove = () =>
      leaf.identity.proveAgain(who, { code: codeOf(secret, root.clock.now), key: undefined }, {} as never);

    await prove();
    await expect(prove()).rejects.toThrow('was used already');
  });

  test('of many wrong answers that a leaf gives at once no more are tried than of as many one by one', async () => {
    await enrolApp(root, ann.browser);
    const said: string[] = [];
    const say = (message: unknown) => void said.push(JSON.stringify(message));
    const tell = root.identity.federation.news.withLeaf(leafId(), {
      over: new AbortController().signal,
      cut: () => {},
      say,
    });
    const { signInId: sid } = await ann.actor();
    await tell({ type: 'watch', sids: [sid] });
    for (let ask = 0; ask < 50; ask++) await tell({ type: 'answer', ask: `a${ask}`, sid, answer: { code: '000000' } });
    await soon(() => expect(said.filter((each) => each.includes('answered'))).toHaveLength(50));

    expect((await codes(root)).filter((code) => code === 'T1000W').length).toBeLessThanOrEqual(3);
  });

  test('wrong answers through a leaf keep nobody from signing in at the root', async () => {
    const secret = await enrolApp(root, ann.browser);
    leaf.clock.now = root.clock.now;
    const who = { username: 'root/ann', signInId: there.signInId };
    const prove = (code: string) => leaf.identity.proveAgain(who, { code, key: undefined }, {} as never);
    for (let count = 0; count < 3; count++) await expect(prove('000000')).rejects.toThrow('not right');
    for (let count = 0; count < 5; count++)
      await expect(prove(codeOf(secret, root.clock.now))).rejects.toThrow('through that cluster');

    await root.browser().signIn('ann', PASSWORD, codeOf(secret, root.clock.now));
  });

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
    const heavy = {
      ...actor,
      traits: { groups: Array.from({ length: 200 }, (_, index) => `${index}`.padEnd(90, 'x')) },
    };
    await expect(passportFor({ ...actor, roles }, known, gateway)).rejects.toThrow('(300 roles)');
    await expect(passportFor(heavy, { ...known, wants: ['groups'] }, gateway)).rejects.toThrow('fewer traits');

    await root.setRoles('ann', ['dev', ...roles]);
    await soon(() => expect(said.map(({ type }) => type)).toContain('over'));
    expect(cut).not.toHaveBeenCalled();
    await isOut();
  });

  test('people of a root that stays away are sent out, and come back with it', async () => {
    const ended = vi.fn();
    leaf.identity.onSignInEnd(there.signInId, ended);
    await root.app.close();

    await soon(() => expect(ended).toHaveBeenCalledWith('root_lost'));
    later();
    await leaf.identity.federation.admit(await ann.passport(), 'root');
    expect((await there.now()).username).toBe('root/ann');
  });

  test('a session at the leaf is in the log of the root, by the name they have there', async () => {
    const session = { id: 'b5ad2d1c-7b4f-4a0c-9d39-2f1f34c4b3aa', kind: 'node', resource: 'web-1' };
    await leaf.identity.federation.tellSession({ username: 'root/ann', signInId: there.signInId }, session);

    await soon(async () =>
      expect((await root.events()).filter(({ code }) => code === 'GH221I')).toMatchObject([
        { user: 'ann', data: { name: 'east', session_kind: 'node', resource_name: 'web-1', sid: session.id } },
      ]),
    );
  });

  test('whoever does not see the leaf any more is sent out there', async () => {
    await call(root.admin.send, remoteClusterRoutes.update, {
      params: { name: 'east' },
      body: { labels: { env: 'prod' } },
    });

    await isOut();
  });
}
