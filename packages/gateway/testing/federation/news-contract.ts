/** What ends at a leaf by what happens at its root, through a real tunnel; run against each engine. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { remoteClusterRoutes, trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noteHeard } from '../../src/identity/federation/stores/trusted-cluster-store.ts';
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
    const alerts = async ({ admin }: TestCluster) =>
      (await call(admin.send, clusterRoutes.alerts, { params: HERE })).alerts.map(({ spec }) => spec.message);
    expect(await alerts(leaf)).toEqual([expect.stringContaining("The root 'root' has ended the trust")]);
    expect(await codes(leaf)).toContain('GH225W');
    await call(leaf.admin.send, trustedClusterRoutes.remove, { params: { name: 'root' } });
    expect(await alerts(leaf)).toEqual([]);
  });

  test('a leaf that ends the trust is told to who looks after the root, until it is back or removed', async () => {
    const alerts = async () =>
      (await call(root.admin.send, clusterRoutes.alerts, { params: HERE })).alerts.map(({ spec }) => spec.message);
    await call(leaf.admin.send, trustedClusterRoutes.remove, { params: { name: 'root' } });

    await soon(async () => expect(await alerts()).toEqual([expect.stringContaining("The leaf 'east' has ended")]));
    expect(await codes(root)).toContain('GH225W');
    await join(root, leaf, { role_map: MAP });
    await soon(async () => expect(await alerts()).toEqual([]));
  });

  test('the name of a trust is that of its root for good: people of another do not inherit what was left under it', async () => {
    await call(leaf.admin.send, trustedClusterRoutes.remove, { params: { name: 'root' } });
    const west = await open('west');

    await expect(join(west, leaf)).rejects.toThrow('people of another root (SHA256:');
    await join(west, leaf, { name: 'west' });
    await join(root, leaf, { role_map: MAP });
    await west.close();
  });

  test('people stay while another gateway of the leaf still hears their root', async () => {
    const ended = vi.fn();
    leaf.identity.onSignInEnd(there.signInId, ended);
    await root.app.close();
    // As the other one writes it.
    const goesOn = setInterval(() => void noteHeard(leaf.storage.db, 'root', leaf.clock.now).catch(() => {}), 100);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(ended).not.toHaveBeenCalled();
    clearInterval(goesOn);
    leaf.clock.advance(5_000);

    await soon(() => expect(ended).toHaveBeenCalledWith('root_lost'));
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

  test('people of a root that stays away are sent out, and come back with it', async () => {
    const ended = vi.fn();
    leaf.identity.onSignInEnd(there.signInId, ended);
    await root.app.close();

    // Its clock stands still by itself, and by that one it was heard of just now.
    leaf.clock.advance(5_000);
    await soon(() => expect(ended).toHaveBeenCalledWith('root_lost'));
    root.clock.now = leaf.clock.now;
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
