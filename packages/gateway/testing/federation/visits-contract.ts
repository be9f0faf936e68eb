/** Who is let in at a leaf by the word of its root, as whom, and until when; run against each engine. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { passport } from '@gatehouse/contract/reach/trusted-clusters/passport';
import type { RoleMap } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { remoteClusterRoutes, trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keyFingerprintOf } from '../../src/identity/federation/key/key-fingerprint.ts';
import { writePassport } from '../../src/identity/federation/passport/passports.ts';
import {
  deleteTrust,
  findTrust,
  setRootKeys,
  updateTrust,
} from '../../src/identity/federation/stores/trusted-cluster-store.ts';
import { knownTrust } from '../../src/identity/federation/trusts/known-trust.ts';
import { endAllOf, mapAgain } from '../../src/identity/federation/trusts/save-trust.ts';
import { listRemoteUsers, putRemoteUser } from '../../src/identity/stores/remote-user-store.ts';
import { findUser } from '../../src/identity/stores/user-store.ts';
import type { Tx } from '../../src/platform/storage/tables.ts';
import { join, type TestCluster, trustContent } from './two-clusters.ts';
import { type Visitor, visitor } from './visitor.ts';

const HERE = { clusterId: '-current-' };
const ROLE = (name: string) => `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: {allow: {logins: [${name}]}}`;
const MAP = [
  { remote: 'dev', local: ['access'] },
  { remote: '^team-(.+)$', local: ['team-$1'] },
];

export function visitsContract(open: (name: string) => Promise<TestCluster>): void {
  let root: TestCluster;
  let leaf: TestCluster;
  let ann: Visitor;
  beforeEach(async () => {
    [root, leaf] = [await open('localhost'), await open('east')];
    for (const role of ['dev', 'team-web', 'other'])
      await call(root.admin.send, roleRoutes.create, { body: { content: ROLE(role) } });
    await call(leaf.admin.send, roleRoutes.create, { body: { content: ROLE('team-web') } });
    await join(root, leaf, { role_map: MAP });
    await root.addUser('ann', { roles: ['dev', 'team-web'] });
    ann = await visitor(root, leaf, 'ann');
  });
  afterEach(async () => {
    await root.close();
    await leaf.close();
  });

  const context = (who = ann) => call(who.send, clusterRoutes.context, { params: HERE });
  const update = async (spec: object) => {
    const [held] = (await call(leaf.admin.send, trustedClusterRoutes.list, {})) ?? [];
    const content = trustContent('root', { root_key: held!.rootKey!, web_proxy_addr: root.origin, ...spec });
    await call(leaf.admin.send, trustedClusterRoutes.update, { params: { name: 'root' }, body: { content } });
  };
  const refusals = async () =>
    (await leaf.events()).filter(({ code }) => code === 'GH222W').map(({ data }) => data.reason);

  test('somebody of the root is somebody else here, with the roles that the map gives', async () => {
    expect(await context()).toMatchObject({ userName: 'root/ann', hasPassword: false, cluster: { name: 'east' } });
    const caller = leaf.identity.callerOf(await ann.admit());
    expect(await caller.now()).toMatchObject({ username: 'root/ann', roles: ['access', 'team-web'] });
    expect((await ann.admit()).signInId).toBe(caller.signInId);
  });

  test('a page that makes many calls at once is let in by all of them', async () => {
    const passports = await Promise.all(Array.from({ length: 20 }, () => ann.passport()));
    const visits = await Promise.all(passports.map((text) => leaf.identity.federation.admit(text, 'root')));

    expect(new Set(visits.map(({ signInId }) => signInId)).size).toBe(1);
  });

  test('nobody here can make, invite or sign in as somebody of a root', async () => {
    await ann.admit();
    await expect(
      call(leaf.admin.send, userRoutes.invite, { body: { name: 'root/ann', roles: ['access'] } as never }),
    ).rejects.toThrow('slashes');
    await expect(call(leaf.admin.send, passwordRoutes.createToken, { body: { name: 'root/ann' } })).rejects.toThrow(
      "'root/ann' not found",
    );
    expect((await call(leaf.admin.send, userRoutes.list, {})).map(({ name }) => name)).toEqual(['admin']);
  });

  test('whose roles are not mapped is not let in, and is told who decides that', async () => {
    await root.addUser('bob', { roles: ['other'] });
    const bob = await visitor(root, leaf, 'bob');

    await expect(bob.admit()).rejects.toThrow(
      "none of your roles is mapped in 'east': its administrator decides that under Trusted Clusters",
    );
  });

  test('a passport opens once, and none that another root or nobody signed opens anything', async () => {
    const { admit } = leaf.identity.federation;
    const text = await ann.passport();
    await admit(text, 'root');
    await expect(admit(text, 'root')).rejects.toThrow('did not take the word');

    const other = await open('west');
    await join(other, leaf, { name: 'other', role_map: MAP });
    await expect(admit(await ann.passport(), 'other')).rejects.toThrow('did not take the word');
    await expect(admit(`${await ann.passport()}x`, 'root')).rejects.toThrow('did not take the word');
    await expect(admit(await ann.passport(), 'gone')).rejects.toThrow('does not let people');
    await other.close();
    expect(await refusals()).toEqual([
      'it was shown before',
      'it is not signed by the key of that root',
      'it is not signed by the key of that root',
    ]);
  });

  test.each(['a/b', '../x', 'a b', '-local-', 'x\u202ey', ' ann'])(
    'a root that calls somebody %j is refused',
    async (sub) => {
      const [, claims = ''] = (await ann.passport()).split('.');
      const facts = passport.parse(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')));
      const { keys } = root.identity.federation;
      // An honest one signs no such thing.
      const text = await writePassport({ ...facts, sub }, { now: root.clock.now, sign: keys.sign });

      await expect(leaf.identity.federation.admit(text, 'root')).rejects.toThrow('did not take the word');
      expect(await refusals()).toEqual(['it names somebody whose name cannot be one']);
    },
  );

  test('tokens that may do less, and the machine itself, open nothing in other clusters', async () => {
    const { passportFor, leaves } = root.identity.federation;
    const known = leaves.byId(leaf.storage.cluster.clusterId)!;
    const actor = await ann.actor();

    await expect(
      passportFor({ ...actor, isNarrowed: 'reads' }, known, leaf.identity.federation.gatewayId),
    ).rejects.toThrow('less than its owner');
    await expect(passportFor({ ...actor, isOwner: true }, known, leaf.identity.federation.gatewayId)).rejects.toThrow(
      "'gatehouse login'",
    );
  });

  /** What a passport says is remembered until PostgreSQL has told of a change: look until it says what is wanted. */
  const claimsOf = (passport: string) => JSON.parse(Buffer.from(passport.split('.')[1]!, 'base64url').toString());

  const withTraits = async (traits: Record<string, string[]>) => {
    await root.setRoles('ann', ['dev', 'team-web'], traits);
    await vi.waitFor(async () => expect((await ann.actor()).traits).toEqual(traits), { timeout: SOON_MS });
    return await ann.actor();
  };

  test('only traits that the leaf asked for leave the root', async () => {
    const { passportFor, leaves } = root.identity.federation;
    const known = leaves.byId(leaf.storage.cluster.clusterId)!;
    const actor = await withTraits({ logins: ['ann'], phone: ['secret'] });
    const claims = async (wants: string[]) =>
      claimsOf(await passportFor(actor, { ...known, wants }, leaf.identity.federation.gatewayId));

    const wanted = async () => expect((await claims(['logins', 'toString'])).traits).toEqual({ logins: ['ann'] });
    await vi.waitFor(wanted, { timeout: SOON_MS });
    expect((await claims([])).traits).toEqual({});
  });

  test('traits that the leaf did not ask for are not taken from a root that sends them all the same', async () => {
    const { passportFor, leaves } = root.identity.federation;
    const known = leaves.byId(leaf.storage.cluster.clusterId)!;
    const traits = { phone: ['x'], logins: ['ann'] };
    const actor = await withTraits(traits);
    const written = () =>
      passportFor(actor, { ...known, wants: ['phone', 'logins'] }, leaf.identity.federation.gatewayId);
    await vi.waitFor(async () => expect(claimsOf(await written()).traits).toEqual(traits), { timeout: SOON_MS });
    const text = await written();
    const caller = leaf.identity.callerOf(await leaf.identity.federation.admit(text, 'root'));
    expect((await caller.now()).traits).toEqual({ logins: ['ann'] });

    const line = { over: new AbortController().signal, cut: () => {}, say: () => {} };
    const changed = { type: 'changed', sub: 'ann', at: 0, roles: ['dev'], traits: { ...traits, logins: ['bob'] } };
    await leaf.identity.federation.news.withRoot('root', line)(changed);
    expect((await caller.now()).traits).toEqual({ logins: ['bob'] });
  });

  test('a map that is changed counts at once for whoever is here, and one that gives nothing sends them out', async () => {
    const caller = leaf.identity.callerOf(await ann.admit());
    const ended = vi.fn();
    leaf.identity.onSignInEnd(caller.signInId, ended);

    await update({ role_map: [{ remote: 'dev', local: ['team-web'] }] });
    // PostgreSQL tells of a change a moment after the call that made it is answered.
    await vi.waitFor(async () => expect((await caller.now()).roles).toEqual(['team-web']), { timeout: SOON_MS });
    await update({ role_map: [] });
    await vi.waitFor(() => expect(ended).toHaveBeenCalledWith('ended_by_administrator'));
    await expect(caller.now()).rejects.toThrow('not signed in');

    leaf.clock.advance(2_000);
    root.clock.advance(2_000);
    await update({ role_map: MAP });
    expect(await context()).toMatchObject({ userName: 'root/ann' });
  });

  /** Somebody comes in before what another gateway changes is written, and knows nothing of it. */
  const comesDuring = async (change: (tx: Tx) => Promise<void>) => {
    // What was written down just now is not written again.
    for (const { clock } of [root, leaf]) clock.advance(60_000);
    const text = await ann.passport();
    let came: Promise<unknown> | undefined;
    await leaf.storage.db.transaction().execute(async (tx) => {
      await change(tx);
      came = leaf.identity.federation.admit(text, 'root').catch((error: unknown) => error);
      // It has come as far as it can.
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    return await came;
  };
  const saved = async (tx: Tx, spec: { enabled: boolean; role_map: RoleMap }) => {
    const held = (await findTrust(tx, 'root'))!;
    const content = trustContent('root', {
      root_key: keyFingerprintOf(held.rootKey),
      web_proxy_addr: root.origin,
      ...spec,
    });
    const after = await updateTrust(tx, held, { content, enabled: spec.enabled });
    await mapAgain(tx, knownTrust(after!), { exists: () => true, now: leaf.clock.now });
  };

  test.each([
    ['is here already', true],
    ['was never here', false],
  ])('a map that is saved while somebody comes in who %s is the one that counts', async (_who, isHere) => {
    if (isHere) await ann.admit();
    const role_map = [{ remote: 'dev', local: ['team-web'] }];

    expect(await comesDuring((tx) => saved(tx, { enabled: true, role_map }))).toMatchObject({ username: 'root/ann' });
    expect(await listRemoteUsers(leaf.storage.db)).toMatchObject([{ name: 'ann', roles: ['team-web'] }]);
  });

  test.each([
    ['is switched off', 'at this time', (tx: Tx) => saved(tx, { enabled: false, role_map: MAP })],
    ['gives nothing any more', 'none of your roles', (tx: Tx) => saved(tx, { enabled: true, role_map: [] })],
    [
      'is removed',
      'at this time',
      async (tx: Tx) => {
        await endAllOf(tx, 'root', leaf.clock.now);
        await deleteTrust(tx, 'root');
      },
    ],
  ])('whoever comes in while the trust %s stays outside', async (_what, words, change) => {
    expect(String(await comesDuring(change))).toContain(words);
    const { db } = leaf.storage;
    expect(await db.selectFrom('sign_in').select('id').where('user', '=', 'root/ann').execute()).toEqual([]);
    expect(await listRemoteUsers(db)).toEqual([]);
  });

  /** Another gateway of the leaf hears what they hold now. This one has not heard it yet, or is not connected any more. */
  const othersHear = async (roles: string[]) => {
    const [known] = await listRemoteUsers(leaf.storage.db);
    await root.setRoles('ann', roles);
    const { version } = (await findUser(root.storage.db, 'ann'))!;
    const told = { version, at: Math.floor(root.clock.now / 1000) };
    const mapped = roles.includes('dev') ? ['access'] : [];
    await leaf.storage.db
      .transaction()
      .execute((tx) => putRemoteUser(tx, { ...known!, remoteRoles: roles, roles: mapped, told }));
  };
  const held = async () => (await listRemoteUsers(leaf.storage.db)).map(({ roles }) => roles);

  test('a passport that is older than what another gateway heard since gives nothing back, by whichever comes later', async () => {
    await ann.admit();
    for (const { clock } of [root, leaf]) clock.advance(60_000);
    const before = [await ann.passport(), await ann.passport()];
    await othersHear(['dev']);

    expect(await leaf.identity.federation.admit(before[0]!, 'root')).toMatchObject({ username: 'root/ann' });
    expect(await held()).toEqual([['access']]);
    await othersHear([]);
    // What was written down just now is not written again.
    for (const { clock } of [root, leaf]) clock.advance(40_000);
    // Where this gateway has heard it by now as well, their sign-in is over.
    await expect(leaf.identity.federation.admit(before[1]!, 'root')).rejects.toThrow(
      /none of your roles|has ended here/,
    );
    expect(await held()).toEqual([[]]);
  });

  test('what a root says that was set back to a backup counts, once nothing of before is on its way', async () => {
    await ann.admit();
    const { version } = (await findUser(root.storage.db, 'ann'))!;
    await othersHear(['dev']);
    await root.storage.db.updateTable('user').set({ roles: '["team-web"]', version }).execute();
    for (const { clock } of [root, leaf]) clock.advance(600_000);
    const again = await visitor(root, leaf, 'ann');

    await again.admit();
    expect(await held()).toEqual([['team-web']]);
  });

  test('a trust that is switched off sends everybody out, and lets them back in once it is on', async () => {
    const caller = leaf.identity.callerOf(await ann.admit());
    const before = await ann.passport();
    await update({ enabled: false, role_map: MAP });
    await leaf.settled();
    await expect(caller.now()).rejects.toThrow('not signed in');
    await expect(ann.admit()).rejects.toThrow('at this time');

    await update({ enabled: true, role_map: MAP });
    await expect(leaf.identity.federation.admit(before, 'root')).rejects.toThrow('has ended here');
    for (const { clock } of [root, leaf]) clock.advance(2_000);
    expect(await context()).toMatchObject({ userName: 'root/ann' });
  });

  test('a trust that is removed takes its people with it', async () => {
    const caller = leaf.identity.callerOf(await ann.admit());
    await call(leaf.admin.send, trustedClusterRoutes.remove, { params: { name: 'root' } });
    await leaf.settled();

    await expect(caller.now()).rejects.toThrow('not signed in');
    expect(await leaf.storage.db.selectFrom('remote_user').selectAll().execute()).toEqual([]);
  });

  test('a lock here on somebody of a root, or on a role they have here, holds', async () => {
    const caller = leaf.identity.callerOf(await ann.admit());
    const lock = (targets: object) =>
      call(leaf.admin.send, lockRoutes.create, { params: HERE, body: { targets, message: 'not now' } as never });

    const made = await lock({ user: 'root/ann' });
    expect(made.ended).toMatchObject({ signIns: 1 });
    await expect(caller.now()).rejects.toThrow('not signed in');
    for (const { clock } of [root, leaf]) clock.advance(2_000);
    await expect(ann.admit()).rejects.toThrow("you are locked in 'east': not now");
    await call(leaf.admin.send, lockRoutes.remove, { params: { ...HERE, name: made.name } });
    expect(await context()).toMatchObject({ userName: 'root/ann' });

    expect((await lock({ role: 'team-web' })).ended).toMatchObject({ signIns: 1 });
    await expect(lock({ user: 'root/bob' })).rejects.toThrow("there is no user 'root/bob'");
  });

  test('a leaf that was removed at the root is not there any more, and gets no passports', async () => {
    await call(root.admin.send, remoteClusterRoutes.remove, { params: { name: 'east' } });

    expect(root.identity.federation.leaves.byId(leaf.storage.cluster.clusterId)).toBeUndefined();
    expect((await call(ann.browser.send, clusterRoutes.sites, {})).map(({ name }) => name)).toEqual(['localhost']);
  });

  test('who of those that were here gains or loses by a map is told before it is saved', async () => {
    await ann.admit();
    const body = { role_map: [{ remote: 'dev', local: ['editor'] }], remote: [], trust: 'root' };

    const { visitors } = await call(leaf.admin.send, trustedClusterRoutes.previewMap, { body });
    expect(visitors).toMatchObject([{ name: 'root/ann', gains: ['editor'], loses: ['access', 'team-web'] }]);
  });

  test('a key that the root had announced is taken once it signs, and the one before is not any more', async () => {
    await call(root.admin.send, trustedClusterRoutes.rotateKey, { body: { overlapSeconds: 60 } });
    const { next } = await root.identity.federation.keys.now();
    const [held] = leaf.identity.federation.trusts.all();
    await leaf.storage.db
      .transaction()
      .execute((tx) => setRootKeys(tx, 'root', { rootKey: held!.rootKey, rootNext: next!.publicKey }));
    await leaf.settled();
    await vi.waitFor(() => expect(leaf.identity.federation.trusts.all()[0]!.rootNext).toBe(next!.publicKey));
    const old = await ann.passport();
    for (const { clock } of [root, leaf]) clock.advance(60_000);

    await ann.admit();
    await expect(leaf.identity.federation.admit(old, 'root')).rejects.toThrow('did not take the word');
    expect(leaf.identity.federation.trusts.all()).toMatchObject([{ rootKey: next!.publicKey, rootNext: undefined }]);
    expect((await leaf.events()).map(({ code }) => code)).toContain('GH223I');
  });
}
