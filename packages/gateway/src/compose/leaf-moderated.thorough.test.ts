/** Sessions of a leaf that go on only under the eyes of somebody, opened from its root: who counts is decided by the leaf, of whichever cluster they are. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startCluster, type TestCluster } from '../../testing/federation/two-clusters.ts';
import { enrolKey, PROMPT } from '../../testing/identity-gateway.ts';
import { LEAF, makeLeaf } from '../../testing/relay/leaf-world.ts';
import { type ShellWorld, startShellWorld } from '../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, type TerminalClient, tabOf } from '../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

const JOIN = 'join_sessions: [{name: j, kinds: [ssh], roles: [watched], modes: [moderator, observer]}]';
const WATCHED = `require_session_join: [{name: four eyes, filter: 'contains(user.roles, "eyes")', kinds: [ssh], modes: [moderator], on_leave: pause}]`;

let root: TestCluster;
let leaf: ShellWorld;
/** Of the root; what the leaf makes of them wants a moderator. */
let cat: TestBrowser;
beforeEach(async () => {
  [root, leaf] = [await startCluster('home', undefined, { secondFactor: 'optional' }), await startShellWorld()];
  await leaf.makeRole('watched', `{allow: {${WATCHED}}}`);
  await leaf.makeRole('eyes', `{allow: {${JOIN}}}`);
  await leaf.makeRole('careful', '{options: {require_session_mfa: true}, allow: {}}');
  // Of the root's `eyes`, which are called as those of the leaf, its map says nothing.
  for (const [name, spec] of [
    ['watched-there', '{}'],
    ['eyes-there', '{}'],
    ['careful-there', '{}'],
    ['eyes', `{allow: {${JOIN}}}`],
  ])
    await call(root.admin.send, roleRoutes.create, {
      body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
    });
  await makeLeaf(root, leaf.gateway, [
    { remote: 'access', local: ['dev'] },
    { remote: 'watched-there', local: ['watched'] },
    { remote: 'eyes-there', local: ['eyes'] },
    { remote: 'careful-there', local: ['careful'] },
  ]);
  await root.addUser('cat', { roles: ['access', 'watched-there'] });
  cat = await root.signedIn('cat');
});
afterEach(async () => {
  await leaf.close();
  await root.close();
});

function open(as: TestBrowser, request: Parameters<typeof connectTerminal>[1] = opening('edge', 'ubuntu')) {
  const tab = tabOf(root.app, as);
  return held(connectTerminal({ ...tab, url: tab.url.replace('-current-', LEAF) }, request));
}
function held(client: TerminalClient): TerminalClient {
  onTestFinished(() => client.cut());
  return client;
}
const moderating = (sid: string) =>
  ({ type: 'attach', sid, cols: 80, rows: 24, writer: '00000000000000bb', mode: 'moderator' }) as const;
const flowOf = (client: TerminalClient, flow: string) =>
  vi.waitFor(() => expect(client.replies.findLast(({ type }) => type === 'flow')).toMatchObject({ flow }), {
    timeout: SOON_MS,
  });
async function somebody(name: string, ...roles: string[]): Promise<TestBrowser> {
  await root.addUser(name, { roles });
  return await root.signedIn(name);
}

test('nothing is dialled before a moderator is there, and one of the root is one whom the map makes it', async () => {
  const client = open(cat);
  const { sid } = await client.state;
  await flowOf(client, 'waiting');
  client.type('too early');
  // At the root a role of that name says so; at the leaf it says nothing.
  const atHome = await somebody('hal', 'access', 'eyes');
  expect(await open(atHome, moderating(sid)).told('refused')).toMatchObject({ code: expect.any(String) });
  await flowOf(client, 'waiting');
  expect(leaf.fakes.shells.size).toBe(0);

  const bob = await somebody('bob', 'eyes-there');
  const moderator = open(bob, moderating(sid));
  await flowOf(client, 'live');
  client.type('hello');
  await moderator.until(/hello/);

  expect(client.text()).not.toContain('early');
  const { sessions } = await call(bob.send, sessionRoutes.list, { params: { clusterId: LEAF } });
  expect(sessions).toMatchObject([{ id: sid, owner: 'root/cat', state: 'live' }]);
  expect((await leaf.gateway.events()).filter(({ code }) => code === 'T2001I')).toMatchObject([{ user: 'root/bob' }]);
});

test('a second factor that a role of the leaf wants of whoever joins is asked for and checked by the root', async () => {
  const client = open(cat);
  const { sid } = await client.state;
  const bob = await somebody('bob', 'eyes-there', 'careful-there');
  expect(await open(bob, moderating(sid)).told('refused')).toMatchObject({ code: 'mfa_required' });
  const key = await enrolKey(bob, await call(bob.send, passwordRoutes.createPrivilegeToken, { body: {} }));
  const moderator = open(bob, moderating(sid));
  const { challenge } = await moderator.told('factor');
  await flowOf(client, 'waiting');
  if (!challenge.webauthn_challenge) throw new Error('no key was asked for');
  moderator.send({ type: 'factor', key: key.assert(challenge.webauthn_challenge, PROMPT) });

  await flowOf(client, 'live');
  expect((await leaf.gateway.events()).filter(({ code }) => code === 'T2001I')).toMatchObject([
    { user: 'root/bob', data: { with_mfa: 'proven' } },
  ]);
});

test('a moderator of the leaf itself counts as well, also one called as the owner is at the root', async () => {
  await leaf.gateway.addUser('cat', { roles: ['eyes'] });
  const client = open(cat);
  const { sid } = await client.state;
  await flowOf(client, 'waiting');

  held(connectTerminal(tabOf(leaf.gateway.app, await leaf.gateway.signedIn('cat')), moderating(sid)));

  await flowOf(client, 'live');
});

test('nobody of the root moderates themselves, whatever they are there', async () => {
  const own = await somebody('own', 'access', 'watched-there', 'eyes-there');
  const client = open(own);
  const { sid } = await client.state;

  expect(await open(own, moderating(sid)).told('refused')).toMatchObject({ code: 'denied' });
  await flowOf(client, 'waiting');
  expect(leaf.fakes.shells.size).toBe(0);
});

test.each([
  ['signs out', (bob: TestBrowser) => call(bob.send, signInRoutes.signOut, {})],
  ['has the role no more', () => root.setRoles('bob', ['access'])],
])('not one byte passes once the moderator %s at the root', async (_, leave) => {
  const bob = await somebody('bob', 'eyes-there');
  const client = open(cat);
  const { sid } = await client.state;
  open(bob, moderating(sid));
  await flowOf(client, 'live');

  await leave(bob);

  await flowOf(client, 'frozen');
  const [before, shell] = [client.end(), leaf.fakes.last()];
  shell.print('nobody sees this');
  client.type('nor hears this');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([client.end(), shell.typed()]).toEqual([before, '']);
});
