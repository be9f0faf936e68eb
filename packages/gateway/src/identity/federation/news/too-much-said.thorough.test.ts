/** Words that are allowed where they are written, and longer than what two clusters take from each other: none cuts a line. */
import { once } from 'node:events';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { CLOSE_CODES } from '@gatehouse/contract/identity/change-frames';
import { LIVE_SESSIONS_SOCKET } from '@gatehouse/contract/sessions/live-frames';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { join, startCluster, type TestCluster } from '../../../../testing/federation/two-clusters.ts';
import { type Visitor, visitor } from '../../../../testing/federation/visitor.ts';

let root: TestCluster;
let leaf: TestCluster;
let ann: Visitor;
const LONG_TRAIT = 't'.repeat(300);
const soon = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: SOON_MS });
const isUp = () => root.identity.federation.links().leaf(leaf.storage.cluster.clusterId).isConnected;

beforeAll(async () => {
  [root, leaf] = [await startCluster('home'), await startCluster('east')];
  leaf.clock.now = root.clock.now;
  const spec = `{allow: {logins: ['{{external.${LONG_TRAIT}}}', '{{external.email}}']}}`;
  await call(leaf.admin.send, roleRoutes.create, {
    body: { content: `kind: role\nversion: v6\nmetadata: {name: asks}\nspec: ${spec}` },
  });
  await join(root, leaf, { role_map: [{ remote: 'access', local: ['asks'] }] });
  await root.addUser('ann', { roles: ['access'] });
  await soon(() => expect(isUp()).toBe(true));
  ann = await visitor(root, leaf, 'ann');
});
afterAll(async () => {
  await leaf.close();
  await root.close();
});

test('a role with the name of a trait that cannot be told keeps nobody out', async () => {
  await soon(() => {
    const { wants } = root.identity.federation.leaves.byId(leaf.storage.cluster.clusterId)!;
    expect(wants).toContain('email');
    expect(wants).not.toContain(LONG_TRAIT);
  });
  await ann.admit();
});

test.each(['世'.repeat(100), 'a'.repeat(500), `${'x'.repeat(112)}🔒🔒`])(
  'a socket for a cluster with a name of many bytes is closed with words: %s',
  async (name) => {
    const { bearer, cookies } = root.admin;
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const path = LIVE_SESSIONS_SOCKET.replace(':clusterId', encodeURIComponent(name));
    const socket = new WebSocket(`${root.origin.replace('http', 'ws')}${path}`, {
      headers: { host: 'localhost:3080', origin: 'http://localhost:3080', cookie },
    });
    socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', token: bearer })));
    const [code, reason] = await once(socket, 'close', { signal: AbortSignal.timeout(SOON_MS) });

    expect(code).toBe(CLOSE_CODES.notServed);
    expect(String(reason)).toMatch(/^cluster '/);
    expect(String(reason)).not.toContain('\ufffd');
  },
);

test('a passport that says where somebody is by anything but an address is refused', async () => {
  const { passportFor, leaves } = root.identity.federation;
  const known = leaves.byId(leaf.storage.cluster.clusterId)!;
  const actor = await (await visitor(root, leaf, 'admin')).actor();
  for (const address of ['127.0.0.1\u001b[2J', '<script>', '10.0.0.1, 10.0.0.2']) {
    const text = await passportFor({ ...actor, address }, known, leaf.identity.federation.gatewayId);
    await expect(leaf.identity.federation.admit(text, 'root')).rejects.toThrow('did not take the word');
  }
});
