/** `root/ann`, who is somebody of the root, beside the `ann` of the leaf: in its log, its recordings, its locks, and in calls that name people. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { eventRoutes } from '@gatehouse/contract/audit/search';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LEAF, type LeafWorld, startLeafWorld } from '../../testing/relay/leaf-world.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';

const HERE = { clusterId: '-current-' };
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-names-'));
let world: LeafWorld;
let theirs: string;
let local: string;
beforeAll(async () => {
  world = await startLeafWorld({ dataDir });
  const { leaf, root, ann } = world;
  await leaf.makeRole(
    'own-recordings',
    `{allow: {rules: [{resources: [session], verbs: [list, read], where: 'contains(session.participants, user.metadata.name)'}]}}`,
  );
  const ran = async (tab: ReturnType<typeof tabOf>) => {
    const client = connectTerminal(tab, opening('edge', 'ubuntu'));
    const { sid } = await client.state;
    client.type('hello\r');
    await client.until(/hello/);
    client.type('exit');
    await client.told('ended');
    await client.closed;
    return sid;
  };
  const relayed = tabOf(root.app, ann);
  theirs = await ran({ ...relayed, url: relayed.url.replace('-current-', LEAF) });
  local = await ran(tabOf(leaf.gateway.app, leaf.ann));
});
afterAll(async () => {
  await world?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('the log finds each by the whole name, at the leaf and from the root, and neither with the other', async () => {
  const found = async (send: LeafWorld['admin']['send'], clusterId: string, user: string) => {
    const { events } = await call(send, eventRoutes.search, {
      params: { clusterId },
      query: { user, code: 'T2000I' } as never,
    });
    return (events ?? []).map((event) => [event.user, event.sid]);
  };

  for (const [send, clusterId] of [
    [world.leaf.admin.send, '-current-'],
    [world.admin.send, LEAF],
  ] as const) {
    expect(await found(send, clusterId, 'root/ann')).toEqual([['root/ann', theirs]]);
    expect(await found(send, clusterId, 'ann')).toEqual([['ann', local]]);
    expect(await found(send, clusterId, 'root')).toEqual([]);
  }
});

test('recordings are of whoever made them: whoever may play their own plays none of the other', async () => {
  const { leaf } = world;
  const listed = async (user?: string) => {
    const query = (user === undefined ? {} : { user }) as never;
    const { recordings } = await call(world.admin.send, recordingRoutes.list, { params: { clusterId: LEAF }, query });
    return (recordings ?? []).map(({ sid, owner }) => [sid, owner]).toSorted();
  };
  await vi.waitFor(
    async () =>
      expect(await listed()).toEqual(
        [
          [local, 'ann'],
          [theirs, 'root/ann'],
        ].toSorted(),
      ),
    { timeout: SOON_MS },
  );
  expect(await listed('root/ann')).toEqual([[theirs, 'root/ann']]);
  expect(await listed('ann')).toEqual([[local, 'ann']]);

  await leaf.gateway.setRoles('ann', ['dev', 'own-recordings']);
  const played = (sid: string) =>
    call(leaf.ann.send, recordingRoutes.playback, { params: { ...HERE, sid }, query: { seek: '0' } as never });
  await vi.waitFor(async () => expect((await played(local)).items.length).toBeGreaterThan(0), { timeout: SOON_MS });
  await expect(played(theirs)).rejects.toThrow();
});

test('no call about people of this cluster takes the name of another for one of them', async () => {
  const { admin, gateway } = world.leaf;
  const params = { username: 'root/ann' };
  await expect(call(admin.send, userRecordRoutes.get, { params })).rejects.toThrow('not found');
  await expect(call(admin.send, userRecordRoutes.remove, { params })).rejects.toThrow('not found');
  await expect(call(admin.send, signInsRoutes.listOfUser, { params })).rejects.toThrow('not found');
  await expect(call(admin.send, signInsRoutes.endAllOfUser, { params })).rejects.toThrow('not found');
  await expect(
    call(admin.send, userRecordRoutes.update, { body: { name: 'root/ann', roles: ['editor'], traits: {} } }),
  ).rejects.toThrow('not found');
  await expect(
    call(admin.send, userRecordRoutes.create, { body: { name: 'root/ann', roles: ['editor'], traits: {} } }),
  ).rejects.toThrow('slashes');
  const invite = { name: 'root/ann', roles: ['editor'] };
  await expect(call(admin.send, userRoutes.invite, { body: invite as never })).rejects.toThrow('slashes');
  // Unescaped it is another path, and that of nothing.
  const { status } = await admin.send({ method: 'GET', url: '/v1/webapi/users/root/ann' });
  expect(status).toBe(404);
  expect((await gateway.events()).filter(({ data }) => data.name === 'root/ann' && data.roles)).toEqual([]);
});

/** The last one: what is locked stays so. */
test('a lock on the one does not hold the other, and the sessions of neither are ended with it', async () => {
  const { leaf } = world;
  const mine = connectTerminal(tabOf(leaf.gateway.app, leaf.ann), opening('edge', 'ubuntu'));
  await mine.state;
  await call(leaf.admin.send, lockRoutes.create, {
    params: HERE,
    body: { targets: { user: 'root/ann' }, message: 'gone', force: false },
  });

  await expect(call(world.ann.send, sessionRoutes.list, { params: { clusterId: LEAF } })).rejects.toThrow(
    /locked|ended/,
  );
  mine.type('still here\r');
  await mine.until(/still here/);
  mine.cut();
});
