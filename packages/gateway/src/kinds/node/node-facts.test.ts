import { createServer, type Server } from 'node:net';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { type NewResource, putResources } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { silentLog } from '../../platform/std/log.ts';
import { dialTcp } from '../../reach/direct/dial-tcp.ts';
import type { Target } from '../../reach/reach.ts';
import { checkRound, startNodeChecks } from './check-nodes.ts';
import { createNodeStates } from './node-states.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;
let ssh: Server;

const node = (name: string, env: string, spec: object, owner = ''): NewResource => ({
  cluster: 'localhost',
  kind: 'node',
  id: `id-of-${name}`,
  name,
  labels: { env },
  spec: { hostname: name, ...spec },
  owner,
  expires: undefined,
});
const plain = (addr: string) => ({ type: 'openssh', addr, hostKeys: [] });
const agent = { type: 'agent', os: 'linux', arch: 'x64', version: '1' };

beforeAll(async () => {
  ssh = createServer((socket) => socket.end('SSH-2.0-test\r\n')).listen(0, '127.0.0.1');
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  admin = await gateway.signedIn('admin');
  const content =
    'kind: role\nversion: v6\nmetadata: {name: dev}\nspec: {allow: {logins: [www], node_labels: {env: dev}}}\n';
  await call(admin.send, roleRoutes.create, { body: { content } });
  const sees = 'kind: role\nversion: v6\nmetadata: {name: sees}\nspec: {allow: {node_labels: {env: prod}}}\n';
  await call(admin.send, roleRoutes.create, { body: { content: sees } });
  await gateway.addUser('ann', { roles: ['dev', 'sees'] });
  ann = await gateway.signedIn('ann');
  const address = ssh.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await gateway.storage.db
    .transaction()
    .execute((tx) =>
      putResources(
        tx,
        [
          node('up', 'dev', plain(`127.0.0.1:${port}`)),
          node('down', 'dev', plain('127.0.0.1:1')),
          node('new', 'prod', plain('10.0.0.3:22')),
          node('joined', 'dev', { ...agent, logins: ['root'] }, 'id-of-joined'),
        ],
        0,
      ),
    );
  await useServer('s-1', 'up', 'ann', 1_000, 'exited');
  await useServer('s-2', 'up', 'bob', 2_000, null);
  await useServer('s-3', 'down', 'bob', 3_000, 'failed');
  await useServer('s-4', 'joined', 'ann', 4_000, 'exited');
});
afterAll(async () => {
  ssh.close();
  await gateway.close();
});

function useServer(id: string, server: string, user: string, created: number, end: string | null) {
  return gateway.storage.db
    .insertInto('session')
    .values({
      id,
      cluster: 'localhost',
      kind: 'node',
      resource_id: `id-of-${server}`,
      action: JSON.stringify({ type: 'connect', kind: 'node', login: 'www', resource: {} }),
      user,
      sign_in: '',
      address: '',
      request: id,
      created,
      cols: 80,
      rows: 24,
      agent: '',
      gateway: '',
      seen: 0,
      participants: '[]',
      mfa: 0,
      recorded: 0,
      begun: created,
      ended: created + 1,
      end_cause: end,
      end_message: '',
    })
    .execute();
}

const params = { clusterId: '-current-' };
const list = async (browser: TestBrowser, query: Record<string, string> = {}) =>
  (await call(browser.send, nodeRoutes.list, { params, query: { sort: 'hostname:asc', ...query } as never })).items;
const summary = (browser: TestBrowser) => call(browser.send, nodeRoutes.summary, { params });
const names = async (browser: TestBrowser, query: Record<string, string>) =>
  (await list(browser, query)).map(({ hostname }) => hostname);

test('servers that were never tried say so; one whose agent is there is online', async () => {
  expect((await list(ann)).map(({ hostname, gatehouse }) => [hostname, gatehouse?.status])).toEqual([
    ['down', 'unknown'],
    ['joined', 'online'],
    ['new', 'unknown'],
    ['up', 'unknown'],
  ]);
});

test('a look finds those that speak SSH and those that do not, and is kept with what was wrong', async () => {
  const deps = { db: gateway.storage.db, clusterName: 'localhost', log: silentLog, now: () => 5_000_000 };
  const states = createNodeStates(deps);
  const reach = {
    dial: ({ addr }: Target) => {
      const [host = '', port = ''] = addr.split(':');
      if (host === '10.0.0.3') throw new AppError('denied', 'not to be dialled');
      return dialTcp({ host, port: Number(port), addresses: [host] }, AbortSignal.timeout(5_000));
    },
  };
  expect(await checkRound({ ...deps, states, reach: reach as never }, new AbortController().signal)).toBe(3);
  await expect.poll(async () => (await list(ann, { status: 'unreachable' })).length).toBe(1);
  await expect.poll(() => names(ann, { status: 'online' })).toEqual(['joined', 'up']);

  const [down] = await list(ann, { status: 'unreachable' });
  expect(down).toMatchObject({
    hostname: 'down',
    gatehouse: { status: 'unreachable', checkedAt: '1970-01-01T01:23:20.000Z', why: expect.stringContaining('refuse') },
  });
  // What only one person was refused tells nothing about the server.
  expect(await names(ann, { status: 'unknown' })).toEqual(['new']);
  expect(await summary(ann)).toMatchObject({ online: 2, unreachable: 1, unknown: 1 });
});

test('who may list sessions reads who used a server last; others read their own use, and failed ones are none', async () => {
  const used = async (browser: TestBrowser) =>
    Object.fromEntries((await list(browser)).map(({ hostname, gatehouse }) => [hostname, gatehouse?.lastUsed?.user]));
  expect(await used(admin)).toEqual({ up: 'bob', down: undefined, new: undefined, joined: 'ann' });
  expect(await used(ann)).toEqual({ up: 'ann', down: undefined, new: undefined, joined: 'ann' });
});

test('lists are sorted by status and last use, by the use that whoever asks may know of, a page at a time', async () => {
  expect(await names(admin, { sort: 'lastUsed:desc' })).toEqual(['joined', 'up', 'down', 'new']);
  expect(await names(ann, { sort: 'status:desc', search: 'down' })).toEqual(['down']);
  const first = await call(ann.send, nodeRoutes.list, { params, query: { sort: 'status:asc', limit: '2' } as never });
  expect([first.items.length, first.totalCount]).toEqual([2, 4]);
  const second = await call(ann.send, nodeRoutes.list, {
    params,
    query: { sort: 'status:asc', limit: '2', startKey: first.startKey } as never,
  });
  expect(second.startKey).toBe('');
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(4);
  await expect(list(ann, { sort: 'status:asc', startKey: 'xx' })).rejects.toMatchObject({ status: 400 });
  await expect(list(ann, { status: 'away' })).rejects.toMatchObject({ status: 400 });
});

test('what one can sign in to is counted apart from what one can see, with what an agent offers', async () => {
  // 'joined' offers root alone, and 'new' is only seen.
  expect(await summary(ann)).toMatchObject({ seen: 4, signIn: 2 });
  // Role access gives the logins of one's own account, and this one lists none.
  expect(await summary(admin)).toMatchObject({ seen: 4, signIn: 0 });
});

test.each([
  [true, 1],
  [false, 0],
])('with backgroundChecks %s there are %i clocks that look at servers', (isOn, clocks) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { storage, clock } = gateway;
  const deps = { db: storage.db, clusterName: 'localhost', log: silentLog, now: () => clock.now };
  const checks = startNodeChecks({ ...deps, states: {} as never, reach: {} as never, isOn });

  expect(vi.getTimerCount()).toBe(clocks);
  checks.close();
  expect(vi.getTimerCount()).toBe(0);
});
